import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { LimitSharing } from "../storage/quota/SharedQuotas.ts"
import { loggingFailures, Store } from "../storage/Store.ts"
import { longestWait } from "./CircuitBreaker.ts"

/** How often a process reads the pauses that others found. */
const period = "1 second"

/** Shares the pauses that hosts demand with the other processes of the store. */
export interface SharedPauses {
  /** Adds a source of this name; `pause` is called with the pause that a host demanded of another process, ms. */
  readonly add: (name: string, pause: (left: number, now: number) => void) => void
  /** A host demanded a pause of this length of this process, ms. */
  readonly demanded: (name: string, pause: number, now: number) => void
}

export const make = Effect.gen(function* () {
  const store = yield* Store
  const { live } = yield* LimitSharing
  const entries = store.open("pauses", 1)
  const reads = loggingFailures("pauses of hosts: reading the store")
  const writes = loggingFailures("pauses of hosts: writing to the store")
  const sources = new Map<string, (left: number, now: number) => void>()
  /** The ends of pauses that this process knows, ms. */
  const known = new Map<string, number>()
  const unwritten = new Map<string, number>()

  const write = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const ends = new Map([...unwritten].filter(([, until]) => until > now))
    unwritten.clear()
    if (ends.size > 0) yield* writes(entries.setMany(ends, Math.max(...ends.values()) - now), undefined)
  })

  const read = Effect.gen(function* () {
    const found = yield* reads(entries.getMany([...sources.keys()]), new Map<string, unknown>())
    const now = yield* Clock.currentTimeMillis
    for (const [name, until] of found) {
      if (typeof until !== "number" || until <= Math.max(now, known.get(name) ?? 0)) continue
      known.set(name, until)
      sources.get(name)?.(until - now, now)
    }
  })

  if (store.take !== undefined)
    yield* Effect.suspend(() => (live() === 1 || sources.size === 0 ? Effect.void : Effect.zipRight(write, read))).pipe(
      Effect.repeat(Schedule.spaced(period)),
      Effect.forkScoped
    )

  return {
    add: (name, pause) => void sources.set(name, pause),
    demanded: (name, pause, now) => {
      if (pause <= longestWait || now + pause <= (known.get(name) ?? 0)) return
      known.set(name, now + pause)
      unwritten.set(name, now + pause)
    }
  } satisfies SharedPauses as SharedPauses
})
