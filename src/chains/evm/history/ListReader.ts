import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { HistoryPosition, HistoryQuery } from "../../../domain/Transaction.ts"
import type * as Deadline from "../../../kernel/Deadline.ts"
import { timeoutFail } from "../../../kernel/timeout.ts"
import type { ReadFailure } from "../../Chain.ts"
import { unread } from "../../tokenList.ts"
import * as ExplorerLists from "./ExplorerLists.ts"
import type { Explorer } from "./Explorers.ts"
import * as ExplorerWire from "./ExplorerWire.ts"
import { type ListedTransaction, mergeLists } from "./ListedTransaction.ts"
import * as Pages from "./Pages.ts"

// Does not use mergePaged: explorers cut lists off by block, and pending transactions have neither block nor time.

/** Maximum rows per page that every explorer allows, and rows beyond the limit: of transactions with several transfers. */
const maxRows = 1_000
const extraRows = 100

/** The state of reading a list. */
export interface ListState<K extends ExplorerWire.Kind = ExplorerWire.Kind> {
  readonly kind: K
  readonly listing: ExplorerLists.Listing<K>
  /** Why it could not be read further. */
  readonly failure: ReadFailure | undefined
  readonly missing: ReadonlyArray<string>
  readonly unavailable: ReadonlyArray<string>
  readonly sources: ReadonlyArray<string>
}

type States = readonly [ListState<"txlist">, ListState<"txlistinternal">, ListState<"tokentx">]

export interface ReadLists {
  readonly lists: ReadonlyArray<ListState>
  /** The lists that were read to their end, and their lowest block. */
  readonly ended: ReadonlyMap<string, number>
  /** Transactions down to the block for which all lists are complete, newest first. */
  readonly found: ReadonlyArray<ListedTransaction>
}

/** Reads the lists of an address concurrently. */
export const make = (explorers: ReadonlyArray<Explorer>, mirrors: ReadonlyArray<string> | undefined) => {
  const readPage = Pages.make(explorers)

  /** Adds the next page to a list, or the reason why it could not be read. */
  const advance =
    (address: string, deadline: Deadline.Started) =>
    <K extends ExplorerWire.Kind>(state: ListState<K>): Effect.Effect<ListState<K>> =>
      Effect.gen(function* () {
        const page = yield* readPage(state.kind, address, state.listing.next).pipe(
          Effect.mapError(unread),
          timeoutFail({ duration: yield* deadline.remaining("collect"), onTimeout: () => timedOut }),
          Effect.either
        )
        if (Either.isLeft(page)) return { ...state, failure: page.left }
        const { missing, source, unavailable } = page.right
        return {
          ...state,
          listing: ExplorerLists.withPage(state.listing, page.right),
          missing: [...state.missing, ...missing],
          unavailable: [...state.unavailable, ...unavailable],
          sources: [...state.sources, source]
        }
      })

  /**
   * Reads page by page, always the lists that reach back least, until there are enough transactions, no more pages, or
   * no time left.
   */
  return ({ address, before, limit, since }: HistoryQuery, deadline: Deadline.Started): Effect.Effect<ReadLists> =>
    Effect.gen(function* () {
      const next = advance(address, deadline)
      const size = Math.min(maxRows, limit + extraRows)
      const first = <K extends ExplorerWire.Kind>(kind: K) =>
        before?.ended?.includes(kind) ? Effect.succeed(atEnd(kind)) : next(begin(kind, size, before))
      let lists: States = yield* Effect.all([first("txlist"), first("txlistinternal"), first("tokentx")], {
        concurrency: "unbounded"
      })
      for (;;) {
        const floor = floorOf(lists)
        const found = joined(lists, mirrors, floor)
        const shortest: ReadonlyArray<ListState> = lists.filter(
          (list) => isOpen(list, since) && list.listing.completeFrom === floor
        )
        if (found.length > limit || shortest.length === 0 || shortest.some(({ failure }) => failure !== undefined))
          return { lists, found, ended: endsOf(lists) }
        const further = <K extends ExplorerWire.Kind>(list: ListState<K>) =>
          shortest.includes(list) ? next(list) : Effect.succeed(list)
        const [own, internal, tokens] = lists
        lists = yield* Effect.all([further(own), further(internal), further(tokens)], { concurrency: "unbounded" })
      }
    })
}

/** Whether a list has more pages with wanted rows. */
export const isOpen = ({ listing, sources }: ListState, since = 0): boolean =>
  sources.length > 0 && listing.completeFrom > 0 && listing.reached >= since

const begin = <K extends ExplorerWire.Kind>(
  kind: K,
  size: number,
  before: HistoryPosition | undefined
): ListState<K> => ({
  kind,
  listing: {
    ...ExplorerLists.emptyListing,
    next: { ...(before === undefined ? {} : { end: before.height }), page: 1, size }
  },
  failure: undefined,
  missing: [],
  unavailable: [],
  sources: []
})

/** A list without older rows than those of the pages before. */
const atEnd = <K extends ExplorerWire.Kind>(kind: K): ListState<K> => {
  const state = begin(kind, 0, undefined)
  return { ...state, listing: { ...state.listing, completeFrom: 0, reached: 0 } }
}

const endsOf = (lists: ReadonlyArray<ListState>) =>
  new Map(
    lists
      .filter(
        ({ failure, listing, missing }) => listing.completeFrom === 0 && failure === undefined && missing.length === 0
      )
      .map(({ kind, listing: { rows } }) => {
        const last = rows.at(-1)
        return [kind, (last && ExplorerWire.blockOf(last)) ?? Number.POSITIVE_INFINITY]
      })
  )

/** The oldest block for which all readable lists are complete; a list that could not be read at all is ignored. */
const floorOf = (lists: ReadonlyArray<ListState>): number =>
  Math.max(0, ...lists.filter(({ sources }) => sources.length > 0).map(({ listing }) => listing.completeFrom))

const joined = ([own, internal, tokens]: States, mirrors: ReadonlyArray<string> | undefined, floor: number) =>
  mergeLists(
    { txlist: own.listing.rows, txlistinternal: internal.listing.rows, tokentx: tokens.listing.rows },
    mirrors
  ).filter(({ block }) => block === undefined || block >= floor)

const timedOut: ReadFailure = { reason: "timeout", message: "timed out" }
