import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Permits from "../../kernel/Permits.ts"
import type { Fault } from "../UpstreamError.ts"

const mebibyte = 1024 * 1024

/** Bodies up to this length, bytes, are not counted: most bodies are this short. */
const free = 65_536

/** Bytes of all bodies but one; that one has at most the same, the longest that a call allows. */
const capacity = 16 * mebibyte

/** The memory of one body. It takes three to four times as much until it is decoded. */
export interface Memory {
  /**
   * Reserves up to `target` bytes if the body does not have the first `length` yet. The body has at most `most`. Undefined
   * if it need not wait.
   */
  readonly reserve: (length: number, target: number, most: number) => Effect.Effect<void, Fault> | undefined
  /** Runs when the body is read or cancelled. */
  readonly release: Effect.Effect<void>
}

/** Wraps a wait for memory, and may end it with a fault. */
export type Waiting = (wait: Effect.Effect<void>) => Effect.Effect<void, Fault>

/** Returns the memory of the next body of an owner. */
type Budget = (owner: Permits.Owner, waiting: Waiting) => Memory

/**
 * Memory for many bodies, which reserve it in steps. A group gets more only while more is free than it has, and released
 * memory goes to the waiting owners in turns. All bodies may have a part and wait for more, so one waiting body may exceed
 * the capacity, also in turns: one body after another can always be read to its end.
 */
const budget = (groupOf: (owner: Permits.Owner) => Permits.Owner = identity): Budget => {
  const permits = Permits.make(capacity, { isShared: true, groupOf })
  const exceeding = Permits.make(1)

  return (owner, whileWaiting) => {
    const releases: Array<() => void> = []
    let reserved = free
    /** Ends the wait for its turn to exceed the capacity, which continues until it cannot need more memory. */
    let endTurn: (() => void) | undefined
    /** Ends the current wait, after its turn. */
    let proceed = () => {}

    const granted = (release: () => void, length: number): void => {
      releases.push(release)
      reserved = length
    }

    const wait = (target: number, most: number) =>
      Effect.async<void>((resume) => {
        // Its turn may come before the wait starts.
        if (target <= reserved) return resume(Effect.void)
        const leave = permits.enter(owner, target - reserved, (release) => {
          granted(release, target)
          if (target >= most) endTurn?.()
          resume(Effect.void)
        })
        proceed = () => {
          leave()
          resume(Effect.void)
        }
        if (reserved < target)
          endTurn ??= exceeding.enter(owner, 1, (release) => {
            granted(release, Number.POSITIVE_INFINITY)
            proceed()
          })
        return Effect.sync(leave)
      })

    return {
      reserve: (length, target, most) => {
        if (length <= reserved) return undefined
        const release = permits.take(owner, target - reserved)
        if (release === undefined) return whileWaiting(wait(target, most))
        granted(release, target)
        return undefined
      },
      release: Effect.sync(() => {
        endTurn?.()
        for (const release of releases.splice(0)) release()
      })
    }
  }
}

/** For the service's own reads. */
export const own = budget()

const clients = budget((owner) => String(owner).split(" ", 1)[0])

/** For calls of clients to nodes, which determine the length of the responses. The clients of a host take turns. */
export const ofClients = (host: string, client: string | undefined, waiting: Waiting): Memory =>
  clients(`${host} ${client}`, waiting)

/** A wait for memory took too long, which is no fault of the upstream. */
export const exhausted: Fault = { reason: "timeout", detail: "too many other large responses were being read" }

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
