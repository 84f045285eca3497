import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ton } from "../../../../catalogue/ton.ts"
import type { Multiplier } from "../../../../domain/Multiplier.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { byKey } from "../../../kit/holdings/amounts.ts"
import {
  type AddressLookup,
  byAddress,
  canonical,
  isElsewhere,
  lookup,
  maxJettons,
  interpreting as reading,
  stated
} from "../../decodeBody.ts"
import { impossible, toMultiplier, unreadable } from "../../multipliers.ts"
import type { Jetton, JettonInfo, Jettons as JettonsByMaster } from "../../Provider.ts"

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

const Accounts = Schema.Struct({ accounts: Schema.Array(Schema.Unknown) })
const balanceIn = Schema.decodeUnknownEither(Schema.Struct({ balance: Coins }))

const Jettons = Schema.Struct({ balances: Schema.Array(Schema.Unknown) })

/** Balance and decimals come from contracts that anyone may deploy for any owner, so both may be anything. */
const jettonBalance = Schema.decodeUnknownOption(
  Schema.Struct({
    balance: Schema.optional(Schema.Unknown),
    jetton: Schema.Struct({
      address: Schema.String,
      decimals: Schema.optional(Schema.Unknown),
      scaled_ui: Schema.optional(Schema.Unknown)
    })
  })
)

const amountOf = Schema.decodeUnknownOption(Amount)
export const decimalsOf = Schema.decodeUnknownOption(Decimals)

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

const Infos = Schema.Struct({ jettons: Schema.Array(Schema.Unknown) })

const described = Schema.decodeUnknownOption(
  Schema.Struct({
    metadata: Schema.Struct({ address: Schema.String, decimals: Schema.optional(Schema.Unknown) }),
    scaled_ui: Schema.optional(Schema.Unknown)
  })
)

export const interpreting = reading(options)

/** What these masters declare; jettons that are not indexed are absent. */
export const infos = (masters: ReadonlyArray<string>): ResponseDecoder.Decoder<AddressLookup<JettonInfo>> =>
  interpreting(Infos, ({ jettons }) => {
    const addressOf = (row: unknown) => Option.map(described(row), ({ metadata }) => metadata.address)
    const read = (row: unknown) =>
      Either.flatMap(
        Either.fromOption(described(row), () => notAll),
        ({ metadata, scaled_ui }) => Either.map(multiplierIn(scaled_ui), infoWith(metadata.decimals))
      )
    return Either.right(lookup(byAddress(jettons, new Set(masters), addressOf, read), Either.left(notAll)))
  })

/** The balances of accounts; accounts that do not exist are included. */
export const balances = (addresses: ReadonlyArray<string>): ResponseDecoder.Decoder<AddressLookup<bigint>> =>
  interpreting(Accounts, ({ accounts }) => {
    const read = (row: unknown) => Either.map(balanceIn(row), ({ balance }) => BigInt(balance))
    const found = byAddress(accounts, new Set(addresses), stated, read)
    return [...found.found.values()].some(Either.isRight)
      ? Either.right(lookup(found, Either.left(notAll)))
      : Either.left(notAll)
  })

/** An owner's jettons by master; those in another workchain are skipped. `fault` if others cannot be read. */
export const jettons: ResponseDecoder.Decoder<{
  readonly byMaster: JettonsByMaster
  readonly fault: Fault | undefined
}> = interpreting(Jettons, ({ balances }) => {
  const read = balances.map((row) => jettonBalance(row))
  const rows = read.flatMap(
    (row): ReadonlyArray<readonly [string, Jetton]> =>
      Option.toArray(
        Option.flatMap(row, ({ balance, jetton }) =>
          Option.map(canonical(jetton.address), (master) => [
            master,
            {
              amount: Option.getOrUndefined(Option.map(amountOf(balance), BigInt)),
              decimals: Option.getOrUndefined(decimalsOf(jetton.decimals)),
              multiplier: Either.mapLeft(multiplierIn(jetton.scaled_ui), unreadable)
            }
          ])
        )
      )
  )
  const elsewhere = read.filter(Option.exists(({ jetton }) => isElsewhere(jetton.address)))
  return Either.right({
    byMaster: new Map(
      [...byKey(rows)].map(([master, jetton]) => [master, jetton ?? { amount: undefined, decimals: undefined }])
    ),
    fault: rows.length + elsewhere.length === balances.length ? undefined : unlisted
  })
})

/** The decimals of a jetton; none if there is no such jetton. */
export const decimals: ResponseDecoder.Decoder<Option.Option<number>> = (answer) =>
  answer.status === 404
    ? Either.right(Option.none())
    : Either.map(ResponseDecoder.fitting(Master, options)(answer), ({ metadata }) => Option.some(metadata.decimals))

const unlisted: Fault = { reason: "bad_answer", detail: "returned jettons in an unexpected format" }
export const notAll: Fault = { reason: "bad_answer", detail: "did not return some of the accounts" }
