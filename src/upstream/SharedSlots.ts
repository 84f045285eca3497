import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Random from "effect/Random"
import { loggingFailures, Store, skippingFailures } from "../storage/Store.ts"

/** A slot of a process that has ended is free again after this time. Calls are shorter. */
const longest = "30 seconds"

/** Slots that are tried at a time: one that is free is found soon, and few requests go to the store. */
const tried = 3

/** Usual time between two tries, ms. */
const pause = 50

/** Longer than for a cached value: without the store, counts are not exact. */
const maxWait = "2 seconds"

/** Calls in progress to a host that all processes of the store count together. */
export interface SharedSlots {
  /**
   * Waits for one of this many slots, and returns the function that gives it back. Waits no longer if they are undefined, or
   * if the store fails. Cannot fail.
   */
  readonly take: (name: string, count: () => number | undefined) => Effect.Effect<() => void>
}

const nothing = () => {}

/** Undefined if the store is not shared. */
export const make = Effect.gen(function* () {
  const store = yield* Store
  if (store.take === undefined) return undefined
  const run = yield* FiberSet.makeRuntime<never>()
  const claims = skippingFailures("calls in progress to hosts: counting them in the store", maxWait)
  const releases = loggingFailures("calls in progress to hosts: releasing them in the store", maxWait)
  const id = crypto.randomUUID()
  let calls = 0

  /** Takes a slot. Returns undefined if another call has it. */
  const claim = (lease: string) =>
    Effect.suspend(() => {
      const owner = `${id} ${calls++}`
      const release = () => void run(releases(store.release(lease, owner), undefined))
      const taken = store.claim(lease, owner, longest).pipe(
        // Its caller has gone, or the store was too slow, and may have taken it.
        Effect.onInterrupt(() => Effect.sync(release)),
        Effect.map((isTaken) => (isTaken ? release : undefined))
      )
      return claims(taken, nothing)
    })

  /** Tries some of the slots, beginning at any. */
  const claimAny = (name: string, count: number) =>
    Effect.flatMap(Random.nextIntBetween(0, count), (first) =>
      Effect.iterate(
        { release: undefined as (() => void) | undefined, index: 0 },
        {
          while: ({ index, release }) => release === undefined && index < Math.min(count, tried),
          body: ({ index }) =>
            Effect.map(claim(`slot ${name} ${(first + index) % count}`), (release) => ({ release, index: index + 1 }))
        }
      )
    )

  const take: SharedSlots["take"] = (name, count) =>
    Effect.gen(function* () {
      for (;;) {
        const slots = count()
        if (slots === undefined) return nothing
        const { release } = yield* claimAny(name, slots)
        if (release !== undefined) return release
        yield* Effect.sleep(Duration.millis(yield* Random.nextRange(pause / 2, (3 * pause) / 2)))
      }
    })

  return { take } satisfies SharedSlots as SharedSlots
})
