import { blockTimeOf, type ChainFacts } from "../../catalogue/NetworkFacts.ts"
import type { HistoryEntry, Party } from "../../contract/HistoryApi.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Movement, Transaction } from "../../domain/Transaction.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import type { Prices } from "../prices/Pricing.ts"
import type { Label } from "./labels.ts"

/** The data that is shown with transactions. */
export interface DisplayContext {
  readonly info: ChainFacts
  /** The tokens of the network; undefined if no list is loaded. */
  readonly tokens: TokenList | undefined
  readonly prices: Prices
  /** Height of the newest block; undefined if it was not read. */
  readonly newest: number | undefined
}

/** A transaction in the response. */
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
  timestamp: transaction.timestamp,
  block: transaction.block ?? null,
  confirmations: confirmationsOf(transaction, surroundings),
  nonce: transaction.nonce ?? null,
  from: transaction.from.map((movement) => toParty(movement, surroundings)),
  to: transaction.to.map((movement) => toParty(movement, surroundings)),
  ...(labels.length === 0 ? {} : { flags: labels })
})

/** A transaction may be in a block that came after the newest one was read, at most this long ago, ms. */
const sinceNewest = 60_000

const confirmationsOf = ({ block, status }: Transaction, { info, newest }: DisplayContext): number | null => {
  if (status === "Pending") return 0
  if (block === undefined || newest === undefined) return null
  return block <= newest + sinceNewest / (blockTimeOf(info) ?? sinceNewest) ? Math.max(newest - block + 1, 1) : null
}

const toParty = ({ address, amount, token }: Movement, { prices, tokens }: DisplayContext): Party => {
  const native = { address, amount: String(amount) }
  if (token === undefined) return native
  const listed = tokens?.byAddress.get(token)
  if (listed === undefined) return { ...native, currency: token }
  return {
    ...native,
    currency: {
      img: listed.thumbnail,
      coinId: listed.coinId,
      address: listed.address,
      decimals: listed.decimals,
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
