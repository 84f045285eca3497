import * as Effect from "effect/Effect"

const mebibyte = 1024 * 1024

/** Bodies up to this length, bytes, have no part in the budget: they are most, and short. */
const free = 65_536

/** Of bodies beyond {@link free} so many are read at a time, each up to {@link small}. */
const started = Effect.unsafeMakeSemaphore(64)

/** A body of this length may need all that its call allows, bytes. */
const small = mebibyte

/** What longer ones may take together, MiB. A body takes three to four times its length until it is decoded. */
const capacity = 32
const large = Effect.unsafeMakeSemaphore(capacity)

/** What one body has of the budget. */
interface BodyShare {
  /** Waits until a body may be read beyond this length (bytes), of those that its call allows; undefined where it may now. */
  readonly reach: (length: number, allowed: number) => Effect.Effect<void> | undefined
  /** Runs when the body is read, or given up. */
  readonly release: Effect.Effect<void>
}

/**
 * A share of the memory for the bodies of all upstreams together. A body beyond it waits, for as long as its call may take;
 * what it has while it waits is never what others wait for, so that none waits for ever.
 */
export const share = (): BodyShare => {
  const taken: Array<Effect.Effect<unknown>> = []
  let permitted = free

  const take = (semaphore: Effect.Semaphore, units: number, upTo: number) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.map(restore(semaphore.take(units)), () => {
        taken.push(semaphore.release(units))
        permitted = upTo
      })
    )

  return {
    reach: (length, allowed) => {
      if (length <= permitted) return undefined
      const first = permitted === free ? take(started, 1, small) : Effect.void
      if (length <= small) return first
      const units = Math.min(capacity, Math.ceil(allowed / mebibyte))
      return Effect.zipRight(first, take(large, units, Number.POSITIVE_INFINITY))
    },
    release: Effect.suspend(() => Effect.all(taken.splice(0), { discard: true }))
  }
}

/** After so many bytes of large bodies the memory of the process is looked at. */
const lookEach = 64 * mebibyte

/** A process with more memory than this, bytes, collects its garbage at once. */
const muchMemory = 400 * mebibyte

/**
 * The texts of large bodies are garbage soon, but the runtime collects it only once the heap has doubled. Collecting at once
 * holds the process up for 0.1 s, so it happens only where many such bodies come and the process is large.
 */
export const collecting = (memory: () => number, collect: () => void) => {
  let read = 0
  return (length: number): void => {
    read += length
    if (read < lookEach) return
    read = 0
    if (memory() > muchMemory) collect()
  }
}

/** To be called with the length of each large body that was read. */
export const collectGarbage = collecting(process.memoryUsage.rss, () => Bun.gc(true))
