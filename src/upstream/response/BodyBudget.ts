import * as Effect from "effect/Effect"

const mebibyte = 1024 * 1024

/** Bodies up to this length, bytes, are not counted: most bodies are this short. */
const free = 65_536

/** Number of bodies beyond {@link free} that are read concurrently, each up to {@link small}. */
const started = Effect.unsafeMakeSemaphore(64)

/** A body beyond this length reserves the largest size that its call allows, bytes. */
const small = mebibyte

/** Total of these reservations, MiB. A body takes three to four times its length until it is decoded. */
const capacity = 32
const large = Effect.unsafeMakeSemaphore(capacity)

/**
 * Share of the memory for the bodies of all upstreams. A body beyond it waits, up to the time limit of its call. Shares
 * are taken in a fixed order, so that no body waits forever.
 */
export const share = () => {
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
    /** Waits until the body may be read up to this length, if its call allows `allowed` bytes; undefined if it may now. */
    reach: (length: number, allowed: number) => {
      if (length <= permitted) return undefined
      const first = permitted === free ? take(started, 1, small) : Effect.void
      if (length <= small) return first
      const units = Math.min(capacity, Math.ceil(allowed / mebibyte))
      return Effect.zipRight(first, take(large, units, Number.POSITIVE_INFINITY))
    },
    /** Runs when the body is read or cancelled. */
    release: Effect.suspend(() => Effect.all(taken.splice(0), { discard: true }))
  }
}

/** Bytes of large bodies after which the memory of the process is checked. */
const lookEach = 64 * mebibyte

/** A process with more memory than this, bytes, collects garbage immediately. */
const muchMemory = 400 * mebibyte

/**
 * The texts of large bodies are soon garbage, but the runtime collects it only when the heap has doubled. A collection
 * blocks the process for 0.1 s, so it runs only after many large bodies, and in a large process.
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

/** Call with the length of each large body that was read. */
export const collectGarbage = collecting(process.memoryUsage.rss, () => Bun.gc(true))
