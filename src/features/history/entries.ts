import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { HistoryEntry, Party } from "../../contract/HistoryApi.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Movement, Transaction } from "../../domain/Transaction.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import type { Prices } from "../prices/Pricing.ts"
import type { Label } from "./labels.ts"

/** What transactions are shown with. */
export interface Surroundings {
  readonly info: NetworkFacts
  /** The tokens of the network; none where there is no list of them now. */
  readonly tokens: TokenList | undefined
  readonly prices: Prices
}

/** A transaction as it goes out. */
export const toEntry = (
  transaction: Transaction,
  labels: ReadonlyArray<Label>,
  surroundings: Surroundings
): HistoryEntry => ({
  hash: transaction.hash,
  explorer: surroundings.info.explorer(transaction.hash),
  type: transaction.type,
  fee: transaction.fee === null ? null : String(transaction.fee),
  status: transaction.status,
  timestamp: transaction.timestamp,
  from: transaction.from.map((item) => toParty(item, surroundings)),
  to: transaction.to.map((element) => toParty(element, surroundings)),
  ...(labels.length === 0 ? {} : { flags: labels })
})

const toParty = ({ address, amount, token }: Movement, { prices, tokens }: Surroundings): Party => {
  const native = { address, amount: String(amount) }
  if (token === undefined) return native
  const known = tokens?.byAddress.get(token)
  if (known === undefined) return { ...native, currency: token }
  return {
    ...native,
    currency: {
      img: known.thumbnail,
      coinId: known.coinId,
      address: known.address,
      decimals: known.decimals,
      price: prices.found.get(known.coinId)?.usd ?? null,
      symbol: known.symbol.toLowerCase()
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
        const known = token === undefined ? undefined : tokens?.byAddress.get(token)
        return known === undefined ? [] : [known.coinId]
      })
    )
  )
]
