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
import { type Joined, join, type Lists } from "./joined.ts"
import * as Pages from "./Pages.ts"
import { isDeposit, type KnownReceipts, type Receipts, receipts } from "./receipts.ts"
import { isPerhapsDeposit, isUnclear, toTransaction } from "./transaction.ts"

/** Every explorer grants pages of so many rows. */
const mostRows = 1_000

/** So many transactions of an answer, the newest, are looked up at a node where the explorer leaves something open. */
const mostReceipts = 500

/** Receipts of final transactions that are not read again. */
const finalReceipts = 2_000

interface State<K extends ExplorerWire.Kind> {
  readonly kind: K
  readonly listing: ExplorerLists.Listing<K>
  /** Why it does not go on. */
  readonly failure: Unread | undefined
  readonly lacks: ReadonlyArray<string>
  readonly unavailable: ReadonlyArray<string>
  readonly sources: ReadonlyArray<string>
}

/**
 * The history of a network's addresses: an address's own transactions, the value that contracts moved and its tokens come
 * from explorers as lists of their own, each cut off elsewhere. Nothing is told of blocks that are not on all of them.
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
      <K extends ExplorerWire.Kind>(state: State<K>): Effect.Effect<State<K>> =>
        Effect.gen(function* () {
          const left = until - (yield* Clock.currentTimeMillis)
          const told = yield* ask(state.kind, address, size, state.listing.next).pipe(
            Effect.mapError(unread),
            timeoutFail({ duration: Math.max(left, 0), onTimeout: () => late }),
            Effect.either
          )
          if (Either.isLeft(told)) return { ...state, failure: told.left }
          const { lacks, source, unavailable } = told.right
          return {
            ...state,
            listing: ExplorerLists.after(state.listing, told.right),
            lacks: [...state.lacks, ...lacks],
            unavailable: [...state.unavailable, ...unavailable],
            sources: [...state.sources, source]
          }
        })

    /** Page by page, always of the lists that are the shortest, until there is enough, or no more, or no time. */
    const lists = ({ address, limit, since }: HistoryQuery, until: number) =>
      Effect.gen(function* () {
        const next = advance(address, Math.min(mostRows, Math.max(100, 2 * limit)), until)
        let [own, internal, tokens] = yield* Effect.all(
          [next(begin("txlist")), next(begin("txlistinternal")), next(begin("tokentx"))],
          {
            concurrency: "unbounded"
          }
        )
        for (;;) {
          const all = [own, internal, tokens]
          const floor = floorOf(all)
          const isShort = (item: State<ExplorerWire.Kind>) =>
            isOpen(item, since) && item.failure === undefined && item.listing.floor === floor
          const found = joined([own, internal, tokens], info, floor)
          const stuck = all.some(
            (element) => isOpen(element, since) && element.failure !== undefined && element.listing.floor === floor
          )
          if (found.length > limit || stuck || !all.some(isShort)) return { all, found }
          const again = <K extends ExplorerWire.Kind>(current: State<K>) =>
            isShort(current) ? next(current) : Effect.succeed(current)
          ;[own, internal, tokens] = yield* Effect.all([again(own), again(internal), again(tokens)], {
            concurrency: "unbounded"
          })
        }
      })

    /** What nodes say of transactions; what is final is not asked for again. */
    const lookUp = (unclear: ReadonlyArray<Joined>, holder: string, now: number, until: number) =>
      Effect.gen(function* () {
        const found = new Map<string, KnownReceipts>()
        for (const { hash } of unclear) {
          const known = final.get(hash)
          if (known !== undefined) found.set(hash, known)
        }
        const asked = unclear.filter(({ hash }) => !found.has(hash))
        const left = until - (yield* Clock.currentTimeMillis)
        const told = yield* receipts(
          nodes,
          asked.map(({ hash }) => hash),
          asked.filter((one) => isPerhapsDeposit(one, { dataFee, holder })).map(({ hash }) => hash)
        ).pipe(
          timeoutTo({
            duration: Math.max(left, 0),
            onTimeout: (): Effect.Effect<Receipts> => Effect.succeed({ found: new Map(), failure: "timed out" })
          })
        )
        for (const { at = now, hash } of asked) {
          const known = told.found.get(hash)
          if (known === undefined) continue
          found.set(hash, known)
          if (at < now - info.finality && isWhole(known)) final.set(hash, known)
        }
        return { found, failure: told.failure }
      })

    const history = (question: HistoryQuery): Effect.Effect<HistoryPart, Unread> =>
      Effect.gen(function* () {
        if (off !== undefined) return yield* Effect.fail(off)
        const { address: holder, limit, since } = question
        const start = yield* Clock.currentTimeMillis
        const until = start + historyTime
        const { all, found } = yield* lists(question, until)
        const failed = all.flatMap((one) => (one.failure === undefined ? [] : [{ ...one, failure: one.failure }]))
        const [first] = failed
        if (first !== undefined && failed.length === all.length && failed.every(({ sources }) => sources.length === 0))
          return yield* Effect.fail(first.failure)
        const now = Math.floor(start / 1000)
        const recent = found.filter(
          ({ at, block }) => since === undefined || block === undefined || (at ?? now) >= since
        )
        const wanted = recent.slice(0, limit)
        const unclear = wanted.filter((one) => isUnclear(one, { dataFee, holder })).slice(0, mostReceipts)
        const known = yield* lookUp(unclear, holder, now, until)
        const knowledge = { holder, dataFee, used: usedNonces(found, holder), now }
        return {
          transactions: wanted.map((one) => toTransaction(one, known.found.get(one.hash), knowledge)).sort(newestFirst),
          more: recent.length > limit || all.some((one) => isOpen(one, since)),
          sources: names.filter((name) => all.some(({ sources }) => sources.includes(name))),
          missing: [
            ...new Set([
              ...all.flatMap(({ lacks }) => lacks),
              ...failed.map(missing),
              // Not to be remembered like this: later a node may know.
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
      }).pipe(span("Evm.history", { attributes: { network: info.id, limit: question.limit } }))

    const served: Served = off === undefined ? Either.right(names) : Either.left(off.message)
    return { history, served }
  })

/** What a deposit brings is looked up for its sender alone. */
const isWhole = (known: KnownReceipts) => !isDeposit(known) || known.minted !== undefined

const begin = <K extends ExplorerWire.Kind>(kind: K): State<K> => ({
  kind,
  listing: ExplorerLists.nothing,
  failure: undefined,
  lacks: [],
  unavailable: [],
  sources: []
})

/** The oldest block of which all is there that can be had: a list of which nothing could be had holds nothing back. */
const floorOf = (all: ReadonlyArray<State<ExplorerWire.Kind>>): number =>
  Math.max(0, ...all.filter(({ sources }) => sources.length > 0).map(({ listing }) => listing.floor))

/** Whether a list goes on, with what is wanted. */
const isOpen = ({ listing, sources }: State<ExplorerWire.Kind>, since = 0): boolean =>
  sources.length > 0 && listing.floor > 0 && listing.reached >= since

type States = { readonly [K in ExplorerWire.Kind]: State<K> }

const joined = (
  [own, internal, tokens]: readonly [States["txlist"], States["txlistinternal"], States["tokentx"]],
  { mirrors }: EvmFacts,
  floor: number
): ReadonlyArray<Joined> => {
  const lists: Lists = {
    txlist: own.listing.rows,
    txlistinternal: internal.listing.rows,
    tokentx: tokens.listing.rows
  }
  return join(lists, mirrors).filter(({ block }) => block === undefined || block >= floor)
}

const usedNonces = (found: ReadonlyArray<Joined>, holder: string): ReadonlySet<string> =>
  new Set(
    found.flatMap(({ block, own }) =>
      own?.nonce && block !== undefined && own.from.toLowerCase() === holder ? [own.nonce] : []
    )
  )

const missing = ({ failure, kind, sources }: State<ExplorerWire.Kind> & { readonly failure: Unread }) =>
  sources.length === 0 ? `${Pages.nameOf(kind)}: ${failure.message}` : `older ${Pages.nameOf(kind)}: ${failure.message}`

const late: Unread = { reason: "timeout", message: "timed out" }
