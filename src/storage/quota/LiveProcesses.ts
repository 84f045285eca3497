import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { inStoreTime, listStore, Store } from "../Store.ts"

/** How often a process says that it lives. */
const period = "5 seconds"

/** A process that says nothing for this time has ended, ms. */
const silence = 20_000

/** Time to live of the lists in the store. */
const timeToLive = "1 minute"

/** Lists of processes: one has at most 50 texts. */
const lists = Array.from({ length: 16 }, (_, index) => String(index))

/** The form of a text: the process, and until when it lives (ms). */
const untilOf = (text: unknown): readonly [string, number] | undefined => {
  const [, id, until] = typeof text === "string" ? (/^([\w-]{1,64}) (\d{1,15})$/.exec(text) ?? []) : []
  return id === undefined ? undefined : [id, Number(until)]
}

const textsOf = (list: unknown): ReadonlyArray<unknown> => (Array.isArray(list) ? list : [])

/**
 * Returns the number of processes that share the store, with this process, as of the last time that the store could be
 * read; `least` until then.
 */
export const make = (least: number) =>
  Effect.gen(function* () {
    const entries = (yield* Store).open(`${listStore}processes`, 1)
    const id = crypto.randomUUID()
    const own = lists[Number.parseInt(id.slice(0, 2), 16) % lists.length] ?? "0"
    let written: ReadonlyArray<string> = []
    let live = least

    const beat = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const found = yield* inStoreTime(entries.getMany(lists))
      const isOver = (text: unknown) => {
        const until = untilOf(text)?.[1] ?? 0
        return until <= now || until > now + 3 * silence
      }
      const others = [...found.values()].flatMap(textsOf).filter((text) => !isOver(text))
      live = new Set([id, ...others.flatMap((text) => untilOf(text)?.[0] ?? [])]).size
      const ended = textsOf(found.get(own)).filter((text): text is string => typeof text === "string" && isOver(text))
      const add = [`${id} ${now + silence}`]
      yield* inStoreTime(entries.changeLists([own], { add, remove: [...written, ...ended] }, timeToLive))
      written = add
    })

    yield* Effect.addFinalizer(() =>
      Effect.disconnect(
        Effect.interruptible(
          Effect.ignore(
            Effect.suspend(() =>
              written.length === 0
                ? Effect.void
                : inStoreTime(entries.changeLists([own], { remove: written }, timeToLive))
            )
          )
        )
      )
    )
    // A second time soon: processes that start together see each other.
    yield* Effect.ignore(beat).pipe(
      Effect.zipRight(Effect.sleep("1 second")),
      Effect.zipRight(Effect.repeat(Effect.ignore(beat), Schedule.spaced(period))),
      Effect.forkScoped
    )
    return () => live
  })
