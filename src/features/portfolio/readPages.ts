import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Transaction } from "../../domain/Transaction.ts"
import type { AddressRead } from "../balances/readAddresses.ts"
import type { History } from "../history/History.ts"
import type { NetworkHistory } from "../history/NetworkHistory.ts"

/** Transactions of a page, and pages of an address at most: what is older than those is not known. */
const [pageSize, maxPages] = [500, 6] as const

/** What has been read of a history so far. */
export interface Pages {
  readonly transactions: Array<Transaction>
  readonly missing: Set<string>
  /** Whether the last of them is the first of the address. */
  ended: boolean
}

/** What histories report about what is older than what they have: it is no reason to doubt the rest. */
export const isOlder = (text: string) => /^older |^transactions before /.test(text)

/** Reads the transactions of an address since a time (ms) within `within` ms. Cannot fail. */
export const readPages = (
  history: History["Type"],
  { network, text }: AddressRead,
  start: number,
  within: number
): Effect.Effect<Pages> =>
  Effect.gen(function* () {
    const pages: Pages = { transactions: [], missing: new Set(), ended: false }
    const end = (yield* Clock.currentTimeMillis) + within
    const wanted = { [network.facts.id]: [text] }
    let cursor: string | undefined
    for (let count = 0; count < maxPages; count++) {
      const texts = cursor === undefined ? {} : { [network.facts.id]: { [text]: cursor } }
      const cursors = Option.getOrUndefined(yield* Effect.option(history.cursors(wanted, texts)))
      const [first] = yield* history.transactions(wanted, pageSize, cursors, end - (yield* Clock.currentTimeMillis))
      const page: NetworkHistory | undefined = first?.histories[0]
      if (page === undefined) return pages
      if (page.failure !== undefined && page.transactions.length === 0) {
        pages.missing.add(`${count === 0 ? "" : "older "}transactions: ${page.failure.message}`)
        return pages
      }
      pages.transactions.push(...page.transactions.map(([transaction]) => transaction))
      for (const why of page.missing) pages.missing.add(why)
      const last = page.transactions.at(-1)?.[0].timestamp ?? Number.POSITIVE_INFINITY
      if (page.next === null) {
        pages.ended = page.failure === undefined && !page.missing.some(isOlder)
        return pages
      }
      if (last * 1000 < start) return pages
      cursor = page.next
    }
    pages.missing.add("older transactions: there are too many of them")
    return pages
  })

/** Transactions of which it is not known what they changed. */
export const unclear = ({ transactions }: Pages, { text }: AddressRead): ReadonlyArray<string> => {
  const fees = transactions.filter(
    ({ fee, from, paid }) => fee === null && paid === undefined && from.some(({ address }) => address === text)
  ).length
  const unknown = transactions.filter(({ status }) => status === "Unknown").length
  return [
    ...(fees === 0 ? [] : [`the fees of ${fees} transactions are not known`]),
    ...(unknown === 0 ? [] : [`the results of ${unknown} transactions are not known`])
  ]
}
