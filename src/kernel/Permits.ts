import * as Effect from "effect/Effect"
import { identity } from "effect/Function"

/** Limits how many effects run at once. */
export interface Permits {
  /**
   * Runs the effect once it has a permit. Released permits go to the waiting owners in turns, and to the effects of an owner
   * in order: an owner of many effects delays the others by one effect each. `queued` wraps the wait for a permit, and may
   * end it with a failure.
   */
  readonly withPermit: <A, E, R, E2 = never>(
    self: Effect.Effect<A, E, R>,
    owner?: object,
    queued?: (wait: Effect.Effect<void>) => Effect.Effect<void, E2>
  ) => Effect.Effect<A, E | E2, R>
  /** Takes a permit, if the owner may have one now. Returns the function that gives it back, to be called once. */
  readonly take: (owner?: object) => (() => void) | undefined
  /** Changes the number of permits. Running effects keep theirs. */
  readonly resize: (count: number) => void
  readonly waiting: () => number
}

interface Ticket {
  readonly owner: object | undefined
  granted: boolean
  resume: () => void
}

/**
 * A queue for permits. `Effect.makeSemaphore` wakes all waiting fibers for each released permit, so that time and memory
 * grow with the square of the queue; here a released permit goes to one of them. If they are `shared`, an owner gets a
 * permit only while more permits are free than it has: one owner gets half of them, two get a third each, and so on.
 */
export const make = (initial: number, shared = false): Permits => {
  let count = initial
  let used = 0
  let waiting = 0
  /** Number of permits of each owner. */
  const counts = new Map<Ticket["owner"], number>()
  /** The waiting tickets of each owner; the first owner is the next. */
  const queues = new Map<Ticket["owner"], Set<Ticket>>()

  const countOf = (owner: Ticket["owner"]): number => counts.get(owner) ?? 0

  const mayTake = (owner: Ticket["owner"]): boolean => used < count && (!shared || countOf(owner) < count - used)

  const add = (owner: Ticket["owner"], change: 1 | -1): void => {
    used += change
    if (shared) counts.set(owner, countOf(owner) + change)
  }

  const release = (owner: Ticket["owner"]): void => {
    add(owner, -1)
    grant()
  }

  const grant = (): void => {
    for (const [owner, queue] of queues) {
      if (used >= count) return
      if (!mayTake(owner)) continue
      queues.delete(owner)
      const [ticket] = queue
      if (ticket === undefined) continue
      queue.delete(ticket)
      waiting--
      if (queue.size > 0) queues.set(owner, queue)
      add(owner, 1)
      ticket.granted = true
      ticket.resume()
    }
  }

  const enter = (ticket: Ticket) =>
    Effect.async<void>((resume) => {
      ticket.resume = () => resume(Effect.void)
      queues.set(ticket.owner, (queues.get(ticket.owner) ?? new Set()).add(ticket))
      waiting++
      grant()
    })

  /** Runs when the effect ends or is interrupted, even between a grant and the first step of the effect. */
  const leave = (ticket: Ticket): void => {
    if (ticket.granted) release(ticket.owner)
    else if (queues.get(ticket.owner)?.delete(ticket)) waiting--
  }

  return {
    withPermit: (self, owner, queued = identity) =>
      Effect.suspend(() => {
        const ticket: Ticket = { owner, granted: false, resume: () => {} }
        const entered = Effect.suspend(() => {
          if (!mayTake(owner)) return Effect.zipRight(queued(enter(ticket)), self)
          add(owner, 1)
          ticket.granted = true
          return self
        })
        return Effect.ensuring(
          entered,
          Effect.sync(() => leave(ticket))
        )
      }),
    take: (owner) => {
      if (!mayTake(owner)) return undefined
      add(owner, 1)
      return () => release(owner)
    },
    resize: (next) => {
      count = next
      grant()
    },
    waiting: () => waiting
  }
}
