import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ton } from "../../../catalogue/ton.ts"
import type { Multiplier } from "../../../domain/Multiplier.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import { byKey, byKeyOrFault } from "../../amounts.ts"
import type { Jetton, JettonInfo, Jettons as JettonsByMaster } from "../Client.ts"
import { maxJettons, interpreting as reading, requestedAddress } from "../decodeBody.ts"
import { impossible, toMultiplier, unreadable } from "../Multipliers.ts"
import * as TonAddress from "../TonAddress.ts"

/** Balances are bare JSON numbers of any size. */
const options = { exact: true }

/** A number, or its digits as a string: both occur. */
const units = (max: bigint) =>
  Schema.Union(
    Schema.Int.pipe(Schema.nonNegative()),
    Schema.NonNegativeBigIntFromSelf,
    Schema.String.pipe(Schema.pattern(/^\d{1,40}$/))
  ).pipe(Schema.filter((amount) => BigInt(amount) <= max))

/** Base units of a jetton. */
export const Amount = units(maxJettons)

/** Base units of TON. */
export const Coins = units(ton.supply)

const Digits = Schema.String.pipe(Schema.pattern(/^\d{1,75}$/))

const Decimals = Schema.Int.pipe(Schema.between(0, 255))

const Accounts = Schema.Struct({
  accounts: Schema.Array(Schema.Struct({ address: Schema.String, balance: Coins }))
})

/** Balance and decimals come from contracts that anyone may deploy for any owner, so both may be anything. */
const Jettons = Schema.Struct({
  balances: Schema.Array(
    Schema.Struct({
      balance: Schema.Unknown,
      jetton: Schema.Struct({
        address: Schema.String,
        decimals: Schema.Unknown,
        scaled_ui: Schema.optional(Schema.Unknown)
      })
    })
  )
})

const amountOf = Schema.decodeUnknownOption(Amount)
const decimalsOf = Schema.decodeUnknownOption(Decimals)

/** The metadata of a master has digits. */
const WrittenDecimals = Schema.Union(Decimals, Schema.compose(Schema.NumberFromString, Decimals))
const writtenDecimals = Schema.decodeUnknownOption(WrittenDecimals)

const Master = Schema.Struct({ metadata: Schema.Struct({ decimals: WrittenDecimals }) })

/** A multiplier. Each of its two numbers has at most 31 bytes. */
const ScaledUi = Schema.Struct({ numerator: Digits, denominator: Digits })
const scaledUiOf = Schema.decodeUnknownOption(ScaledUi)

/** The multiplier of a jetton; undefined if it has none. */
const multiplierIn = (scaledUi: unknown): Either.Either<Multiplier | undefined, Fault> =>
  scaledUi == null
    ? Either.right(undefined)
    : Option.match(scaledUiOf(scaledUi), {
        onNone: () => Either.left(impossible),
        onSome: ({ denominator, numerator }) => toMultiplier(BigInt(numerator), BigInt(denominator))
      })

const infoWith =
  (decimals: unknown) =>
  (multiplier: Multiplier | undefined): JettonInfo => ({
    multiplier,
    decimals: Option.getOrUndefined(writtenDecimals(decimals))
  })

const Infos = Schema.Struct({
  jettons: Schema.Array(
    Schema.Struct({
      metadata: Schema.Struct({ address: Schema.String, decimals: Schema.optional(Schema.Unknown) }),
      scaled_ui: Schema.optional(Schema.Unknown)
    })
  )
})

export const interpreting = reading(options)

/** What these masters declare; jettons that are not indexed are absent. */
export const infos = (masters: ReadonlyArray<string>) => {
  const requested = new Set(masters)
  return interpreting(Infos, ({ jettons }) =>
    Either.flatMap(
      Either.all(
        jettons.map(({ metadata, scaled_ui }) =>
          Either.map(
            requestedAddress(requested, metadata.address),
            (master) => [master, Either.map(multiplierIn(scaled_ui), infoWith(metadata.decimals))] as const
          )
        )
      ),
      byKeyOrFault
    )
  )
}

/** Balances by canonical address; accounts that do not exist are included. */
export const balances = (addresses: ReadonlyArray<string>): ResponseDecoder.Decoder<ReadonlyMap<string, bigint>> => {
  const requested = new Set(addresses)
  return interpreting(Accounts, ({ accounts }) =>
    Either.flatMap(
      Either.all(
        accounts.map(({ address, balance }) =>
          Either.map(requestedAddress(requested, address), (account) => [account, BigInt(balance)] as const)
        )
      ),
      (pairs) =>
        Either.filterOrLeft(
          byKeyOrFault(pairs),
          ({ size }) => size === requested.size,
          () => notAll
        )
    )
  )
}

/** An owner's jettons by master; jettons whose master has an invalid address are skipped. */
export const jettons: ResponseDecoder.Decoder<JettonsByMaster> = interpreting(Jettons, ({ balances }) =>
  Either.right(
    new Map(
      [
        ...byKey(
          balances.flatMap(({ balance, jetton }) =>
            Either.match(TonAddress.parse(jetton.address), {
              onLeft: () => [],
              onRight: (master): ReadonlyArray<readonly [string, Jetton]> => [
                [
                  master,
                  {
                    amount: Option.getOrUndefined(Option.map(amountOf(balance), BigInt)),
                    decimals: Option.getOrUndefined(decimalsOf(jetton.decimals)),
                    multiplier: Either.mapLeft(multiplierIn(jetton.scaled_ui), unreadable)
                  }
                ]
              ]
            })
          )
        )
      ].map(([master, jetton]) => [master, jetton ?? { amount: undefined, decimals: undefined }] as const)
    )
  )
)

/** The decimals of a jetton; none if there is no such jetton. */
export const decimals: ResponseDecoder.Decoder<Option.Option<number>> = (answer) =>
  answer.status === 404
    ? Either.right(Option.none())
    : Either.map(ResponseDecoder.fitting(Master, options)(answer), ({ metadata }) => Option.some(metadata.decimals))

export const notAll: Fault = { reason: "bad_answer", detail: "did not return some of the accounts" }
