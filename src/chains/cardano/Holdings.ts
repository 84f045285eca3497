import * as Either from "effect/Either"
import type { RegisteredToken } from "../../providers/TokenRegistry.ts"
import type { Holding, Unread } from "../Chain.ts"
import type { AssetBalance, CardanoBalances } from "./Source.ts"

/** What was found out about the decimals of assets that no answer and no list tells. */
export type Decimals = ReadonlyMap<string, Either.Either<number, Unread>>

type Registered = ReadonlyMap<string, RegisteredToken>

/**
 * The held assets whose decimals must be asked for. On the ledger quantities are whole; decimals are an agreement, kept
 * in the registry or with the asset. What an upstream tells of them holds; else what the token list has; a zero there
 * may mean that nobody knows.
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

/** Native first, then the registered assets that are held. */
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

export const native = ({ lovelace }: CardanoBalances): Holding => ({ asset: "native", amount: Either.right(lovelace) })

/** One asset of the registry. */
export const toHolding = (balances: AssetBalance, token: RegisteredToken, reported: Decimals): Holding => {
  const known = balances.decimals ?? (token.decimals > 0 ? token.decimals : undefined)
  const decimals = known === undefined ? (reported.get(balances.unit) ?? Either.right(0)) : Either.right(known)
  return Either.match(decimals, {
    onLeft: (unread) => ({ asset: token, amount: Either.left(unread) }),
    onRight: (value) => ({ asset: { ...token, decimals: value }, amount: Either.right(balances.quantity) })
  })
}
