import * as Either from "effect/Either"
import type { RegisteredToken } from "../../providers/TokenRegistry.ts"
import type { Holding, ReadFailure } from "../Chain.ts"
import type { AssetBalance, AssetDecimals, CardanoBalances, Metadata } from "./Provider.ts"

/** Registered assets, by unit. */
export type Registered = ReadonlyMap<string, RegisteredToken>

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
  reported: AssetDecimals
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
export const toHolding = (balances: AssetBalance, token: RegisteredToken, reported: AssetDecimals): Holding => {
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
export const unitsOf = (reported: AssetDecimals, registered: Registered): ReadonlyArray<Holding> =>
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
