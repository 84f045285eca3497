import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { inStoreTime, listStore, maxTexts, Store } from "../Store.ts"
import { maxSkew } from "./Quota.ts"

/** How often a process says that it lives. */
const period = "5 seconds"

/** A process that says nothing for this time has ended, ms. */
const silence = 20_000

/** Time to live of the lists in the store. */
const timeToLive = "1 minute"

/** Lists of processes. */
const lists = Array.from({ length: 16 }, (_, index) => String(index))

/** The form of a text: the process, and until when it lives (ms). */
const untilOf = (text: unknown): readonly [string, number] | undefined => {
  const [, id, until] = typeof text === "string" ? (/^([\w-]{1,64}) (\d{1,15})$/.exec(text) ?? []) : []
  return id === undefined ? undefined : [id, Number(until)]
}

const textsOf = (list: unknown): ReadonlyArray<unknown> => (Array.isArray(list) ? list.slice(-maxTexts) : [])

/** What a process said, and the time of this process when it was new (ms). */
interface Said {
  readonly until: number
  readonly at: number
}

/**
 * Clocks of machines differ: a process lives while what it says changes. When it is seen for the first time, its time
 * decides, with the tolerated skew.
 */
const saidOf = (until: number, earlier: Said | undefined, now: number): Said => {
  if (earlier?.until === until) return earlier
  const isTrue = until > now - maxSkew && until <= now + silence + maxSkew
  return { until, at: earlier !== undefined || isTrue ? now : now - silence }
}

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
    let said = new Map<string, Said>()

    const beat = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const found = yield* inStoreTime(entries.getMany(lists))
      const latest = new Map<string, Said>()
      for (const [other, until] of [...found.values()].flatMap(textsOf).flatMap((text) => {
        const read = untilOf(text)
        return read === undefined ? [] : [read]
      }))
        latest.set(other, saidOf(until, said.get(other), now))
      said = latest
      const isOver = (text: unknown) => {
        const at = said.get(untilOf(text)?.[0] ?? "")?.at
        return at === undefined || now - at >= silence
      }
      live = new Set([id, ...[...said].flatMap(([other, { at }]) => (now - at < silence ? [other] : []))]).size
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
