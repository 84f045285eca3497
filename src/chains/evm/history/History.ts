import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { EvmFacts } from "../../../catalogue/EvmFacts.ts"
import { type HistoryPart, type HistoryQuery, newestFirst } from "../../../domain/Transaction.ts"
import * as BoundedMap from "../../../kernel/BoundedMap.ts"
import * as Deadline from "../../../kernel/Deadline.ts"
import { span } from "../../../kernel/span.ts"
import { timeoutFail, timeoutTo } from "../../../kernel/timeout.ts"
import { requestDeadline } from "../../../settings/Deadline.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { Served, Unread } from "../../Chain.ts"
import { unread } from "../../tokenList.ts"
import * as ExplorerLists from "./ExplorerLists.ts"
import { type Explorer, unserved } from "./Explorers.ts"
import type * as ExplorerWire from "./ExplorerWire.ts"
import { type ListedTransaction, type Lists, mergeLists } from "./ListedTransaction.ts"
import * as Pages from "./Pages.ts"
import { isDeposit, type KnownReceipts, type Receipts, receipts } from "./receipts.ts"
import { isPerhapsDeposit, isUnclear, toTransaction } from "./transaction.ts"

/** Rows in a page that every explorer allows. */
const maxRows = 1_000

/** Transactions of one response, the newest, that are looked up at a node where the explorer's rows are incomplete. */
const maxReceipts = 500

/** Receipts of final transactions that are cached. */
const finalReceipts = 2_000

interface ListState<K extends ExplorerWire.Kind> {
  readonly kind: K
  readonly listing: ExplorerLists.Listing<K>
  /** Why it could not be read further. */
  readonly failure: Unread | undefined
  readonly missing: ReadonlyArray<string>
  readonly unavailable: ReadonlyArray<string>
  readonly sources: ReadonlyArray<string>
}

/**
 * The history of a network's addresses: an address's own transactions, the value that contracts moved and its tokens
 * are separate lists of explorers, each cut off at another block. Blocks that are not on all of them are left out.
 */
export const make = (info: EvmFacts, nodes: Upstream, explorers: ReadonlyArray<Explorer>) =>
  Effect.gen(function* () {
    const historyTime = Deadline.make(yield* requestDeadline).share("collect")
    const ask = Pages.make(explorers)
    const names = explorers.map(({ name }) => name)
    const off = unserved(info, explorers)
    const { dataFee } = info
    const final = BoundedMap.sized<KnownReceipts>(finalReceipts)

    const advance =
      (address: string, size: number, until: number) =>
      <K extends ExplorerWire.Kind>(state: ListState<K>): Effect.Effect<ListState<K>> =>
        Effect.gen(function* () {
          const left = until - (yield* Clock.currentTimeMillis)
          const page = yield* ask(state.kind, address, size, state.listing.next).pipe(
            Effect.mapError(unread),
            timeoutFail({ duration: Math.max(left, 0), onTimeout: () => timedOut }),
            Effect.either
          )
          if (Either.isLeft(page)) return { ...state, failure: page.left }
          const { missing, source, unavailable } = page.right
          return {
            ...state,
            listing: ExplorerLists.after(state.listing, page.right),
            missing: [...state.missing, ...missing],
            unavailable: [...state.unavailable, ...unavailable],
            sources: [...state.sources, source]
          }
        })

    /**
     * Reads page by page, always the lists that reach least far, until there are enough transactions, no more pages, or
     * no time left.
     */
    const lists = ({ address, limit, since }: HistoryQuery, until: number) =>
      Effect.gen(function* () {
        const next = advance(address, Math.min(maxRows, Math.max(100, 2 * limit)), until)
        let [own, internal, tokens] = yield* Effect.all(
          [next(begin("txlist")), next(begin("txlistinternal")), next(begin("tokentx"))],
          {
            concurrency: "unbounded"
          }
        )
        for (;;) {
          const all = [own, internal, tokens]
          const floor = floorOf(all)
          const isShort = (item: ListState<ExplorerWire.Kind>) =>
            isOpen(item, since) && item.failure === undefined && item.listing.floor === floor
          const found = joined([own, internal, tokens], info, floor)
          const stuck = all.some(
            (element) => isOpen(element, since) && element.failure !== undefined && element.listing.floor === floor
          )
          if (found.length > limit || stuck || !all.some(isShort)) return { all, found }
          const again = <K extends ExplorerWire.Kind>(current: ListState<K>) =>
            isShort(current) ? next(current) : Effect.succeed(current)
          ;[own, internal, tokens] = yield* Effect.all([again(own), again(internal), again(tokens)], {
            concurrency: "unbounded"
          })
        }
      })

    /** Receipts from nodes; those of final transactions are read once. */
    const lookUp = (unclear: ReadonlyArray<ListedTransaction>, holder: string, now: number, until: number) =>
      Effect.gen(function* () {
        const found = new Map<string, KnownReceipts>()
        for (const { hash } of unclear) {
          const known = final.get(hash)
          if (known !== undefined) found.set(hash, known)
        }
        const missing = unclear.filter(({ hash }) => !found.has(hash))
        const left = until - (yield* Clock.currentTimeMillis)
        const read = yield* receipts(
          nodes,
          missing.map(({ hash }) => hash),
          missing.filter((item) => isPerhapsDeposit(item, { dataFee, holder })).map(({ hash }) => hash)
        ).pipe(
          timeoutTo({
            duration: Math.max(left, 0),
            onTimeout: (): Effect.Effect<Receipts> => Effect.succeed({ found: new Map(), failure: "timed out" })
          })
        )
        for (const { at = now, hash } of missing) {
          const known = read.found.get(hash)
          if (known === undefined) continue
          found.set(hash, known)
          if (at < now - info.finality && isWhole(known)) final.set(hash, known)
        }
        return { found, failure: read.failure }
      })

    const history = (query: HistoryQuery): Effect.Effect<HistoryPart, Unread> =>
      Effect.gen(function* () {
        if (off !== undefined) return yield* Effect.fail(off)
        const { address: holder, limit, since } = query
        const start = yield* Clock.currentTimeMillis
        const until = start + historyTime
        const { all, found } = yield* lists(query, until)
        const failed = all.flatMap((item) => (item.failure === undefined ? [] : [{ ...item, failure: item.failure }]))
        const [first] = failed
        if (first !== undefined && failed.length === all.length && failed.every(({ sources }) => sources.length === 0))
          return yield* Effect.fail(first.failure)
        const now = Math.floor(start / 1000)
        const recent = found.filter(
          ({ at, block }) => since === undefined || block === undefined || (at ?? now) >= since
        )
        const wanted = recent.slice(0, limit)
        const unclear = wanted.filter((item) => isUnclear(item, { dataFee, holder })).slice(0, maxReceipts)
        const known = yield* lookUp(unclear, holder, now, until)
        const knowledge = { holder, dataFee, used: usedNonces(found, holder), now }
        return {
          transactions: wanted
            .map((item) => toTransaction(item, known.found.get(item.hash), knowledge))
            .sort(newestFirst),
          more: recent.length > limit || all.some((item) => isOpen(item, since)),
          sources: names.filter((name) => all.some(({ sources }) => sources.includes(name))),
          missing: [
            ...new Set([
              ...all.flatMap(({ missing }) => missing),
              ...failed.map(missing),
              // Not `unavailable`: later a node may have them.
              ...(known.failure === undefined ? [] : [`fees and results of some transactions: ${known.failure}`])
            ])
          ],
          unavailable: [
            ...new Set([
              ...(info.withdrawals ? ["beacon chain withdrawals"] : []),
              ...all.flatMap(({ unavailable }) => unavailable)
            ])
          ]
        }
      }).pipe(span("Evm.history", { attributes: { network: info.id, limit: query.limit } }))

    const served: Served = off === undefined ? Either.right(names) : Either.left(off.message)
    return { history, served }
  })

/** The amount of a deposit is looked up for its sender alone. */
const isWhole = (known: KnownReceipts) => !isDeposit(known) || known.minted !== undefined

const begin = <K extends ExplorerWire.Kind>(kind: K): ListState<K> => ({
  kind,
  listing: ExplorerLists.nothing,
  failure: undefined,
  missing: [],
  unavailable: [],
  sources: []
})

/** The oldest block for which all readable lists are complete; a list that could not be read at all is ignored. */
const floorOf = (all: ReadonlyArray<ListState<ExplorerWire.Kind>>): number =>
  Math.max(0, ...all.filter(({ sources }) => sources.length > 0).map(({ listing }) => listing.floor))

/** Whether a list has more pages with wanted rows. */
const isOpen = ({ listing, sources }: ListState<ExplorerWire.Kind>, since = 0): boolean =>
  sources.length > 0 && listing.floor > 0 && listing.reached >= since

type States = { readonly [K in ExplorerWire.Kind]: ListState<K> }

const joined = (
  [own, internal, tokens]: readonly [States["txlist"], States["txlistinternal"], States["tokentx"]],
  { mirrors }: EvmFacts,
  floor: number
): ReadonlyArray<ListedTransaction> => {
  const lists: Lists = {
    txlist: own.listing.rows,
    txlistinternal: internal.listing.rows,
    tokentx: tokens.listing.rows
  }
  return mergeLists(lists, mirrors).filter(({ block }) => block === undefined || block >= floor)
}

const usedNonces = (found: ReadonlyArray<ListedTransaction>, holder: string): ReadonlySet<string> =>
  new Set(
    found.flatMap(({ block, own }) =>
      own?.nonce && block !== undefined && own.from.toLowerCase() === holder ? [own.nonce] : []
    )
  )

const missing = ({ failure, kind, sources }: ListState<ExplorerWire.Kind> & { readonly failure: Unread }) =>
  sources.length === 0 ? `${Pages.nameOf(kind)}: ${failure.message}` : `older ${Pages.nameOf(kind)}: ${failure.message}`

const timedOut: Unread = { reason: "timeout", message: "timed out" }
