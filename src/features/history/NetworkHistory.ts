import * as Either from "effect/Either"
import type { Unread } from "../../chains/Chain.ts"
import { newestFirst, type Transaction } from "../../domain/Transaction.ts"
import type { Surroundings } from "./entries.ts"
import type { HistoryRead } from "./HistoryPages.ts"
import type { HistoryRequest } from "./HistoryRequest.ts"
import { recognising, spelled } from "./holder.ts"
import { type Label, labelling } from "./labels.ts"
import * as PageCursor from "./pages/PageCursor.ts"
import { selectPage } from "./pages/selectPage.ts"

/** The history of one address of a request. */
export interface NetworkHistory {
  /** Network and address as the client wrote them. */
  readonly name: string
  readonly text: string
  /** Newest first, each with its labels. */
  readonly transactions: ReadonlyArray<readonly [Transaction, ReadonlyArray<Label>]>
  /**
   * The cursor of the page with what is older; null at the end of what can be read. Where the page could not be read it is
   * that of the page itself, to try again.
   */
  readonly next: string | null
  readonly surroundings: Surroundings
  readonly sources: ReadonlyArray<string>
  readonly missing: ReadonlyArray<string>
  /** Why nothing, or nothing new, could be read. */
  readonly failure: Unread | undefined
}

/** A request and what was read for it. */
type ReadRequest = HistoryRequest & HistoryRead

/** What is shown of a history that was read, the newest first, and how to go on. */
export const pageOf = ({ address, cursor, cursorText, failure, history, network }: ReadRequest, count: number) => {
  if (history === undefined || Either.isLeft(address))
    return { transactions: [], next: failure === undefined ? null : (cursorText ?? null), missing: [] }
  const { missing, next, transactions } = selectPage(history, cursor, count, network.heights)
  const owner = { network: network.facts.id, address: address.right }
  return {
    transactions: [...transactions].sort(newestFirst),
    next: next === undefined ? null : PageCursor.toText(owner, next),
    missing
  }
}

/** A page of a history that was read, with the labels that follow from all of it. */
export const toNetworkHistory = (
  { address, failure, history, name, network, text }: ReadRequest,
  page: ReturnType<typeof pageOf>,
  surroundings: Surroundings
): NetworkHistory => {
  const { tokens } = surroundings
  const isHolder = recognising(network, address, text)
  const label = labelling(
    history?.transactions ?? [],
    isHolder,
    tokens === undefined ? undefined : (token) => tokens.byAddress.has(token),
    network.facts.addressPrefixes
  )
  return {
    name,
    text,
    transactions: page.transactions.map((transaction) => [spelled(transaction, isHolder, text), label(transaction)]),
    next: page.next,
    surroundings,
    sources: history?.sources ?? [],
    missing: [...(history?.missing ?? [failure?.message ?? ""]), ...page.missing],
    failure
  }
}
