import { isDeepStrictEqual } from "node:util"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type Gap, gap } from "../../../domain/history/Gap.ts"
import { distance, greatest, least, type Seconds, seconds, shift } from "../../../domain/units.ts"
import { timeoutFail } from "../../../kernel/timeout.ts"
import { UpstreamError } from "../../../upstream/UpstreamError.ts"

/** A row of a list with the key of its group. */
export interface Row {
  /** Rows with the same key are one group. */
  readonly key: string
  /** Identifies the row in its list: equal rows count once, and groups with rows that differ are left out. */
  readonly id?: string | undefined
  readonly at: Seconds
  /** Orders rows of the same second, newest highest. Without it, rows keep their order of arrival. */
  readonly order?: number
}

/** A page of a list that runs from newest to oldest. */
export interface Page<A> {
  readonly rows: ReadonlyArray<A>
  /** Time of its last row, even if that row is left out of `rows`; undefined if the page is empty. */
  readonly oldest: Seconds | undefined
  /** Cursor of the next page; undefined at the end of the list. */
  readonly next: string | undefined
  /** Number of rows that could not be read. */
  readonly unreadable: number
  /** Keys of such rows: their groups are left out, because the other rows alone would be wrong. */
  readonly incomplete?: ReadonlyArray<string>
}

export interface List<A> {
  /** Its content, in words. */
  readonly name: string
  readonly page: (next: string | undefined) => Effect.Effect<Page<A>, UpstreamError>
}

/** Rows of one key. */
export interface Group<A> {
  readonly key: string
  /** The time of the oldest row. */
  readonly at: Seconds
  readonly rows: ReadonlyArray<A>
}

export interface Options<A> {
  /** Number of groups to return. */
  readonly limit: number
  /** Time for all pages, ms. */
  readonly within: number
  /** Rows of a group are at most this many seconds apart. */
  readonly spread?: number
  /** Groups that are newer are left out: their newer rows were not requested, and they do not count. */
  readonly newest?: Seconds
  /** Pages are read back to this second; older groups of these pages are returned too. */
  readonly since?: Seconds | undefined
  /** Whether a group already has its first row, so that no older row can be missing. */
  readonly hasFirstRow?: (group: Group<A>) => boolean
}

export interface MergedPages<A> {
  /** Newest first; each group is complete. */
  readonly groups: ReadonlyArray<Group<A>>
  readonly more: boolean
  readonly gaps: ReadonlyArray<Gap>
  /** Failures of lists that could not be read at all, by the name of the list. */
  readonly failures: ReadonlyMap<string, UpstreamError>
}

/** Maximum pages per list; no list reaches this many within a deadline. */
const maxRounds = 200

/**
 * Reads several lists of the same address concurrently, as far as is needed for `limit` groups. If a list cannot be
 * read, only its rows are missing. Fails if none of the lists can be read.
 */
export const join = <A extends Row>(
  lists: ReadonlyArray<List<A>>,
  {
    hasFirstRow = () => true,
    limit,
    newest: upTo = seconds(Number.POSITIVE_INFINITY),
    since = seconds(Number.NEGATIVE_INFINITY),
    spread = 0,
    within
  }: Options<A>
): Effect.Effect<MergedPages<A>, UpstreamError> =>
  Effect.gen(function* () {
    const start = shift(since, -spread)
    const mayHaveMore = ({ oldest = seconds(Number.POSITIVE_INFINITY), open }: PagedState<A>) => open && oldest >= start
    const end = (yield* Clock.currentTimeMillis) + within
    const states = lists.map(
      (list): PagedState<A> => ({
        ...{ list, rows: [], byId: new Map(), incomplete: [] },
        ...{ next: undefined, oldest: undefined, open: true }
      })
    )
    /** All rows newer than this are read. If the first list breaks off, the other lists are used only that far. */
    const frontier = () =>
      greatest(
        ...states.flatMap(({ failure, oldest, open }, index) =>
          (open || (failure !== undefined && index === 0)) && oldest !== undefined ? [oldest] : []
        )
      )
    const whole = (groups: ReadonlyArray<Group<A>>) => {
      const border = frontier()
      return Arr.takeWhile(groups, (group) => group.at > shift(border, hasFirstRow(group) ? 0 : spread))
    }

    /** Groups at the end of a list that breaks off: it may have more of their rows. */
    const torn = () =>
      states.flatMap(({ failure, oldest = seconds(0), rows }) =>
        failure === undefined ? [] : rows.flatMap(({ at, key }) => (at < shift(oldest, spread) ? [key] : []))
      )

    let groups: ReadonlyArray<Group<A>> = []
    for (let round = 0; round < maxRounds; round++) {
      const incomplete = new Set([...states.flatMap((state) => state.incomplete), ...torn()])
      groups = grouped(states.flatMap(({ rows }) => rows)).filter(({ at, key }) => at <= upTo && !incomplete.has(key))
      const have = whole(groups).length
      if (have >= limit) break
      // A list that already reaches back past the wanted rows, or probably does, is not read further.
      const newest = groups[0]?.at
      const likely =
        newest === undefined
          ? seconds(Number.NEGATIVE_INFINITY)
          : shift(newest, (distance(newest, frontier()) * limit) / Math.max(have, 1))
      const wanted = shift(groups[limit - 1]?.at ?? likely, -spread)
      const unfinished = states.filter(
        (state) => mayHaveMore(state) && (state.oldest === undefined || state.oldest >= wanted)
      )
      if (unfinished.length === 0) break
      const left = end - (yield* Clock.currentTimeMillis)
      yield* Effect.forEach(unfinished, (state) => advance(state, left), { concurrency: "unbounded", discard: true })
    }

    const failed = states.flatMap(({ failure, list, oldest }) =>
      failure === undefined || oldest !== undefined ? [] : [[list.name, failure] as const]
    )
    const [first] = failed
    if (first !== undefined && failed.length === states.length) return yield* first[1]
    const complete = whole(groups)
    const broken = states.some(({ failure, oldest }, index) => index === 0 && failure && oldest !== undefined)
    return {
      groups: complete.slice(0, limit),
      more: broken || states.some(mayHaveMore) || complete.slice(limit).some(({ at }) => at >= since),
      gaps: states.flatMap(({ failure, list, unreadable = 0, oldest }, index) => [
        ...(failure === undefined ? [] : [unreadPart(list.name, failure, oldest, index)]),
        ...(unreadable === 0 ? [] : [gap("transactions", `${list.name}: ${unreadable} could not be read`)])
      ]),
      failures: new Map(failed)
    }
  })

/** The missing part of a list. All rows returned are newer than those of the first list, but not of another one. */
const unreadPart = (name: string, { message }: UpstreamError, oldest: Seconds | undefined, index: number) => {
  if (oldest === undefined) return gap("transfers", `${name}: ${message}`)
  return index === 0
    ? gap("older", `older ${name}: ${message}`)
    : gap("transfers", `a part of the ${name}: ${message}`, { since: shift(oldest, 1) })
}

interface PagedState<A> {
  readonly list: List<A>
  readonly rows: Array<A>
  readonly byId: Map<string, A>
  readonly incomplete: Array<string>
  next: string | undefined
  oldest: Seconds | undefined
  /** Whether there may be more to read. */
  open: boolean
  failure?: UpstreamError
  unreadable?: number
}

const advance = <A extends Row>(state: PagedState<A>, left: number) =>
  Effect.gen(function* () {
    const read = yield* Effect.either(
      left <= 0
        ? Effect.fail(timedOut)
        : timeoutFail(state.list.page(state.next), { duration: left, onTimeout: () => timedOut })
    )
    if (Either.isLeft(read)) {
      state.failure = read.left
      state.open = false
      return
    }
    const { incomplete = [], next, unreadable, oldest, rows } = read.right
    state.unreadable = (state.unreadable ?? 0) + unreadable
    state.incomplete.push(...incomplete)
    for (const row of rows) add(state, row)
    // An empty list also counts as read.
    state.oldest = oldest ?? state.oldest ?? seconds(Number.POSITIVE_INFINITY)
    state.open = next !== undefined && next !== state.next
    if (next !== undefined && next === state.next) state.failure = repeated
    state.next = next
  })

const add = <A extends Row>(state: PagedState<A>, row: A) => {
  const before = row.id === undefined ? undefined : state.byId.get(row.id)
  if (row.id !== undefined && before === undefined) state.byId.set(row.id, row)
  if (before === undefined) state.rows.push(row)
  else if (!isDeepStrictEqual(before, row)) {
    state.incomplete.push(before.key, row.key)
    state.unreadable = (state.unreadable ?? 0) + 1
  }
}

/** Groups rows by key, newest group first; rows keep their order of arrival. */
const grouped = <A extends Row>(rows: ReadonlyArray<A>): ReadonlyArray<Group<A>> => {
  const found = new Map<string, { readonly key: string; at: Seconds; order: number; readonly rows: Array<A> }>()
  for (const row of rows) {
    const { at, key, order = 0 } = row
    const group = found.get(key)
    if (group === undefined) found.set(key, { key, at, order, rows: [row] })
    else {
      group.at = least(group.at, at)
      group.order = Math.min(group.order, order)
      group.rows.push(row)
    }
  }
  return [...found.values()].sort((a, b) => distance(a.at, b.at) || b.order - a.order)
}

const repeated = new UpstreamError({
  upstream: "history",
  reason: "bad_answer",
  detail: "returned the same position for the next page"
})
const timedOut = new UpstreamError({ upstream: "history", reason: "timeout", detail: "timed out" })
