import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { polkadot } from "../../catalogue/polkadot.ts"
import type { HistoryPart, HistoryQuery, Transaction } from "../../domain/Transaction.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import * as declare from "../../settings/declare.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Budget from "../../upstream/budget/Budget.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import {
  concerns,
  idOf,
  nameOf,
  orderOf,
  type SubscanChain,
  type SubscanRows,
  toTransaction,
  unknownAmounts
} from "./history.ts"
import * as PolkadotAddress from "./PolkadotAddress.ts"
import { inIndexer } from "./RawTransactions.ts"
import * as SubscanWire from "./SubscanWire.ts"

// Subscan API v2 (support.subscan.io): transfers and extrinsics of Asset Hub, and of the relay chain until November
// 2025. It requires a key, and each chain has its own host.

// Reads the two lists of an account on each chain, transfers and extrinsics, page by page, and joins them.

/** The page limit. */
const pageSize = 100

/** The part of a list that was read, newest first. */
interface SubscanList<A> {
  readonly rows: ReadonlyArray<A>
  readonly page: number
  /** True if no further page will be read, because the list ended or because of `fault`. */
  readonly done: boolean
  readonly fault?: UpstreamError
  /** The total number of rows, as of the first page. */
  readonly count?: number
  /** The number of skipped rows: malformed, or of another account. */
  readonly unreadable?: number
  /** Newer rows are skipped, UNIX seconds. */
  readonly until: number
}

/** A page, and the number of rows on all pages. */
interface SubscanPage<A> {
  readonly rows: ReadonlyArray<A>
  /** The number of skipped rows: malformed, or of another account. */
  readonly unreadable: number
  readonly count: number
}

/** The rows of a page that concern the account. */
const pageOf =
  (account: string) =>
  <A extends SubscanRow>(listed: ReadonlyArray<A> | null = [], count: number | null = 0): SubscanPage<A> => {
    const all = listed ?? []
    const rows = all.filter((row) => SubscanWire.isWellFormed(row) && concerns(account)(row))
    return { rows, unreadable: all.length - rows.length, count: count ?? 0 }
  }

type SubscanRow = SubscanWire.SubscanTransfer | SubscanWire.Extrinsic

interface Sides {
  readonly transfers: SubscanList<SubscanWire.SubscanTransfer>
  readonly extrinsics: SubscanList<SubscanWire.Extrinsic>
}

/** Both lists of each chain. */
type Lists = Readonly<Record<SubscanChain, Sides>>

/** The last second of the relay chain's list: the balances moved to Asset Hub on 4 November 2025. */
const migration = Date.UTC(2025, 10, 5) / 1000 - 1

const emptyLists = (before: number = Number.POSITIVE_INFINITY): Lists => {
  const sides = (until: number): Sides => {
    const list = { rows: [], page: 0, done: false, until }
    return { transfers: list, extrinsics: list }
  }
  return { hub: sides(before), relay: sides(Math.min(before, migration)) }
}

/** Reads the next page of a list if it ends above the horizon. Cannot fail. */
const readNextPage = <A extends SubscanRow>(
  side: SubscanList<A>,
  end: number,
  page: (at: number) => Effect.Effect<SubscanPage<A>, UpstreamError>
): Effect.Effect<SubscanList<A>> =>
  canLowerHorizon(side, end)
    ? Effect.match(page(side.page), {
        onFailure: (fault) => ({ ...side, done: true, fault }),
        onSuccess: ({ count, unreadable, rows: found }) => {
          // New transactions shift rows to the next page, which repeats them.
          const known = new Set(side.rows.map(rowId))
          const fresh = found.filter((row) => !known.has(rowId(row)))
          return {
            ...side,
            rows: [...side.rows, ...onceEach(fresh)],
            page: side.page + 1,
            unreadable: (side.unreadable ?? 0) + unreadable,
            count: side.count ?? count,
            done: found.length + unreadable < pageSize
          }
        }
      })
    : Effect.succeed(side)

/** Identifies a row: some transfers of an extrinsic differ only in their event index. */
const rowId = (row: SubscanRow): string =>
  "amount" in row
    ? [idOf(row), row.event_idx, row.from, row.to, row.amount, row.asset_unique_id].join(" ")
    : row.extrinsic_index

/** Removes duplicate rows of a page; without an event index equal rows may be different transfers. */
const onceEach = <A extends SubscanRow>(rows: ReadonlyArray<A>): ReadonlyArray<A> => {
  const seen = new Set<string>()
  return rows.filter((row) => ("amount" in row && row.event_idx == null) || seen.size < seen.add(rowId(row)).size)
}

/** The second down to which a list is complete; the next page may have more rows of that second. */
const completeDownTo = ({ rows, until }: SubscanList<SubscanRow>): number =>
  Math.min(until, rows.at(-1)?.block_timestamp ?? until)

const listsOf = ({ hub, relay }: Lists): ReadonlyArray<SubscanList<SubscanRow>> => [
  hub.transfers,
  hub.extrinsics,
  relay.transfers,
  relay.extrinsics
]

/** The time after which all readable lists are complete, UNIX seconds. */
const horizon = (lists: Lists): number => Math.max(...listsOf(lists).map(floor))

const floor = (side: SubscanList<SubscanRow>): number =>
  isComplete(side) || (side.done && side.rows.length === 0) ? Number.NEGATIVE_INFINITY : completeDownTo(side)

/** True if rows of that second or later may not have been read. */
const mayHaveUnreadRows = (side: SubscanList<SubscanRow>, since: number): boolean =>
  floor(side) >= since || unreadRows(side) > 0

const isComplete = ({ done, fault }: SubscanList<unknown>): boolean => done && fault === undefined

/** The number of rows that a finished list counts but did not return. */
const unreadRows = ({ count = 0, done, unreadable = 0, rows }: SubscanList<unknown>): number =>
  done ? Math.max(0, count - unreadable - rows.length) : 0

/** True if another page may lower the horizon. */
const canLowerHorizon = (side: SubscanList<SubscanRow>, end: number): boolean =>
  !side.done && completeDownTo(side) >= end

/** The rows of a chain that are newer than `end`, grouped by extrinsic. */
const groupsOf = (chain: SubscanChain, { extrinsics, transfers }: Sides, end: number): ReadonlyArray<SubscanRows> => {
  const isWanted = ({ block_timestamp: at }: SubscanRow) => at > end && at <= transfers.until
  const found = new Map<string, SubscanRows & { readonly transfers: Array<SubscanWire.SubscanTransfer> }>()
  for (const extrinsic of extrinsics.rows)
    if (isWanted(extrinsic)) found.set(idOf(extrinsic), { chain, extrinsic, transfers: [] })
  for (const transfer of transfers.rows) {
    if (!isWanted(transfer)) continue
    const group = found.get(idOf(transfer)) ?? { chain, extrinsic: undefined, transfers: [] }
    group.transfers.push(transfer)
    found.set(idOf(transfer), group)
  }
  return [...found.values()]
}

/** The groups of both chains above the horizon, newest first. */
const groups = (lists: Lists): ReadonlyArray<SubscanRows> => {
  const end = horizon(lists)
  const found = [...groupsOf("hub", lists.hub, end), ...groupsOf("relay", lists.relay, end)]
  const placed = found.flatMap((group) => {
    const row = group.extrinsic ?? group.transfers[0]
    return row === undefined ? [] : [{ group, at: row.block_timestamp, order: orderOf(group.chain, row) }]
  })
  return placed.sort((a, b) => b.at - a.at || b.order - a.order).map(({ group }) => group)
}

const enough = (lists: Lists, { limit, since }: HistoryQuery): boolean => {
  const end = horizon(lists)
  if (!listsOf(lists).some((side) => canLowerHorizon(side, end))) return true
  return groups(lists).length >= limit || (since !== undefined && end < since)
}

const Metadata = Schema.Struct({ code: Schema.Literal(0) })

/** Undefined without a key. */
export const make = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "SUBSCAN_URL",
    default: polkadot.indexers.subscan,
    meaning: "Subscan of Polkadot Asset Hub"
  })
  const relayUrl = yield* declare.url({
    name: "SUBSCAN_RELAY_URL",
    default: polkadot.indexers.relay,
    meaning: "Subscan of Polkadot's relay chain, for transactions before November 2025"
  })
  const key = yield* declare.secret({
    name: "SUBSCAN_API_KEY",
    allowed: "a key of Subscan",
    meaning: "Subscan API key; without it, history and transaction lookup are unavailable on Polkadot"
  })
  const maxWait = Deadline.make(yield* requestDeadline).share("read")
  // All chains share the rate limit of the key.
  const granted: Budget.Granted = {
    source: "SUBSCAN",
    keyless: { perSecond: 5, burst: 5 },
    countedAt: new URL(url).host
  }
  // The settings of its limits are valid even if Subscan is not used.
  if (key === undefined) return yield* Effect.as(Budget.configured(granted, false), undefined)
  const { refusal } = SubscanWire
  const client = (name: string, address: string) =>
    Upstream.make({
      name,
      urls: [address],
      keys: { "x-api-key": key },
      rate: granted,
      refusal,
      canary: (endpoint) =>
        endpoint.read(post("/api/scan/metadata", {}), ResponseDecoder.fitting(Metadata, { refusal }))
    })
  const hub = yield* client("subscan", url)
  const chains = { hub, relay: yield* client("subscan-relay", relayUrl) }

  /** Looks up an included extrinsic by its hash, on Asset Hub and then on the relay chain. */
  const find = (hash: string) => {
    const at = ({ over }: Upstream.Upstream) =>
      over((address) => address.read(post("/api/scan/extrinsic", { hash }), inIndexer(hash, refusal)))
    return Effect.flatMap(at(hub), (found) => (found.verdict === "unknown" ? at(chains.relay) : Effect.succeed(found)))
  }

  return { name: hub.name, history: reading(chains, maxWait), find }
})

type Chains = Readonly<Record<SubscanChain, Upstream.Upstream>>

/** Reads the next page of each list of a chain that ends above the horizon. */
const readNextPages = (chains: Chains, query: HistoryQuery, lists: Lists, chain: SubscanChain) => {
  const { extrinsics, transfers } = lists[chain]
  const end = horizon(lists)
  const address = PolkadotAddress.format(query.address)
  const block = query.before?.blocks?.[chain]
  const range = block === undefined ? {} : { block_range: `0-${block}` }
  const page = <A, I>(path: string, schema: Schema.Schema<A, I>, at: number) =>
    chains[chain].read(post(path, { address, row: pageSize, page: at, ...range }), schema)
  return Effect.all(
    {
      transfers: readNextPage(transfers, end, (at) =>
        Effect.map(page("/api/v2/scan/transfers", SubscanWire.Transfers, at), ({ data }) =>
          pageOf(query.address)(data?.transfers, data?.count)
        )
      ),
      extrinsics: readNextPage(extrinsics, end, (at) =>
        Effect.map(page("/api/v2/scan/extrinsics", SubscanWire.Extrinsics, at), ({ data }) =>
          pageOf(query.address)(data?.extrinsics, data?.count)
        )
      )
    },
    { concurrency: 2 }
  )
}

const reading =
  (chains: Chains, maxWait: number) =>
  (query: HistoryQuery): Effect.Effect<HistoryPart, UpstreamError> =>
    Effect.gen(function* () {
      let lists = emptyLists(query.before?.height)
      const reads = Effect.gen(function* () {
        while (failureOf(lists, query) === undefined && !enough(lists, query))
          lists = yield* Effect.all(
            { hub: readNextPages(chains, query, lists, "hub"), relay: readNextPages(chains, query, lists, "relay") },
            { concurrency: 2 }
          )
      })
      const ended = yield* Effect.either(
        timeoutFail(reads, { duration: maxWait, onTimeout: () => chains.hub.fault(timedOut) })
      )
      const failure = failureOf(lists, query)
      if (failure !== undefined) return yield* failure
      if (isEmpty(lists.hub) && isEmpty(lists.relay) && Either.isLeft(ended)) return yield* ended.left
      return toPart(chains, query, lists, Either.isLeft(ended) ? ended.left : undefined)
    })

const isEmpty = ({ extrinsics, transfers }: Sides) => extrinsics.rows.length + transfers.rows.length === 0

/** The error if both Asset Hub lists failed without rows, or if a page after the first is empty and a list failed. */
const failureOf = (lists: Lists, { before }: HistoryQuery): UpstreamError | undefined => {
  const { extrinsics, transfers } = lists.hub
  if (!isEmpty(lists.hub)) return undefined
  if (extrinsics.fault !== undefined && transfers.fault !== undefined) return transfers.fault
  return before !== undefined && isEmpty(lists.relay) && listsOf(lists).every(({ done }) => done)
    ? listsOf(lists).find(({ fault }) => fault !== undefined)?.fault
    : undefined
}

const post = (path: string, body: unknown) => HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(path), body)

const toPart = (
  chains: Chains,
  { address, limit, since = 0 }: HistoryQuery,
  lists: Lists,
  fault: UpstreamError | undefined
): HistoryPart => {
  const transactions = groups(lists)
  const wanted = transactions.filter(
    ({ extrinsic, transfers: [first] }) => (extrinsic?.block_timestamp ?? first?.block_timestamp ?? 0) >= since
  )
  const shown = wanted.slice(0, limit)
  const unclear = shown.reduce((sum, rows) => sum + unknownAmounts(rows), 0)
  const reachedStart = wanted.length < transactions.length
  return {
    transactions: unique(shown, address),
    more: wanted.length > limit || (!reachedStart && listsOf(lists).some((side) => mayHaveUnreadRows(side, since))),
    sources: [chains.hub.name, ...(isRead(lists.relay) ? [chains.relay.name] : [])],
    missing: [
      ...missingOf(chains.hub.name, "", lists.hub),
      ...missingOf(chains.relay.name, " on the relay chain", lists.relay),
      ...(fault === undefined ? [] : [`older transactions: ${fault.message}`]),
      ...(unclear === 0
        ? []
        : [`the amounts of ${unclear} transfers: ${chains.hub.name} does not return them in base units`])
    ]
  }
}

/** True if a page of a chain was read. */
const isRead = ({ extrinsics, transfers }: Sides) => extrinsics.page + transfers.page > 0

const missingOf = (name: string, where: string, { extrinsics, transfers }: Sides): ReadonlyArray<string> => [
  ...failing(`transfers${where}`, transfers),
  ...failing(`calls without transfers${where}`, extrinsics),
  ...unreadableRows("transfers", name, transfers),
  ...unreadableRows("calls", name, extrinsics),
  ...fewer(`transfers: ${name} returns no more`, transfers),
  ...fewer(`calls: ${name} returns no more`, extrinsics)
]

/** A reused account may sign the same bytes again: the older extrinsic is then identified by its index. */
const unique = (rows: ReadonlyArray<SubscanRows>, holder: string): ReadonlyArray<Transaction> => {
  const seen = new Set<string>()
  return rows.flatMap((listed) => {
    const transaction = toTransaction(holder, listed)
    const row = listed.extrinsic ?? listed.transfers[0]
    if (transaction === undefined || row === undefined) return []
    const hash = seen.has(transaction.hash) ? nameOf(listed.chain, row) : transaction.hash
    seen.add(hash)
    return [{ ...transaction, hash }]
  })
}

const failing = (what: string, { fault, rows }: SubscanList<unknown>): ReadonlyArray<string> =>
  fault === undefined ? [] : [`${rows.length === 0 ? "" : "older "}${what}: ${fault.message}`]

const fewer = (what: string, side: SubscanList<unknown>): ReadonlyArray<string> =>
  isComplete(side) && unreadRows(side) > 0 ? [`${unreadRows(side)} of ${side.count} ${what}`] : []

const unreadableRows = (
  what: string,
  name: string,
  { unreadable: count = 0 }: SubscanList<unknown>
): ReadonlyArray<string> => (count === 0 ? [] : [`${count} ${what}: ${name} returned them in an unexpected format`])

const timedOut: Fault = { reason: "timeout", detail: "timed out before the full history was read" }
