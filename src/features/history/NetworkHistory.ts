import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { ReadFailure } from "../../chains/Chain.ts"
import { heightsOf } from "../../chains/kit/history/heights.ts"
import { type Gap, gap } from "../../domain/history/Gap.ts"
import type { Movement, Transaction } from "../../domain/Transaction.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import { type DisplayContext, unconfirmedIn } from "./entries.ts"
import type { HistoryRead } from "./HistoryPages.ts"
import type { HistoryRequest } from "./HistoryRequest.ts"
import { type Label, labelling } from "./labels.ts"
import * as PageCursor from "./pages/PageCursor.ts"
import { selectPage } from "./pages/selectPage.ts"
import * as Recipients from "./Recipients.ts"

/** Writes the holder's address as the client wrote it; other parties keep the network's spelling. */
const spelled = (transaction: Transaction, isHolder: (party: string) => boolean, text: string): Transaction => {
  const own = (movement: Movement): Movement => (isHolder(movement.address) ? { ...movement, address: text } : movement)
  return { ...transaction, from: transaction.from.map(own), to: transaction.to.map(own) }
}

/** Returns a predicate: is a party the holder, in any spelling? Parses each party once. */
export const recognising = (
  { address }: HistoryRequest["network"],
  holder: HistoryRequest["address"],
  text: string
) => {
  const results = new Map<string, boolean>()
  return (party: string): boolean => {
    const existing = results.get(party)
    if (existing !== undefined) return existing
    const is =
      party === text || Option.exists(Either.getRight(holder), (own) => Either.getOrNull(address(party)) === own)
    results.set(party, is)
    return is
  }
}

/** The history of one address of a request. */
export interface NetworkHistory {
  /** Network and address as the client wrote them. */
  readonly name: string
  readonly text: string
  /** Newest first, each with its labels. */
  readonly transactions: ReadonlyArray<readonly [Transaction, ReadonlyArray<Label>]>
  /**
   * Cursor of the next older page; null at the end of the readable history. If the page could not be read, the cursor
   * of this page, for a retry.
   */
  readonly next: string | null
  readonly surroundings: DisplayContext
  readonly sources: ReadonlyArray<string>
  readonly gaps: ReadonlyArray<Gap>
  /** Missing parts of the entries, of transactions that were read. */
  readonly displayGaps: ReadonlyArray<Gap>
  /** Why the history, or its newest part, could not be read. */
  readonly failure: ReadFailure | undefined
}

/** A request and the result of its read. */
type ReadRequest = HistoryRequest & HistoryRead

/** The transactions of the page, newest first, and the cursor of the next page. */
export const pageOf = ({ address, cursor, cursorText, failure, history, network }: ReadRequest, count: number) => {
  if (history === undefined || Either.isLeft(address))
    return { transactions: [], next: failure === undefined ? null : (cursorText ?? null), gaps: [] }
  const { gaps, next, transactions } = selectPage(history, cursor, count, heightsOf(network))
  const owner = { network: network.facts.id, address: address.right }
  return {
    transactions,
    next: next === undefined ? null : PageCursor.toText(owner, next),
    gaps
  }
}

/**
 * All recipients of the holder that are known with this read (`all`), and those to store: without those of unknown
 * tokens, whose contracts can emit transfers in the name of any address.
 */
export const recipientsWith = (
  { address, history, network, text }: ReadRequest,
  before: ReadonlyArray<Recipients.Recipient>,
  tokens: TokenList | undefined
) => {
  const isHolder = recognising(network, address, text)
  if (history === undefined) return { isHolder, all: before, stored: before }
  const all = Recipients.joined(before, Recipients.recipientsOf(history.transactions, isHolder))
  const known = new Set(before)
  // Without the list of tokens, those that were stored with it remain.
  const isTrusted = (recipient: Recipients.Recipient) =>
    recipient.token === undefined ||
    (tokens === undefined ? known.has(recipient) : tokens.byAddress.has(recipient.token))
  return { isHolder, all, stored: all.filter(isTrusted) }
}

/** A page of a history, with labels that are computed from all recipients that are known. */
export const toNetworkHistory = (
  { failure, history, name, network, text }: ReadRequest,
  page: ReturnType<typeof pageOf>,
  { all, isHolder }: ReturnType<typeof recipientsWith>,
  surroundings: DisplayContext
): NetworkHistory => {
  const { tokens } = surroundings
  const label = labelling(
    all,
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
    gaps: [...(history?.gaps ?? [gap("transactions", failure?.message ?? "")]), ...page.gaps],
    displayGaps: unconfirmedIn(page.transactions, tokens),
    failure
  }
}
