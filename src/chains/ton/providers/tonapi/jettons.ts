import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Multiplier } from "../../../../domain/Multiplier.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { byKey } from "../../../kit/holdings/amounts.ts"
import { impossible, toMultiplier, unreadable } from "../../multipliers.ts"
import type { Jetton, JettonInfo, JettonMaster, Jettons } from "../../Provider.ts"
import { type AddressLookup, byAddress, canonical, isElsewhere, lookup, notRequested } from "../rows.ts"
import * as calls from "./calls.ts"

const amountOf = Schema.decodeUnknownOption(calls.Amount)
export const decimalsOf = Schema.decodeUnknownOption(calls.Decimals)
const writtenDecimals = Schema.decodeUnknownOption(calls.WrittenDecimals)

const Digits = Schema.String.pipe(Schema.pattern(/^\d{1,75}$/))

/** A multiplier. Each of its two numbers has at most 31 bytes. */
const scaledUiOf = Schema.decodeUnknownOption(Schema.Struct({ numerator: Digits, denominator: Digits }))

/** The multiplier of a jetton; undefined if it has none. */
const multiplierIn = (scaledUi: unknown): Either.Either<Multiplier | undefined, Fault> =>
  scaledUi == null
    ? Either.right(undefined)
    : Option.match(scaledUiOf(scaledUi), {
        onNone: () => Either.left(impossible),
        onSome: ({ denominator, numerator }) => toMultiplier(BigInt(numerator), BigInt(denominator))
      })

/** What these masters declare. */
export const infosIn =
  (masters: ReadonlyArray<string>) =>
  ({ jettons }: typeof calls.jettonInfos.response.Type): Either.Either<AddressLookup<JettonInfo>, Fault> => {
    const found = byAddress(
      jettons,
      new Set(masters),
      ({ row }) => Option.map(row, ({ metadata }) => metadata.address),
      ({ metadata, scaled_ui }) =>
        Either.map(
          multiplierIn(scaled_ui),
          (multiplier): JettonInfo => ({
            multiplier,
            decimals: Option.getOrUndefined(writtenDecimals(metadata.decimals))
          })
        )
    )
    return Either.right(lookup(found, Either.left(notAll)))
  }

/** An owner's jettons by master; those in another workchain are skipped. `fault` if others cannot be read. */
export const ownedIn = ({
  balances
}: typeof calls.ownedJettons.response.Type): {
  readonly byMaster: Jettons
  readonly fault: Fault | undefined
} => {
  const rows = balances.flatMap(
    ({ row }): ReadonlyArray<readonly [string, Jetton]> =>
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
  const elsewhere = balances.filter(({ row }) => Option.exists(row, ({ jetton }) => isElsewhere(jetton.address)))
  return {
    byMaster: new Map(
      [...byKey(rows)].map(([master, jetton]) => [master, jetton ?? { amount: undefined, decimals: undefined }])
    ),
    fault: rows.length + elsewhere.length === balances.length ? undefined : unlisted
  }
}

const textOf = Schema.decodeUnknownOption(Schema.String.pipe(Schema.maxLength(256)))

/** The master of a jetton. TonAPI leaves `admin` out for a jetton without an administrator. */
export const masterIn =
  (master: string) =>
  ({
    admin,
    metadata,
    mintable,
    total_supply
  }: typeof calls.jettonMaster.response.Type): Either.Either<JettonMaster, Fault> =>
    Option.contains(canonical(metadata.address), master)
      ? Either.right({
          name: Option.getOrUndefined(textOf(metadata.name)),
          symbol: Option.getOrUndefined(textOf(metadata.symbol)),
          decimals: Option.getOrUndefined(writtenDecimals(metadata.decimals)),
          supply: Option.getOrUndefined(Option.map(amountOf(total_supply), BigInt)),
          isMintable: mintable,
          hasAdmin: admin != null
        })
      : Either.left(notRequested)

const unlisted: Fault = { reason: "bad_answer", detail: "returned jettons in an unexpected format" }
export const notAll: Fault = { reason: "bad_answer", detail: "did not return some of the accounts" }
