import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import { uint64 } from "../amounts.ts"
import type { Holding } from "../Chain.ts"
import * as CoinType from "./CoinType.ts"

/** A u64 as text: no coin has a larger supply. */
export const Digits = Schema.String.pipe(
  Schema.pattern(/^\d{1,20}$/),
  Schema.filter((text) => BigInt(text) <= uint64)
)

/** The total balance of a coin: coin objects plus the address balance. */
const Coin = Schema.Struct({ coinType: Schema.Struct({ repr: Schema.NonEmptyString }), totalBalance: Digits })

export const BalancePage = Schema.Struct({
  nodes: Schema.Array(Coin),
  pageInfo: Schema.Struct({ hasNextPage: Schema.Boolean, endCursor: Schema.NullOr(Schema.String) })
})
export type BalancePage = typeof BalancePage.Type

/** An unused address has a page without coins. */
export const Owner = Schema.Struct({ balances: BalancePage })

/** The balance of one coin type; zero if the address does not own the coin. */
export const Balance = Schema.Struct({ balance: Schema.Struct({ totalBalance: Digits }) })

/** Null for a type without metadata, or with metadata that is not public. */
export const Metadata = Schema.NullOr(
  Schema.Struct({ decimals: Schema.NullOr(Schema.Int.pipe(Schema.between(0, 255))) })
)

export type SuiBalance = ReadonlyMap<string, bigint>

/**
 * The balance of each coin, by canonical type. None if a type is malformed or occurs twice: it is unknown which of the
 * two amounts is correct, and their sum may be wrong too.
 */
export const amounts = (pages: ReadonlyArray<BalancePage>): Option.Option<SuiBalance> => {
  const balances = new Map<string, bigint>()
  for (const { coinType, totalBalance } of pages.flatMap(({ nodes }) => nodes)) {
    const type = Option.getOrUndefined(CoinType.canonical(coinType.repr))
    if (type === undefined || balances.has(type)) return Option.none()
    balances.set(type, BigInt(totalBalance))
  }
  return Option.some(balances)
}

export const toHoldings = (balances: SuiBalance, tokenList: Option.Option<TokenList>): ReadonlyArray<Holding> => [
  { asset: "native", amount: Either.right(balances.get(CoinType.sui) ?? 0n) },
  ...Option.match(tokenList, { onNone: () => [], onSome: (list) => tokens(balances, list) })
]

/** Registered tokens with a balance. */
const tokens = (balances: SuiBalance, { byAddress }: TokenList) =>
  Array.from(balances).flatMap(([type, amount]): ReadonlyArray<Holding> => {
    const asset = byAddress.get(type)
    return asset === undefined || amount === 0n || type === CoinType.sui
      ? []
      : [{ asset, amount: Either.right(amount) }]
  })
