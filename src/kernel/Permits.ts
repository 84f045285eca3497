import * as Effect from "effect/Effect"
import { identity } from "effect/Function"

/** Limits how many effects run at once, or how much of something they use. */
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
  /** Takes permits, if the owner may have them now. Returns the function that gives them back, to be called once. */
  readonly take: (owner?: object, permits?: number) => (() => void) | undefined
  /**
   * Waits for permits in the queue, possibly not at all. Passes the function that gives them back; the returned function
   * ends the wait.
   */
  readonly enter: (owner: object | undefined, permits: number, granted: (release: () => void) => void) => () => void
  /** Changes the number of permits. Running effects keep theirs. */
  readonly resize: (count: number) => void
  readonly waiting: () => number
}

interface Ticket {
  readonly permits: number
  readonly granted: (release: () => void) => void
}

const waitingFor =
  (take: Permits["take"], enter: Permits["enter"]): Permits["withPermit"] =>
  (self, owner, queued = identity) =>
    Effect.suspend(() => {
      /** Ends the wait, or gives the permit back. */
      let leave: (() => void) | undefined
      const entered = Effect.suspend(() => {
        leave = take(owner)
        if (leave !== undefined) return self
        const wait = Effect.async<void>((resume) => {
          const end = enter(owner, 1, (release) => {
            leave = release
            resume(Effect.void)
          })
          leave ??= end
        })
        return Effect.zipRight(queued(wait), self)
      })
      // Even if it is interrupted between a grant and its first step.
      return Effect.ensuring(
        entered,
        Effect.sync(() => leave?.())
      )
    })

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
  const counts = new Map<object | undefined, number>()
  /** The waiting tickets of each owner; the first owner is the next. */
  const queues = new Map<object | undefined, Set<Ticket>>()

  const countOf = (owner: object | undefined): number => counts.get(owner) ?? 0

  const add = (owner: object | undefined, change: number): void => {
    used += change
    if (shared) counts.set(owner, countOf(owner) + change)
  }

  const take = (owner?: object, permits = 1): (() => void) | undefined => {
    const free = count - used
    if (permits > free || (shared && countOf(owner) + permits > free)) return undefined
    add(owner, permits)
    return () => {
      add(owner, -permits)
      grant()
    }
  }

  const grant = (): void => {
    for (const [owner, queue] of queues) {
      if (used >= count) return
      const [ticket] = queue
      const release = ticket && take(owner, ticket.permits)
      if (ticket !== undefined && release === undefined) continue
      queues.delete(owner)
      if (ticket === undefined || release === undefined) continue
      queue.delete(ticket)
      waiting--
      if (queue.size > 0) queues.set(owner, queue)
      ticket.granted(release)
    }
  }

  const enter: Permits["enter"] = (owner, permits, granted) => {
    const ticket: Ticket = { permits, granted }
    queues.set(owner, (queues.get(owner) ?? new Set()).add(ticket))
    waiting++
    grant()
    return () => {
      if (queues.get(owner)?.delete(ticket)) waiting--
    }
  }

  return {
    withPermit: waitingFor(take, enter),
    take,
    enter,
    resize: (next) => {
      count = next
      grant()
    },
    waiting: () => waiting
  }
}
