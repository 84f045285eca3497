import type { components } from "../../client/Client.ts"
import type { AddressOn, Lookup } from "../addresses/accounts.ts"

export type Entry = components["schemas"]["HistoryEntry"]
export type Meta = components["schemas"]["HistoryMeta"]

/** What is known of the history of an address on a network. */
export interface AddressHistory extends AddressOn {
  readonly state: "waiting" | "answered" | "failed"
  /** Why its newest page could not be read, a sentence. */
  readonly problem?: string
  /** Whether that stays so, however often it is read. */
  readonly isFinal?: boolean
  /** The newest first. */
  readonly entries: ReadonlyArray<Entry>
  /** How complete all pages are that were read; undefined before the first. */
  readonly meta: Meta | undefined
}

/** Everything that is known at a moment of what was entered. */
export interface AddressHistories {
  readonly lookups: ReadonlyArray<Lookup>
  /** In the order of the networks, and of what was entered. */
  readonly histories: ReadonlyArray<AddressHistory>
  readonly isDone: boolean
}

export const nothing: AddressHistories = { lookups: [], histories: [], isDone: true }

/** Whether another request may find what is missing. */
export const mayImprove = ({ isFinal = false, state }: AddressHistory): boolean => state !== "answered" && !isFinal

/** What a page adds to the pages before it. */
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
            missing: [...new Set([...earlier.missing, ...meta.missing])]
          }
  }
}

const hasMore = ({ meta, state }: AddressHistory) => state === "answered" && typeof meta?.next === "string"

const oldestOf = ({ entries, meta }: AddressHistory) =>
  meta?.oldest ?? entries.at(-1)?.timestamp ?? Number.POSITIVE_INFINITY

/**
 * Since when all that was found is there, UNIX time in seconds: before, an address with more pages may have
 * transactions between those of the others. Undefined where no address has more.
 */
export const horizonOf = (histories: ReadonlyArray<AddressHistory>): number | undefined => {
  const open = histories.filter(hasMore).map(oldestOf)
  return open.length === 0 ? undefined : Math.max(...open)
}

/** Of which address an entry is. */
export interface TimelineEntry {
  readonly key: string
  readonly history: AddressHistory
  readonly entry: Entry
}

const isShown = ({ status, timestamp }: Entry, horizon: number | undefined) =>
  horizon === undefined || timestamp >= horizon || status === "Pending"

const pendingFirst = ({ entry }: TimelineEntry) =>
  entry.status === "Pending" ? Number.POSITIVE_INFINITY : entry.timestamp

/** The entries of all addresses, the newest first, as far back as none is left out between them. */
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

/** An address with so many entries before the horizon needs no other page yet. */
const enoughAhead = 25

/** The addresses whose next pages move the horizon back. */
export const wantedNext = (histories: ReadonlyArray<AddressHistory>): ReadonlyArray<AddressHistory> => {
  const horizon = horizonOf(histories)
  return histories.filter(
    (history) => hasMore(history) && history.entries.filter((entry) => !isShown(entry, horizon)).length < enoughAhead
  )
}
