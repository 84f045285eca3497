import * as Effect from "effect/Effect"

/** Bounds how many effects run at once. */
export interface Permits {
  /** Runs the effect as soon as there is a permit for it; permits are granted in the order of the requests. */
  readonly withPermit: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

interface Ticket {
  granted: boolean
  resume: () => void
}

/**
 * A queue for permits. `Effect.makeSemaphore` wakes all waiting fibers for each released permit, so that time and memory
 * grow with the square of the queue; here a released permit goes to the first in the queue.
 */
export const make = (count: number): Permits => {
  let free = count
  const waiting = new Set<Ticket>()

  const enter = (ticket: Ticket) =>
    Effect.async<void>((resume) => {
      if (free > 0) {
        free--
        ticket.granted = true
        resume(Effect.void)
      } else {
        ticket.resume = () => resume(Effect.void)
        waiting.add(ticket)
      }
    })

  /** Whenever its effect ends, or is interrupted: also between the grant of a permit and the first step with it. */
  const leave = (ticket: Ticket): void => {
    if (!ticket.granted) {
      waiting.delete(ticket)
      return
    }
    const [next] = waiting
    if (next === undefined) free++
    else {
      waiting.delete(next)
      next.granted = true
      next.resume()
    }
  }

  return {
    withPermit: (self) =>
      Effect.suspend(() => {
        const ticket: Ticket = { granted: false, resume: () => {} }
        return Effect.ensuring(
          Effect.zipRight(enter(ticket), self),
          Effect.sync(() => leave(ticket))
        )
      })
  }
}
