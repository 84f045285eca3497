import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { maxSkew } from "../storage/quota/Quota.ts"
import { LimitSharing } from "../storage/quota/SharedQuotas.ts"
import { loggingFailures, Store } from "../storage/Store.ts"
import { longestBlock, longestWait } from "./CircuitBreaker.ts"

/** How often a process reads the pauses that others found. */
const period = "1 second"

/** Shares the pauses that hosts demand with the other processes of the store. */
export interface SharedPauses {
  /** Adds a source of this name; `pause` is called with the pause that a host demanded of another process, ms. */
  readonly add: (name: string, pause: (left: number, now: number) => void) => void
  /** A host demanded a pause of this length of this process, ms. */
  readonly demanded: (name: string, pause: number, now: number) => void
}

/** A pause in the store: when it was demanded, and for how long (ms). */
type Demand = readonly [at: number, pause: number]

const isDemand = (value: unknown): value is Demand =>
  Array.isArray(value) && value.length === 2 && value.every((part) => Number.isSafeInteger(part) && part >= 0)

/** The rest of a demand, ms; 0 if its time or its length cannot be true. The clocks of machines differ. */
export const leftOf = (value: unknown, now: number): number => {
  if (!isDemand(value)) return 0
  const [at, pause] = value
  return at > now + maxSkew || pause > longestBlock ? 0 : Math.max(0, Math.min(pause, at + pause - now))
}

export const make = Effect.gen(function* () {
  const store = yield* Store
  const { live } = yield* LimitSharing
  const entries = store.open("pauses", 2)
  const reads = loggingFailures("pauses of hosts: reading the store")
  const writes = loggingFailures("pauses of hosts: writing to the store")
  const sources = new Map<string, (left: number, now: number) => void>()
  /** The ends of pauses that this process knows, ms. */
  const known = new Map<string, number>()
  const unwritten = new Map<string, Demand>()
  /** When the newest pause of others was demanded: that of a clock ahead counts once. */
  const taken = new Map<string, number>()

  const write = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const demands = new Map([...unwritten].filter(([, demand]) => leftOf(demand, now) > 0))
    unwritten.clear()
    const longest = Math.max(...[...demands.values()].map((demand) => leftOf(demand, now)))
    if (demands.size > 0) yield* writes(entries.setMany(demands, longest), undefined)
  })

  const read = Effect.gen(function* () {
    const found = yield* reads(entries.getMany([...sources.keys()]), new Map<string, unknown>())
    const now = yield* Clock.currentTimeMillis
    for (const [name, demand] of found) {
      const left = leftOf(demand, now)
      if (!isDemand(demand) || left === 0 || now + left <= (known.get(name) ?? 0) || taken.get(name) === demand[0])
        continue
      taken.set(name, demand[0])
      known.set(name, now + left)
      sources.get(name)?.(left, now)
    }
  })

  if (store.take !== undefined)
    yield* Effect.suspend(() => (live() === 1 || sources.size === 0 ? Effect.void : Effect.zipRight(write, read))).pipe(
      Effect.repeat(Schedule.spaced(period)),
      Effect.forkScoped
    )

  return {
    add: (name, pause) => void sources.set(name, pause),
    demanded: (name, demanded, now) => {
      const pause = Math.min(Math.ceil(demanded), longestBlock)
      if (pause <= longestWait || now + pause <= (known.get(name) ?? 0)) return
      known.set(name, now + pause)
      unwritten.set(name, [Math.floor(now), pause])
    }
  } satisfies SharedPauses as SharedPauses
})
