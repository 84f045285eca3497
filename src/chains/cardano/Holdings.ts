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
      /** An asset without registered decimals has 0; one that could not be looked up must not get 0. */
      const decimals = (unit: string) =>
        Effect.map(Effect.either(metadataOf(unit)), (found) =>
          Either.flatMap(Either.mapLeft(found, unread), (declared) =>
            declared === undefined ? Either.left(unknown) : Either.right(declared.decimals ?? 0)
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

/** Decimals that were looked up, for assets without decimals in the response and in the token list. */
export type Decimals = ReadonlyMap<string, Either.Either<number, ReadFailure>>

type Registered = ReadonlyMap<string, RegisteredToken>

/**
 * Assets whose decimals must be looked up. Quantities on the ledger are integers; decimals are declared in the registry
 * or in the asset's metadata. Zero in the token list may mean that they are unknown; any other number there must equal
 * that of the upstream.
 */
export const unclear = (balances: ReadonlyArray<CardanoBalances>, registered: Registered): ReadonlyArray<string> => [
  ...new Set(
    balances
      .flatMap(({ assets }) => assets)
      .filter(
        ({ decimals, quantity, unit }) =>
          quantity > 0n && decimals === undefined && registered.get(unit)?.decimals === 0
      )
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

/** The holding of a registered asset. */
export const toHolding = (balances: AssetBalance, token: RegisteredToken, reported: Decimals): Holding => {
  if (balances.decimals != null && token.decimals > 0 && balances.decimals !== token.decimals)
    return { asset: token, amount: Either.left(otherDecimals) }
  const known = balances.decimals ?? (token.decimals > 0 ? token.decimals : undefined)
  const decimals = known === undefined ? (reported.get(balances.unit) ?? Either.right(0)) : Either.right(known)
  return Either.match(decimals, {
    onLeft: (unread) => ({ asset: token, amount: Either.left(unread) }),
    onRight: (value) => ({ asset: { ...token, decimals: value }, amount: Either.right(balances.quantity) })
  })
}

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
