import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Balance, type LastKnown } from "../../domain/Balance.ts"
import { CoinId } from "../../domain/CoinId.ts"
import { Decimals, type Token } from "../../domain/Token.ts"
import * as Store from "../../storage/Store.ts"

/** How long an earlier balance may be shown. */
const retention = "30 days"

/** The fields of a row that are stored unchanged: its asset and the USD value. */
const assetOf = Struct.pick(
  "coinId",
  "tokenName",
  "tokenSymbol",
  "tokenDecimals",
  "contractAddress",
  "thumbnail",
  "balanceUsd"
)

/** A decimal amount, never negative. */
const decimal = Schema.String.pipe(Schema.pattern(/^\d+(\.\d+)?$/))

const StoredBalance = Schema.Struct({
  ...assetOf(Balance.fields),
  tokenDecimals: Decimals,
  balance: decimal,
  balanceUsd: Schema.NullOr(decimal),
  at: Schema.NonNegative
})
type StoredBalance = typeof StoredBalance.Type

/** The last read balances of an address, by contract; the native coin under null. */
export type Earlier = ReadonlyMap<string | null, StoredBalance>

/** Stores the newest balances of each address, for requests when balances cannot be read. Cannot fail. */
export const make = Effect.gen(function* () {
  const stored = yield* Store.dated("balances", 1, Schema.Array(StoredBalance))
  const scope = yield* Effect.scope
  return {
    /** By key; omits addresses that were never read. */
    read: (keys: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, Earlier>> =>
      keys.length === 0
        ? Effect.succeed(new Map())
        : Effect.map(
            stored.getMany(keys),
            (found) =>
              new Map(
                [...found].map(([key, { value }]) => [key, new Map(value.map((row) => [row.contractAddress, row]))])
              )
          ),
    /** Stores rows in the background. A null balance or value does not replace an earlier value. */
    write: (byKey: ReadonlyMap<string, ReadonlyArray<Balance>>, earlier: ReadonlyMap<string, Earlier>) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const values = new Map(
          [...byKey].map(([key, rows]) => [
            key,
            { at, value: rows.flatMap((row) => toStore(row, earlier.get(key), at)) }
          ])
        )
        yield* Effect.forkIn(stored.setMany(values, retention), scope)
      })
  }
})

/** The newest earlier balance of an asset, if it has values that the current row does not have. */
export const lastKnown = (
  earlier: ReadonlyArray<Earlier | undefined>,
  contract: string | null,
  now: Pick<Balance, "balance" | "balanceUsd">
): { readonly lastKnown?: LastKnown } => {
  const [row] = earlier.flatMap((found) => found?.get(contract) ?? []).sort((a, b) => b.at - a.at)
  if (row === undefined || now.balanceUsd !== null) return {}
  if (now.balance !== null && row.balanceUsd === null) return {}
  return { lastKnown: { balance: row.balance, balanceUsd: row.balanceUsd, at: row.at } }
}

const toStore = (row: Balance, earlier: Earlier | undefined, at: number): ReadonlyArray<StoredBalance> => {
  const before = earlier?.get(row.contractAddress)
  if (row.balance === null) return before === undefined ? [] : [before]
  if (row.balanceUsd === null && before?.balance === row.balance && before.balanceUsd !== null) return [before]
  return [{ ...assetOf(row), balance: row.balance, at }]
}

const asCoinId = Schema.decodeOption(CoinId)

export const tokens = (earlier: Earlier): ReadonlyArray<Token> =>
  [...earlier.values()].flatMap((row) =>
    row.contractAddress === null
      ? []
      : [
          {
            address: row.contractAddress,
            ...Option.match(asCoinId(row.coinId), { onNone: () => ({}), onSome: (coinId) => ({ coinId }) }),
            name: row.tokenName,
            symbol: row.tokenSymbol,
            decimals: row.tokenDecimals,
            thumbnail: row.thumbnail
          }
        ]
  )
