import type { components } from "../../client/Client.ts"
import type { Lookup, NetworkAddress } from "../addresses/accounts.ts"

export type Entry = components["schemas"]["HistoryEntry"]
export type Meta = components["schemas"]["HistoryMeta"]

/** The part of an address's history on a network that was read so far. */
export interface AddressHistory extends NetworkAddress {
  readonly state: "waiting" | "answered" | "failed"
  /** Why the last requested page could not be read, a sentence. */
  readonly problem?: string
  /** True if a retry cannot help. */
  readonly isFinal?: boolean
  /** Newest first. */
  readonly entries: ReadonlyArray<Entry>
  /** Completeness of all pages that were read; undefined before the first page. */
  readonly meta: Meta | undefined
}

/** The current state of all entered texts. */
export interface AddressHistories {
  readonly lookups: ReadonlyArray<Lookup>
  /** In the order of the networks, then of the entered texts. */
  readonly histories: ReadonlyArray<AddressHistory>
  readonly isDone: boolean
}

export const nothing: AddressHistories = { lookups: [], histories: [], isDone: true }

/** True if a retry may find the missing data. */
export const canRetry = ({ isFinal = false, state }: AddressHistory): boolean => state !== "answered" && !isFinal

/** Adds a page to the previous pages of a history. */
export const withPage = (
  before: AddressHistory,
  entries: ReadonlyArray<Entry>,
  meta: Meta,
  failure: Pick<AddressHistory, "problem" | "isFinal"> | undefined
): AddressHistory => {
  const { isFinal: _isFinal, problem: _problem, ...history } = before
  const earlier = before.meta
  return {
    ...history,
    state: failure === undefined ? "answered" : "failed",
    ...failure,
    entries: [...before.entries, ...entries],
    meta:
      earlier === undefined
        ? meta
        : {
            complete: earlier.complete && meta.complete,
            oldest: meta.oldest ?? earlier.oldest,
            next: meta.next,
            sources: [...new Set([...earlier.sources, ...meta.sources])],
            missing: [...new Set([...earlier.missing, ...meta.missing])],
            unlisted: [...new Set([...(earlier.unlisted ?? []), ...(meta.unlisted ?? [])])]
          }
  }
}

const hasMore = ({ meta, state }: AddressHistory) => state === "answered" && typeof meta?.next === "string"

const oldestOf = ({ entries, meta }: AddressHistory) =>
  meta?.oldest ?? entries.at(-1)?.timestamp ?? Number.POSITIVE_INFINITY

/**
 * The time (UNIX seconds) back to which the list has no gaps: earlier, an address with more pages may have transactions
 * between those of the others. Undefined if no address has more pages.
 */
export const horizonOf = (histories: ReadonlyArray<AddressHistory>): number | undefined => {
  const open = histories.filter(hasMore).map(oldestOf)
  return open.length === 0 ? undefined : Math.max(...open)
}

/** An entry with the history of its address. */
export interface TimelineEntry {
  readonly key: string
  readonly history: AddressHistory
  readonly entry: Entry
}

const isShown = ({ status, timestamp }: Entry, horizon: number | undefined) =>
  horizon === undefined || timestamp >= horizon || status === "Pending"

const pendingFirst = ({ entry }: TimelineEntry) =>
  entry.status === "Pending" ? Number.POSITIVE_INFINITY : entry.timestamp

/** The entries of all addresses, newest first, back to the time from which no entry is missing. */
export const timelineOf = (histories: ReadonlyArray<AddressHistory>): ReadonlyArray<TimelineEntry> => {
  const horizon = horizonOf(histories)
  return histories
    .flatMap((history) =>
      history.entries
        .filter((entry) => isShown(entry, horizon))
        .map((entry, index) => ({
          key: `${history.network} ${history.address} ${entry.hash} ${index}`,
          history,
          entry
        }))
    )
    .sort((a, b) => (pendingFirst(a) === pendingFirst(b) ? 0 : pendingFirst(b) - pendingFirst(a)))
}

/** An address with this number of entries before the horizon needs no further page yet. */
const enoughAhead = 25

/** The addresses whose next pages move the horizon back. */
export const wantedNext = (histories: ReadonlyArray<AddressHistory>): ReadonlyArray<AddressHistory> => {
  const horizon = horizonOf(histories)
  return histories.filter(
    (history) => hasMore(history) && history.entries.filter((entry) => !isShown(entry, horizon)).length < enoughAhead
  )
}

/**
 * Adds the entries of a new first page, and replaces entries that were pending, unless the page lacks more than the earlier
 * ones. If it does not reach back to an earlier entry, the history starts again with it: entries between them are missing.
 */
export const withNewest = (history: AddressHistory, newest: ReadonlyArray<Entry>, meta: Meta): AddressHistory => {
  const hashes = new Set(newest.map(({ hash }) => hash))
  const isPending = ({ status }: Entry) => status === "Pending"
  const isPoorer = meta.missing.some((text) => history.meta?.missing.includes(text) !== true)
  const reachesBack = history.entries.some((entry) => hashes.has(entry.hash) && !isPending(entry))
  const earlier = history.entries.filter(
    (entry) => !hashes.has(entry.hash) && (isPending(entry) ? isPoorer : reachesBack)
  )
  const entries = [...newest, ...earlier].sort((a, b) => b.timestamp - a.timestamp)
  return reachesBack ? { ...history, entries } : { ...history, entries, meta }
}
