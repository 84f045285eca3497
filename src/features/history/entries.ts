import type { ChainFacts } from "../../catalogue/NetworkFacts.ts"
import type { NewestBlock } from "../../chains/Chain.ts"
import type { HistoryEntry, Party } from "../../contract/HistoryApi.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Movement, Transaction } from "../../domain/Transaction.ts"
import { numberOf, numberOrNull } from "../../domain/units.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import { confirmationsOf } from "../blocks/NewestBlocks.ts"
import type { Prices } from "../prices/Pricing.ts"
import type { Label } from "./labels.ts"

/** The data that is shown with transactions. */
export interface DisplayContext {
  readonly info: ChainFacts
  /** The tokens of the network; undefined if no list is loaded. */
  readonly tokens: TokenList | undefined
  readonly prices: Prices
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

const toParty = ({ address, amount, token }: Movement, { prices, tokens }: DisplayContext): Party => {
  const native = { address, amount: String(amount) }
  if (token === undefined) return native
  const listed = tokens?.byAddress.get(token)
  const decimals = tokens?.decimalsOf(token)
  if (listed === undefined || decimals === undefined) return { ...native, currency: token }
  return {
    ...native,
    currency: {
      img: listed.thumbnail,
      coinId: listed.coinId,
      address: listed.address,
      decimals,
      price: prices.found.get(listed.coinId)?.usd ?? null,
      symbol: listed.symbol.toLowerCase()
    }
  }
}

/** The coins of the tokens that move in these transactions. */
export const coinsOf = (
  transactions: ReadonlyArray<Transaction>,
  tokens: TokenList | undefined
): ReadonlyArray<CoinId> => [
  ...new Set(
    transactions.flatMap(({ from, to }) =>
      [...from, ...to].flatMap(({ token }) => {
        const listed = token === undefined ? undefined : tokens?.byAddress.get(token)
        return listed === undefined ? [] : [listed.coinId]
      })
    )
  )
]
