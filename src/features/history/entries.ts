import type { ChainFacts } from "../../catalogue/NetworkFacts.ts"
import type { NewestBlock } from "../../chains/Chain.ts"
import type { HistoryEntry, Party } from "../../contract/HistoryApi.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import { type Gap, gap } from "../../domain/history/Gap.ts"
import { format, type Multiplier } from "../../domain/Multiplier.ts"
import { type Movement, type Transaction, tokensOf } from "../../domain/Transaction.ts"
import { numberOf, numberOrNull } from "../../domain/units.ts"
import type { RegisteredToken, TokenList } from "../../providers/TokenRegistry.ts"
import { confirmationsOf } from "../blocks/NewestBlocks.ts"
import type { Prices } from "../prices/Pricing.ts"
import type { Label } from "./labels.ts"

export type Multipliers = ReadonlyMap<string, DisplayedUnit | null>

/** The unit of a token that wallets display. */
export interface DisplayedUnit {
  readonly multiplier: Multiplier
  /** US dollars; absent if no price is known to be for this unit. */
  readonly usd: number | undefined
}

/** The data that is shown with transactions. */
export interface DisplayContext {
  readonly info: ChainFacts
  /** The tokens of the network; undefined if no list is loaded. */
  readonly tokens: TokenList | undefined
  readonly prices: Prices
  /** The current multipliers by token, null if one could not be read; other tokens have none. */
  readonly multipliers: Multipliers
  /** The newest block; undefined if it was not read. */
  readonly newest: NewestBlock | undefined
}

export const toEntry = (
  transaction: Transaction,
  labels: ReadonlyArray<Label>,
  surroundings: DisplayContext
): HistoryEntry => ({
  hash: transaction.hash,
  explorer: surroundings.info.explorer(transaction.hash, transaction.order),
  type: transaction.type,
  fee: transaction.fee === null ? null : String(transaction.fee),
  status: transaction.status,
  timestamp: numberOf(transaction.timestamp),
  block: numberOrNull(transaction.block),
  confirmations:
    transaction.status === "Pending"
      ? 0
      : (confirmationsOf(surroundings.info, transaction.block, surroundings.newest) ?? null),
  nonce: transaction.nonce ?? null,
  from: transaction.from.map((movement) => toParty(movement, surroundings)),
  to: transaction.to.map((movement) => toParty(movement, surroundings)),
  ...(labels.length === 0 ? {} : { flags: labels })
})

const toParty = ({ address, amount, token }: Movement, { multipliers, prices, tokens }: DisplayContext): Party => {
  const native = { address, amount: String(amount) }
  if (token === undefined) return native
  const listed = tokens?.byAddress.get(token)
  const decimals = tokens?.decimalsOf(token)
  if (listed === undefined || decimals === undefined) return { ...native, currency: token }
  const unit = multipliers.get(token)
  return {
    ...native,
    currency: {
      img: listed.thumbnail,
      coinId: listed.coinId,
      address: listed.address,
      decimals,
      price: (unit === undefined ? prices.found.get(listed.coinId)?.usd : unit?.usd) ?? null,
      symbol: listed.symbol.toLowerCase(),
      ...(unit === undefined ? {} : shownBy(unit))
    }
  }
}

/** Balances say what the multiplier is now; no source says what it was. */
const shownBy = (unit: DisplayedUnit | null) =>
  unit === null ? { multiplier: null } : { multiplier: format(unit.multiplier), approximate: true }

/** The listed tokens that move in these transactions. */
export const tokensIn = (
  transactions: ReadonlyArray<Transaction>,
  tokens: TokenList | undefined
): ReadonlyArray<RegisteredToken> => [
  ...new Set(tokensOf(transactions).flatMap((token) => tokens?.byAddress.get(token) ?? []))
]

/** The listed tokens that move in these transactions, and that are not described because their decimals are not confirmed. */
export const unconfirmedIn = (transactions: ReadonlyArray<Transaction>, tokens: TokenList | undefined) =>
  tokensIn(transactions, tokens).flatMap(
    ({ address, symbol }): ReadonlyArray<Gap> =>
      tokens?.decimalsOf(address) === undefined
        ? [gap("amounts", `${symbol}: the decimals of the token are not confirmed`)]
        : []
  )

/** The coins of the tokens that move in these transactions. */
export const coinsOf = (
  transactions: ReadonlyArray<Transaction>,
  tokens: TokenList | undefined
): ReadonlyArray<CoinId> => [...new Set(tokensIn(transactions, tokens).map(({ coinId }) => coinId))]
