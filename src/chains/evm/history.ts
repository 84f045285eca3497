import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import { type Gap, gap, isOpen as isOpenGap, notListed, union } from "../../domain/history/Gap.ts"
import {
  type HistoryPart,
  type HistoryPosition,
  type HistoryQuery,
  isRequested,
  newestFirst
} from "../../domain/Transaction.ts"
import {
  greatest,
  type Height,
  now,
  numberOf,
  type Position,
  position,
  type Seconds,
  shift,
  toSeconds
} from "../../domain/units.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { timeoutFail, timeoutTo } from "../../kernel/timeout.ts"
import { requestDeadline } from "../../settings/variables.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { AbilitySources, ReadFailure } from "../Chain.ts"
import { byBlock, positioned } from "../kit/history/heights.ts"
import { unread, withDecimals } from "../kit/holdings/tokenList.ts"
import * as ExplorerLists from "./history/ExplorerLists.ts"
import { names, pageReader, whatOf } from "./history/ExplorerPages.ts"
import * as ExplorerRow from "./history/ExplorerRow.ts"
import { type ListedTransaction, mergeLists, type NativeTokens } from "./history/ListedTransaction.ts"
import { isDeposit, isPartial, type KnownReceipts, type Receipts, receipts } from "./history/receipts.ts"
import { heightOf, mayBeDeposit, needsReceipt, toTransaction, usedNonces } from "./history/transaction.ts"
import { type Explorer, type Kind, unserved } from "./Provider.ts"
import type { EvmTokens } from "./tokens.ts"

// Does not use mergePaged: explorers cut lists off by block, and pending transactions have neither block nor time.

/** Maximum rows per page that every explorer allows, and rows beyond the limit: of transactions with several transfers. */
const maxRows = 1_000
const extraRows = 100

/** The state of reading a list. */
interface ListState<K extends Kind = Kind> {
  readonly kind: K
  readonly listing: ExplorerLists.Listing<K>
  /** Why it could not be read further. */
  readonly failure: ReadFailure | undefined
  readonly gaps: ReadonlyArray<Gap>
  readonly sources: ReadonlyArray<string>
  readonly provisional: boolean
}

type States = readonly [ListState<"txlist">, ListState<"txlistinternal">, ListState<"tokentx">]

interface ReadLists {
  readonly lists: ReadonlyArray<ListState>
  /** The lists that were read to their end, and their lowest block. */
  readonly ended: ReadonlyMap<string, Position>
  /** Transactions down to the block for which all lists are complete, newest first. */
  readonly found: ReadonlyArray<ListedTransaction>
}

/** The lists of which one names the NFTs that its explorer has on other lists: the first that has not ended. */
const nftBearers = ["tokentx", "txlist", "txlistinternal"] as const

/** Reads the lists of an address concurrently. */
const listReader = (
  explorers: ReadonlyArray<Explorer>,
  nativeTokens: Effect.Effect<NativeTokens>,
  genesisTime: Seconds
) => {
  const readPage = pageReader(explorers, genesisTime)

  /** Adds the next page to a list, or the reason why it could not be read. */
  const advance =
    (address: string, deadline: Deadline.Started, nftBearer: Kind | undefined) =>
    <K extends Kind>(state: ListState<K>): Effect.Effect<ListState<K>> =>
      Effect.gen(function* () {
        const page = yield* readPage(state.kind, address, state.listing.next, state.kind === nftBearer).pipe(
          Effect.mapError(unread),
          timeoutFail({ duration: yield* deadline.remaining("collect"), onTimeout: () => timedOut }),
          Effect.either
        )
        if (Either.isLeft(page)) return { ...state, failure: page.left }
        const { gaps, provisional, source } = page.right
        return {
          ...state,
          listing: ExplorerLists.withPage(state.listing, page.right),
          gaps: [...state.gaps, ...gaps],
          sources: [...state.sources, source],
          provisional: state.provisional || provisional
        }
      })

  /**
   * Reads page by page, always the lists that reach back least, until there are enough transactions, no more pages, or
   * no time left.
   */
  return (
    { address, before, limit, since }: HistoryQuery<Height>,
    deadline: Deadline.Started
  ): Effect.Effect<ReadLists> =>
    Effect.gen(function* () {
      // Pages after the end of the token transfers read only other lists.
      const nftBearer = nftBearers.find((kind) => before?.ended?.includes(kind) !== true)
      const next = advance(address, deadline, nftBearer)
      const native = yield* nativeTokens
      const size = Math.min(maxRows, limit + extraRows)
      const first = <K extends Kind>(kind: K) =>
        before?.ended?.includes(kind) ? Effect.succeed(atEnd(kind)) : next(begin(kind, size, before))
      let lists: States = yield* Effect.all([first("txlist"), first("txlistinternal"), first("tokentx")], {
        concurrency: "unbounded"
      })
      for (;;) {
        const floor = floorOf(lists)
        const found = joined(lists, native, floor)
        const shortest: ReadonlyArray<ListState> = lists.filter(
          (list) => isOpen(list, since) && list.listing.completeFrom === floor
        )
        if (found.length > limit || shortest.length === 0 || shortest.some(({ failure }) => failure !== undefined))
          return { lists, found, ended: endsOf(lists) }
        const further = <K extends Kind>(list: ListState<K>) =>
          shortest.includes(list) ? next(list) : Effect.succeed(list)
        const [own, internal, tokens] = lists
        lists = yield* Effect.all([further(own), further(internal), further(tokens)], { concurrency: "unbounded" })
      }
    })
}

/** Whether a list has more pages with wanted rows. */
const isOpen = ({ listing, sources }: ListState, since = ExplorerLists.ended.reached): boolean =>
  sources.length > 0 && listing.completeFrom > ExplorerLists.ended.completeFrom && listing.reached >= since

const begin = <K extends Kind>(kind: K, size: number, before: HistoryPosition<Height> | undefined): ListState<K> => ({
  kind,
  listing: {
    ...ExplorerLists.emptyListing,
    next: { ...(before === undefined ? {} : { end: before.height }), page: 1, size }
  },
  failure: undefined,
  gaps: [],
  sources: [],
  provisional: false
})

/** A list without older rows than those of the pages before. */
const atEnd = <K extends Kind>(kind: K): ListState<K> => {
  const state = begin(kind, 0, undefined)
  return { ...state, listing: { ...state.listing, ...ExplorerLists.ended } }
}

const endsOf = (lists: ReadonlyArray<ListState>) =>
  new Map(
    lists
      .filter(
        ({ failure, gaps, listing }) =>
          listing.completeFrom === ExplorerLists.ended.completeFrom && failure === undefined && !isOpenGap(gaps)
      )
      .map(({ kind, listing: { rows } }) => {
        const last = rows.at(-1)
        const lowest = (last && ExplorerRow.blockOf(last)) ?? ExplorerLists.unlimited
        return [kind, position(numberOf(lowest))]
      })
  )

/** The oldest block for which all readable lists are complete; a list that could not be read at all is ignored. */
const floorOf = (lists: ReadonlyArray<ListState>): Height =>
  greatest(
    ExplorerLists.ended.completeFrom,
    ...lists.filter(({ sources }) => sources.length > 0).map(({ listing }) => listing.completeFrom)
  )

const joined = ([own, internal, tokens]: States, native: NativeTokens, floor: Height) =>
  mergeLists(
    { txlist: own.listing.rows, txlistinternal: internal.listing.rows, tokentx: tokens.listing.rows },
    native
  ).filter(({ block }) => block === undefined || block >= floor)

const timedOut: ReadFailure = { reason: "timeout", message: "timed out" }

/** Maximum cached receipts of final transactions. */
const capacity = 2_000

/** Reads receipts from nodes and caches those of final transactions. Cannot fail. */
const finalReceipts =
  (nodes: Upstream, { dataFee, finality }: EvmFacts, final: BoundedMap.BoundedMap<string, KnownReceipts>) =>
  (
    unclear: ReadonlyArray<ListedTransaction>,
    holder: string,
    clock: Seconds,
    deadline: Deadline.Started
  ): Effect.Effect<Receipts> =>
    Effect.gen(function* () {
      const found = new Map<string, KnownReceipts>()
      for (const { hash } of unclear) {
        const known = final.get(hash)
        if (known !== undefined) found.set(hash, known)
      }
      const missing = unclear.filter(({ hash }) => !found.has(hash))
      const perhapsDeposits = missing.filter((transaction) => mayBeDeposit(transaction, { dataFee, holder }))
      const read = yield* receipts(nodes, missing, perhapsDeposits.map(hashOf), dataFee).pipe(
        timeoutTo({
          duration: yield* deadline.remaining("collect"),
          onTimeout: (): Effect.Effect<Receipts> => Effect.succeed({ found: new Map(), failure: "timed out" })
        })
      )
      for (const { at = clock, hash } of missing) {
        const known = read.found.get(hash)
        if (known === undefined) continue
        found.set(hash, known)
        if (at < shift(clock, -finality) && isWhole(known, dataFee)) final.set(hash, known)
      }
      return { found, failure: read.failure }
    })

const hashOf = ({ hash }: ListedTransaction) => hash

/** A deposit is complete with its amount, which is looked up only for its sender. */
const isWhole = (known: KnownReceipts, dataFee: EvmFacts["dataFee"]) =>
  isDeposit(known) ? known.minted !== undefined : !isPartial(known, dataFee)

/**
 * Maximum transactions of a response (the newest) that are looked up at a node if the explorer's rows are incomplete.
 */
const maxReceipts = 500

/**
 * The history of a network's addresses. Explorers have separate lists of an address's own transactions, of value that
 * contracts moved, and of tokens, each cut off at another block. Blocks that are not on all lists are left out.
 */
export const histories = (
  facts: EvmFacts,
  nodes: Upstream,
  explorers: ReadonlyArray<Explorer>,
  tokens: Pick<EvmTokens, "confirm" | "confirmDecimals" | "list" | "native">
) =>
  Effect.gen(function* () {
    const time = Deadline.make(yield* requestDeadline)
    const read = listReader(explorers, tokens.native, facts.genesisTime)
    const lookUp = finalReceipts(nodes, facts, yield* BoundedMap.sized<KnownReceipts>("receipts", capacity))
    const names = explorers.map(({ name }) => name)
    const off = unserved(facts, explorers)
    const { blobsSince, dataFee, wrapped } = facts

    const history = (query: HistoryQuery<Height>): Effect.Effect<HistoryPart, ReadFailure> =>
      Effect.gen(function* () {
        if (off !== undefined) return yield* Effect.fail(off)
        const { address: holder, before, limit, since } = query
        const isWanted = isRequested(query)
        const clock = toSeconds(yield* now)
        const deadline = yield* time.start
        const { ended, found, lists } = yield* read(query, deadline)
        yield* tokens.confirmDecimals(found.flatMap((transaction) => transaction.tokens))
        const failure = failureOf(lists)
        if (failure !== undefined) return yield* Effect.fail(failure)
        const recent = found.filter(
          ({ at, block, hash, isContradictory }) =>
            !isContradictory &&
            isWanted(hash, block === undefined ? undefined : (at ?? clock)) &&
            (before === undefined || (block !== undefined && block <= before.height))
        )
        const wanted = recent.slice(0, limit)
        const unclear = wanted
          .filter((transaction) => needsReceipt(transaction, { blobsSince, dataFee, holder }))
          .slice(0, maxReceipts)
        const known = yield* lookUp(unclear, holder, clock, deadline)
        const isMissingTokens = lists.some(
          (list) => list.kind === "tokentx" && (list.failure !== undefined || isOpenGap(list.gaps))
        )
        const used = usedNonces(found, holder)
        const knowledge = { holder, blobsSince, dataFee, isMissingTokens, wrapped, used, now: clock }
        const transactions = wanted
          .map((transaction) => toTransaction(transaction, known.found.get(transaction.hash), knowledge))
          .sort(newestFirst)
        return {
          transactions,
          provisional: lists.some(({ provisional }) => provisional) && transactions.some(({ fee }) => fee === null),
          more:
            recent.slice(limit).some(({ at = clock }) => since === undefined || at >= since) ||
            lists.some((list) => isOpen(list, since)),
          ended,
          sources: names.filter((name) => lists.some(({ sources }) => sources.includes(name))),
          gaps: union(
            lists.flatMap(({ gaps }) => gaps),
            lists.flatMap(unreadPart),
            found.some(({ isContradictory }) => isContradictory)
              ? [gap("transactions", "transactions whose rows contradict each other")]
              : [],
            // Not final: a node may have them later.
            known.failure === undefined
              ? []
              : [gap("amounts", `fees and results of some transactions: ${known.failure}`)],
            (facts.unlisted ?? []).map((text) => notListed(text))
          )
        }
      }).pipe(span("Evm.history", { attributes: { network: facts.id, limit: query.limit } }))

    const served: AbilitySources = off === undefined ? Either.right(names) : Either.left(off.message)
    return { ...positioned(byBlock(facts, heightOf), withDecimals(history, tokens.list, tokens.confirm)), served }
  })

/** Why no list could be read; undefined if any list was read. */
const failureOf = (lists: ReadonlyArray<ListState>): ReadFailure | undefined =>
  lists.every(({ failure, sources }) => failure !== undefined && sources.length === 0) ? lists[0]?.failure : undefined

/** The part of a list that was not read because of a failure. */
const unreadPart = ({ failure, kind, sources }: ListState): ReadonlyArray<Gap> => {
  if (failure === undefined) return []
  const isWhole = sources.length === 0
  return [gap(isWhole ? whatOf(kind) : "older", `${isWhole ? "" : "older "}${names[kind]}: ${failure.message}`)]
}
