import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { lookups } from "../../kernel/collections/lookups.ts"
import { each } from "../../kernel/each.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import type { RegisteredToken } from "../../providers/TokenRegistry.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Holding, ReadFailure } from "../Chain.ts"
import { unread } from "../tokenList.ts"
import { type AssetBalance, type CardanoBalances, type CardanoSource, type Metadata, unanswered } from "./Source.ts"

/** Metadata of assets, from the first source that returns it; cached for a day. */
export const metadata = (sources: ReadonlyArray<CardanoSource>) =>
  Effect.map(
    lookups({
      capacity: 10_000,
      timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value !== undefined ? "1 day" : "10 seconds"),
      lookup: (unit: string): Effect.Effect<Metadata | undefined, UpstreamError> =>
        Sources.first(sources, (source) => source.metadata(unit), { none: unanswered })
    }),
    (metadataOf) => {
      /** Undefined for an asset that declares none; one that could not be looked up is left. */
      const decimals = (unit: string) =>
        Effect.map(Effect.either(metadataOf(unit)), (found) =>
          Either.flatMap(Either.mapLeft(found, unread), (declared) =>
            declared === undefined ? Either.left(unknown) : Either.right(declared.decimals)
          )
        )
      return {
        /** Undefined for an asset that was never minted. */
        of: metadataOf,
        /** Decimals by asset, after this time (ms) at the latest: a slow look-up affects only its asset. */
        decimalsOf: (units: ReadonlyArray<string>, duration: number) =>
          Effect.map(
            each(units, (unit) =>
              decimals(unit).pipe(
                timeoutTo({ duration, onTimeout: () => Effect.succeed(Either.left(late)) }),
                Effect.map((found) => [unit, found] as const)
              )
            ),
            (pairs): Decimals => new Map(pairs)
          )
      }
    }
  )

const late: ReadFailure = { reason: "timeout", message: "the decimals of the asset were not read in time" }
const unknown: ReadFailure = { reason: "bad_answer", message: "the decimals of the asset are not known" }

/** Decimals that were looked up, for assets without decimals in the response; undefined for those that declare none. */
export type Decimals = ReadonlyMap<string, Either.Either<number | undefined, ReadFailure>>

type Registered = ReadonlyMap<string, RegisteredToken>

/**
 * Registered assets whose decimals must be looked up. Quantities on the ledger are integers; decimals are declared in the
 * registry or in the asset's metadata.
 */
export const unclear = (balances: ReadonlyArray<CardanoBalances>, registered: Registered): ReadonlyArray<string> => [
  ...new Set(
    balances
      .flatMap(({ assets }) => assets)
      .filter(({ decimals, quantity, unit }) => quantity > 0n && decimals === undefined && registered.has(unit))
      .map(({ unit }) => unit)
  )
]

/** Native first, then the registered assets with a balance. */
export const toHoldings = (
  balances: CardanoBalances,
  registered: Registered,
  reported: Decimals
): ReadonlyArray<Holding> => [
  native(balances),
  ...balances.assets.flatMap((asset) => {
    const token = registered.get(asset.unit)
    return token === undefined || asset.quantity === 0n ? [] : [toHolding(asset, token, reported)]
  })
]

export const native = ({ lovelace, rewards }: CardanoBalances): Holding => ({
  asset: "native",
  amount: Either.right(lovelace),
  ...(rewards === undefined || rewards > lovelace ? {} : { parts: { spendable: lovelace - rewards, rewards } })
})

/**
 * The holding of a registered asset. Zero in the token list may mean that its decimals are unknown; any other number there
 * must equal that of the source, and counts if the asset declares none.
 */
export const toHolding = (balances: AssetBalance, token: RegisteredToken, reported: Decimals): Holding => {
  const own = balances.decimals === undefined ? reported.get(balances.unit) : Either.right(balances.decimals)
  return Either.match(own ?? Either.right(undefined), {
    onLeft: (unread) => ({ asset: token, amount: Either.left(unread) }),
    onRight: (declared) =>
      declared != null && token.decimals > 0 && declared !== token.decimals
        ? { asset: token, amount: Either.left(otherDecimals) }
        : { asset: { ...token, decimals: declared ?? token.decimals }, amount: Either.right(balances.quantity) }
  })
}

/** Holdings of one unit of each registered asset among these, with the decimals that were reported. */
export const unitsOf = (reported: Decimals, registered: Registered): ReadonlyArray<Holding> =>
  [...reported.keys()].flatMap((unit) => {
    const token = registered.get(unit)
    return token === undefined ? [] : [toHolding({ unit, quantity: 1n, decimals: undefined }, token, reported)]
  })

const otherDecimals: ReadFailure = {
  reason: "bad_answer",
  message: "the source and the token list have different decimals for the asset"
}

/** The holding of an asset that is not in the token list, by its metadata. */
export const unregistered = (
  { decimals, quantity, unit }: AssetBalance,
  { decimals: declared, name, symbol }: Metadata
): Holding => ({
  asset: { address: unit, name, symbol, decimals: decimals ?? declared ?? 0, thumbnail: "" },
  amount: Either.right(quantity)
})
