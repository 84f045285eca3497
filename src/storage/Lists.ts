import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as BoundedMap from "../kernel/collections/BoundedMap.ts"
import { changedList, type ListChange, listStore, loggingFailures, maxTexts, Store } from "./Store.ts"

/** Maximum lists whose changes by this process are retained. */
const capacity = 20_000

/** The pause between attempts to write, while the store fails. */
const pause = "5 seconds"

const combined = (earlier: ListChange | undefined, { add = [], remove = [] }: ListChange): ListChange => ({
  add: changedList(earlier?.add, { add, remove }),
  remove: [...(earlier?.remove ?? []), ...remove].slice(-maxTexts)
})

/** Lists as this process knows them. */
export interface KnownLists {
  readonly lists: ReadonlyMap<string, ReadonlyArray<string>>
  /** False if the store could not be read: lists have only what this process added. */
  readonly isComplete: boolean
}

/**
 * Lists of texts that all processes of the store change. Cannot fail: the process retains its own changes, so that they
 * count also while the store fails and after it was emptied, and writes them once the store works again.
 */
export const make = (name: string, version: number, timeToLive: Duration.DurationInput) =>
  Effect.gen(function* () {
    const entries = (yield* Store).open(`${listStore}${name}`, version)
    const reads = loggingFailures(`${name}: reading the store`)
    const writes = loggingFailures(`${name}: writing to the store`)
    const own = yield* BoundedMap.sized<ListChange>(`changes of ${name}`, capacity)
    const unwritten = yield* BoundedMap.sized<true>(`unwritten ${name}`, capacity)
    const failing = yield* Effect.makeLatch(false)

    const remain = (keys: ReadonlyArray<string>) =>
      Effect.suspend(() => {
        for (const key of keys) unwritten.set(key, true)
        return failing.open
      })

    const write = (keys: ReadonlyArray<string>, change: ListChange) =>
      writes(Effect.as(entries.changeLists(keys, change, timeToLive), true), false).pipe(
        Effect.tap((isWritten) => (isWritten ? Effect.void : remain(keys))),
        Effect.onInterrupt(() => remain(keys))
      )

    /** Writes what remains, one list after another, until that fails. */
    const writeAll = Effect.gen(function* () {
      const clock = yield* Clock.currentTimeMillis
      for (const [key] of unwritten.entries()) {
        const change = own.get(key, clock)
        unwritten.delete(key)
        if (change !== undefined && !(yield* write([key], change))) return
      }
      if (unwritten.size() === 0) failing.unsafeClose()
    })

    yield* failing.await.pipe(
      Effect.zipRight(Effect.sleep(pause)),
      Effect.zipRight(writeAll),
      Effect.forever,
      Effect.forkScoped
    )

    return {
      read: (keys: ReadonlyArray<string>): Effect.Effect<KnownLists> =>
        Effect.zipWith(
          keys.length === 0
            ? Effect.succeedSome(new Map<string, unknown>())
            : reads(Effect.asSome(entries.getMany(keys)), Option.none()),
          Clock.currentTimeMillis,
          (found, clock) => {
            const stored = Option.getOrUndefined(found)
            const changeOf = (key: string) => own.get(key, clock) ?? {}
            // A stored list has the changes of this process already, unless they could not be written.
            const isCurrent = (key: string) => stored?.has(key) === true && !unwritten.has(key)
            const listOf = (key: string) => changedList(stored?.get(key), isCurrent(key) ? {} : changeOf(key))
            return { isComplete: stored !== undefined, lists: new Map(keys.map((key) => [key, listOf(key)])) }
          }
        ),
      change: (keys: ReadonlyArray<string>, change: ListChange): Effect.Effect<void> =>
        Effect.flatMap(Clock.currentTimeMillis, (clock) => {
          for (const key of keys)
            own.set(key, combined(own.get(key, clock), change), clock + Duration.toMillis(timeToLive))
          return keys.length === 0 ? Effect.void : write(keys, change)
        })
    }
  })
