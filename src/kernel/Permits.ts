import * as Effect from "effect/Effect"
import { identity } from "effect/Function"

/** Whose effects take turns: equal values are one owner. */
export type Owner = object | string | undefined

/** Limits how many effects run at once, or how much of something they use. */
export interface Permits {
  /**
   * Runs the effect once it has a permit. Released permits go to the waiting owners in turns, and to the effects of an owner
   * in order: an owner of many effects delays the others by one effect each. `queued` wraps the wait for a permit, and may
   * end it with a failure. The effect may take more than one permit.
   */
  readonly withPermit: <A, E, R, E2 = never>(
    self: Effect.Effect<A, E, R>,
    owner?: Owner,
    queued?: (wait: Effect.Effect<void>) => Effect.Effect<void, E2>,
    permits?: number
  ) => Effect.Effect<A, E | E2, R>
  /** Takes permits, if the owner may have them now. Returns the function that gives them back, to be called once. */
  readonly take: (owner?: Owner, permits?: number) => (() => void) | undefined
  /**
   * Waits for permits in the queue, possibly not at all. Passes the function that gives them back; the returned function
   * ends the wait.
   */
  readonly enter: (owner: Owner, permits: number, granted: (release: () => void) => void) => () => void
  /** Changes the number of permits. Running effects keep theirs. */
  readonly resize: (count: number) => void
  /** The number of waiting effects: of all owners, or without those of guests. */
  readonly waiting: (isWithoutGuests?: boolean) => number
}

interface PermitOptions {
  /** If true, an owner gets a permit only while more permits are free than it has. */
  readonly isShared?: boolean
  /** If true, an effect that wants several permits gets at most half of those that are free, but at least one. */
  readonly isPartial?: boolean
  /** Whose permits count together if they are shared: by default, each owner's own. */
  readonly groupOf?: (owner: Owner) => Owner
  /**
   * True for owners that together leave a quarter of the permits to others, or half while others wait. A guest gets a
   * permit only while more of their part are free than it has, and takes as many of several as it may have, at least one.
   * By default, none is a guest.
   */
  readonly isGuest?: (owner: Owner) => boolean
}

interface Ticket {
  readonly permits: number
  readonly granted: (release: () => void) => void
}

const waitingFor =
  (take: Permits["take"], enter: Permits["enter"]): Permits["withPermit"] =>
  (self, owner, queued = identity, permits = 1) =>
    Effect.suspend(() => {
      /** Ends the wait, or gives the permit back. */
      let leave: (() => void) | undefined
      const entered = Effect.suspend(() => {
        leave = take(owner, permits)
        if (leave !== undefined) return self
        const wait = Effect.async<void>((resume) => {
          const end = enter(owner, permits, (release) => {
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

const noGuests = () => false

/** Counts the permits in use, and the waiting effects. */
const counting = ({ groupOf = identity, isGuest = noGuests, isPartial, isShared = false }: PermitOptions) => {
  const used = { all: 0, guests: 0 }
  const waiting = { all: 0, guests: 0 }
  /** The owners or groups whose permits are limited. */
  const holders = new Map<Owner, { permits: number }>()

  const change = (numbers: typeof used, by: number, isOfGuest: boolean): void => {
    numbers.all += by
    if (isOfGuest) numbers.guests += by
  }

  /** The most permits that guests may have now: at least one, unless others wait. */
  const guestShare = (count: number): number =>
    waiting.all === waiting.guests ? Math.max(1, Math.floor((3 * count) / 4)) : Math.floor(count / 2)

  /** How many of these permits an owner that has `own` may take now. */
  const allowed = (permits: number, own: number, isOfGuest: boolean, count: number): number => {
    const free = count - used.all
    // As if they were taken one by one.
    if (isOfGuest) return Math.min(permits, free, Math.floor((guestShare(count) - used.guests - own + 1) / 2))
    if (isPartial === true) return Math.min(permits, Math.ceil(free / 2))
    return permits + (isShared ? own : 0) > free ? 0 : permits
  }

  return {
    used,
    waiting,
    /** Uses these of all permits, if the owner may have them. `released` is called when they are given back. */
    use: (owner: Owner, permits: number, count: number, released: () => void): (() => void) | undefined => {
      const guest = isGuest(owner)
      const group = groupOf(owner)
      const holder = isShared || guest ? (holders.get(group) ?? { permits: 0 }) : undefined
      const taken = allowed(permits, holder?.permits ?? 0, guest, count)
      if (taken < 1) return undefined
      change(used, taken, guest)
      if (holder !== undefined) {
        if (holder.permits === 0) holders.set(group, holder)
        holder.permits += taken
      }
      return () => {
        change(used, -taken, guest)
        if (holder !== undefined) {
          holder.permits -= taken
          if (holder.permits === 0) holders.delete(group)
        }
        released()
      }
    },
    wait: (owner: Owner, by: 1 | -1): void => change(waiting, by, isGuest(owner))
  }
}

/**
 * A queue for permits. `Effect.makeSemaphore` wakes all waiting fibers for each released permit, so that time and memory
 * grow with the square of the queue; here a released permit goes to one of them. If they are shared, one owner gets half
 * of them, two get a third each, and so on.
 */
export const make = (initial: number, options: PermitOptions = {}): Permits => {
  let count = initial
  const { use, used, wait, waiting } = counting(options)
  /** The waiting tickets of each owner; the first owner is the next. */
  const queues = new Map<Owner, Set<Ticket>>()

  const released = (): void => {
    if (queues.size > 0) grant()
  }

  const take = (owner?: Owner, permits = 1): (() => void) | undefined => use(owner, permits, count, released)

  const grant = (): void => {
    for (const [owner, queue] of queues) {
      if (used.all >= count) return
      const [ticket] = queue
      const release = ticket && take(owner, ticket.permits)
      if (ticket !== undefined && release === undefined) continue
      queues.delete(owner)
      if (ticket === undefined || release === undefined) continue
      queue.delete(ticket)
      wait(owner, -1)
      if (queue.size > 0) queues.set(owner, queue)
      ticket.granted(release)
    }
  }

  const enter: Permits["enter"] = (owner, permits, granted) => {
    const ticket: Ticket = { permits, granted }
    queues.set(owner, (queues.get(owner) ?? new Set()).add(ticket))
    wait(owner, 1)
    grant()
    return () => {
      if (queues.get(owner)?.delete(ticket)) wait(owner, -1)
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
    waiting: (isWithoutGuests = false) => waiting.all - (isWithoutGuests ? waiting.guests : 0)
  }
}
