import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Gap, gap } from "../../domain/history/Gap.ts"
import { type HistoryPart, type HistoryQuery, isRequested } from "../../domain/Transaction.ts"
import { distance, greatest, least, type Seconds, seconds, shift } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { positioned } from "../kit/history/heights.ts"
import { byKey } from "../kit/holdings/amounts.ts"
import { unread, withDecimals } from "../kit/holdings/tokenList.ts"
import type { PolkadotAssets } from "./assets.ts"
import * as PolkadotAddress from "./PolkadotAddress.ts"
import { noKey, type PolkadotIndexer, type SubscanChain } from "./Provider.ts"
import { pageSize } from "./providers/subscan/calls.ts"
import {
  concerns,
  extrinsicOf,
  hasContradictoryTransfer,
  heights,
  idOf,
  isFeeUnknown,
  isWellFormed,
  namedOn,
  nameOf,
  namesOf,
  orderOf,
  type SubscanGroup,
  type SubscanRow,
  unique,
  unknownAmounts
} from "./rows.ts"

// Reads the two lists of an account on each chain, transfers and extrinsics, page by page, and joins them.

/** Reads histories, at most for `maxWait` (ms), and the heights that separate their pages. */
export const histories = (subscan: PolkadotIndexer | undefined, assets: PolkadotAssets, maxWait: number) => {
  const history = (query: HistoryQuery<Seconds>) =>
    subscan === undefined
      ? Effect.fail(noKey)
      : read(subscan, query, maxWait).pipe(
          Effect.mapError(unread),
          span("Polkadot.history", { attributes: { limit: query.limit } })
        )
  return positioned(heights, withDecimals(history, assets.list, assets.confirmListed))
}

type Chains = PolkadotIndexer["chains"]

/** The part of a list that was read, newest first. */
interface SubscanList {
  readonly chain: SubscanChain
  readonly kind: "transfers" | "extrinsics"
  readonly rows: ReadonlyArray<SubscanRow>
  readonly page: number
  /** True if no further page will be read, because the list ended or because of `fault`. */
  readonly done: boolean
  readonly fault?: UpstreamError
  /** The total number of rows, as of the first page. */
  readonly count?: number
  /** The number of skipped rows: malformed, or of another account. */
  readonly unreadable: number
  /** The extrinsics of rows that cannot be decoded: the other rows alone would be wrong. */
  readonly incomplete: ReadonlyArray<string>
  /** Newer rows are skipped. */
  readonly until: Seconds
}

/** Both lists of each chain. */
type Lists = ReadonlyArray<SubscanList>

/** The last second of the relay chain's list: the balances moved to Asset Hub on 4 November 2025. */
const migration = seconds(Date.UTC(2025, 10, 5) / 1000 - 1)

const emptyLists = (before = seconds(Number.POSITIVE_INFINITY)): Lists =>
  [
    { chain: "hub" as const, until: before },
    { chain: "relay" as const, until: least(before, migration) }
  ].flatMap((list) =>
    (["transfers", "extrinsics"] as const).map((kind) => ({
      ...list,
      kind,
      rows: [],
      page: 0,
      done: false,
      unreadable: 0,
      incomplete: []
    }))
  )

/** Reads the next page of a list. Cannot fail. */
const readNextPage = (
  { chains, page }: PolkadotIndexer,
  { address: account, before }: HistoryQuery<Seconds>,
  list: SubscanList
) => {
  const { chain, kind } = list
  const parameters = { address: PolkadotAddress.format(account), page: list.page, last: before?.blocks?.[chain] }
  return Effect.match(page(chain, kind, parameters), {
    onFailure: (fault): SubscanList => ({ ...list, done: true, fault }),
    onSuccess: ({ count, listed }): SubscanList => {
      const all = listed ?? []
      const read = all.map(({ row }): Option.Option<SubscanRow> => row)
      const decoded = Arr.getSomes(read)
      if (decoded.length === 0 && all.length > 0)
        return { ...list, done: true, fault: chains[list.chain].fault(notUnderstood) }
      const rows = decoded.filter((row) => isWellFormed(row) && concerns(account)(row))
      const lost = all.filter(({ row }) => Option.isNone(row))
      // New transactions shift rows to the next page, which repeats them.
      const unnumbered = new Set(list.rows.flatMap((row) => (isNumbered(row) ? [] : contentOf(row))))
      const fresh = rows.filter((row) => isNumbered(row) || !unnumbered.has(contentOf(row)))
      const byId = byKey([...list.rows, ...fresh].map((row, index) => [rowId(row, index), row]))
      const known = [...byId.values()].filter((row) => row !== undefined)
      return {
        ...list,
        rows: known,
        page: list.page + 1,
        unreadable: list.unreadable + all.length - rows.length + 2 * (byId.size - known.length),
        incomplete: [
          ...list.incomplete,
          ...Arr.filterMap(lost, ({ raw }) => extrinsicOf(raw)).map(({ extrinsic_index }) =>
            namedOn(list.chain, extrinsic_index)
          )
        ],
        count: list.count ?? count ?? 0,
        done: all.length < pageSize
      }
    }
  })
}

/** Some transfers of an extrinsic differ only in their event index; without it, equal ones may be different transfers. */
const isNumbered = (row: SubscanRow): boolean => !("amount" in row) || row.event_idx != null

/** Identifies a row: rows with the same id must be equal. */
const rowId = (row: SubscanRow, index: number): string =>
  "amount" in row ? `${idOf(row)} ${row.event_idx ?? `row ${index}`}` : idOf(row)

const contentOf = (row: SubscanRow): string =>
  "amount" in row ? [idOf(row), row.from, row.to, row.amount, row.asset_unique_id].join(" ") : idOf(row)

/** The second down to which a list is complete; the next page may have more rows of that second. */
const completeDownTo = ({ rows, until }: SubscanList): Seconds => least(until, rows.at(-1)?.block_timestamp ?? until)

/** The time after which all readable lists are complete. */
const horizon = (lists: Lists): Seconds => greatest(...lists.map(floor))

const floor = (list: SubscanList): Seconds =>
  isComplete(list) || (list.done && list.rows.length === 0) ? seconds(Number.NEGATIVE_INFINITY) : completeDownTo(list)

/** True if rows of that second or later may not have been read. */
const mayHaveUnreadRows = (list: SubscanList, since: Seconds): boolean => floor(list) >= since || unreadRows(list) > 0

const isComplete = ({ done, fault }: SubscanList): boolean => done && fault === undefined

/** The number of rows that a finished list counts but did not return. */
const unreadRows = ({ count = 0, done, rows, unreadable }: SubscanList): number =>
  done ? Math.max(0, count - unreadable - rows.length) : 0

/** True if another page may lower the horizon. */
const canLowerHorizon = (list: SubscanList, end: Seconds): boolean => !list.done && completeDownTo(list) >= end

/** The rows of both chains that are newer than the horizon, by extrinsic, newest first. */
const groups = (lists: Lists): ReadonlyArray<SubscanGroup> => {
  const end = horizon(lists)
  const incomplete = new Set(lists.flatMap((list) => list.incomplete))
  const found = new Map<string, SubscanGroup>()
  // Extrinsics come first: their groups precede those of transfers without an extrinsic in the same block.
  for (const { chain, rows, until } of lists.toReversed())
    for (const row of rows) {
      if (row.block_timestamp <= end || row.block_timestamp > until) continue
      const id = nameOf(chain, row)
      if (incomplete.has(id)) continue
      const group = found.get(id) ?? { chain, row, extrinsic: undefined, transfers: [] }
      found.set(id, group)
      if ("amount" in row) group.transfers.push(row)
      else group.extrinsic = row
    }
  return [...found.values()].sort(
    (a, b) =>
      distance(a.row.block_timestamp, b.row.block_timestamp) || orderOf(b.chain, b.row) - orderOf(a.chain, a.row)
  )
}

const enough = (lists: Lists, { limit, since }: HistoryQuery<Seconds>): boolean => {
  const end = horizon(lists)
  if (!lists.some((list) => canLowerHorizon(list, end))) return true
  return groups(lists).length >= limit || (since !== undefined && end < since)
}

const read = (subscan: PolkadotIndexer, query: HistoryQuery<Seconds>, maxWait: number) =>
  Effect.gen(function* () {
    if (query.before === undefined) yield* subscan.isCurrent
    const { chains } = subscan
    let lists = emptyLists(query.before?.height)
    const reads = Effect.gen(function* () {
      while (failureOf(lists, query) === undefined && !enough(lists, query)) {
        const end = horizon(lists)
        lists = yield* Effect.forEach(
          lists,
          (list) => (canLowerHorizon(list, end) ? readNextPage(subscan, query, list) : Effect.succeed(list)),
          { concurrency: "unbounded" }
        )
      }
    })
    const ended = yield* Effect.either(
      timeoutFail(reads, { duration: maxWait, onTimeout: () => chains.hub.fault(timedOut) })
    )
    const failure = failureOf(lists, query)
    if (failure !== undefined) return yield* failure
    if (lists.every(isEmpty) && Either.isLeft(ended)) return yield* ended.left
    return toPart(chains, query, lists, Either.isLeft(ended) ? ended.left : undefined)
  })

const isEmpty = ({ rows }: SubscanList) => rows.length === 0

/** The error if both Asset Hub lists failed without rows, or if a page after the first is empty and a list failed. */
const failureOf = (lists: Lists, { before }: HistoryQuery<Seconds>): UpstreamError | undefined => {
  const hub = lists.filter(({ chain }) => chain === "hub")
  if (!hub.every(isEmpty)) return undefined
  if (hub.every(({ fault }) => fault !== undefined)) return hub[0]?.fault
  return before !== undefined && lists.every((list) => isEmpty(list) && list.done)
    ? lists.find(({ fault }) => fault !== undefined)?.fault
    : undefined
}

const toPart = (
  chains: Chains,
  query: Pick<HistoryQuery, "address" | "late" | "limit" | "since">,
  lists: Lists,
  fault: UpstreamError | undefined
): HistoryPart => {
  const { address, limit, since = seconds(0) } = query
  const isWanted = isRequested(query)
  const all = groups(lists)
  const signed = new Set(all.flatMap(({ extrinsic }) => extrinsic?.extrinsic_hash ?? []))
  const known = all.filter((group) => !isMislabelled(signed, address, group))
  const transactions = known.filter((group) => !hasContradictoryTransfer(group))
  const isNew = ({ row }: SubscanGroup) => row.block_timestamp >= since
  const wanted = transactions.filter((group) => {
    const names = namesOf(address, group)
    // One that lacks its hash this time may be known by it.
    const isNamed = isNew(group) || !group.row.extrinsic_index || new Set(names).size === names.length
    return isNamed && names.every((name) => isWanted(name, group.row.block_timestamp))
  })
  const shown = wanted.slice(0, limit)
  const unclear = shown.reduce((sum, rows) => sum + unknownAmounts(rows), 0)
  const [mislabelled, different] = [all.length - known.length, known.length - transactions.length]
  const { name } = chains.hub
  const unpaid = shown.filter(isFeeUnknown).length
  const reachedStart = !transactions.every(isNew)
  return {
    transactions: unique(shown, address),
    more: wanted.slice(limit).some(isNew) || (!reachedStart && lists.some((list) => mayHaveUnreadRows(list, since))),
    // The relay chain is a source if a page of it was read.
    sources: [
      chains.hub.name,
      ...(lists.some(({ chain, page }) => chain === "relay" && page > 0) ? [chains.relay.name] : [])
    ],
    gaps: [
      ...gapsOf(chains.hub.name, "", lists.slice(0, 2)),
      ...gapsOf(chains.relay.name, " on the relay chain", lists.slice(2)),
      ...(fault === undefined ? [] : [gap("older", `older transactions: ${fault.message}`)]),
      ...ifAny(different, "transactions", `${different} transactions: ${name} returned different results of them`),
      ...ifAny(
        mislabelled,
        "transfers",
        `${mislabelled} transfers: ${name} returned them with the hash of another call`
      ),
      ...ifAny(unpaid, "amounts", `the fees of ${unpaid} transactions: ${name} does not return them`),
      ...ifAny(unclear, "amounts", `the amounts of ${unclear} transfers: ${name} does not return them in base units`)
    ]
  }
}

/** Whether transfers to the holder have the hash of a call that the holder signed. */
const isMislabelled = (signed: ReadonlySet<string>, holder: string, { extrinsic, transfers }: SubscanGroup): boolean =>
  extrinsic === undefined &&
  transfers.some(({ from, hash }) => hash && signed.has(hash) && from !== PolkadotAddress.format(holder))

const ifAny = (count: number, what: Gap["what"], text: string) => (count === 0 ? [] : [gap(what, text)])

/** The missing pages and rows of a chain: failed pages, rows in an unexpected format, and rows only counted. */
const gapsOf = (name: string, where: string, lists: Lists): ReadonlyArray<Gap> =>
  lists.flatMap((list) => {
    const rows = list.kind === "transfers" ? "transfers" : "calls"
    const what = list.kind === "transfers" ? "transfers" : "transactions"
    const open = unreadRows(list)
    const others = rows === "calls" ? `${rows} without transfers` : rows
    // The relay chain has none since the balances moved.
    const since = list.chain === "relay" ? { since: shift(migration, 1) } : {}
    return [
      ...(list.fault === undefined
        ? []
        : [
            gap(
              isEmpty(list) ? what : "older",
              `${isEmpty(list) ? "" : "older "}${others}${where}: ${list.fault.message}`,
              isEmpty(list) ? since : {}
            )
          ]),
      ...(list.unreadable === 0
        ? []
        : [gap(what, `${list.unreadable} ${rows}: ${name} returned them in an unexpected format`, since)]),
      ...(isComplete(list) && open > 0
        ? [gap(what, `${open} of ${list.count} ${rows}: ${name} returns no more`, since)]
        : [])
    ]
  })

const notUnderstood: Fault = { reason: "bad_answer", detail: "returned transactions in an unexpected format" }
const timedOut: Fault = { reason: "timeout", detail: "timed out before the full history was read" }
