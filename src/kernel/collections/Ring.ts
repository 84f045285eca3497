/** Handle to remove a value. */
export interface Ticket<A> {
  /** Undefined once the value is removed. */
  value: A | undefined
  at: number
}

/**
 * Values in insertion order, each of which can be removed at any time. For frequent, short-lived entries such as
 * requests in progress, because a `Set` retains garbage: it regularly replaces its table, and the old table refers to
 * the new. Once such a dead table is in the old generation, collections of young objects treat what its successors
 * contained as reachable until the next full collection, which is expensive. Every `Map` and linked list does the same.
 */
export interface Ring<A> {
  readonly add: (value: A) => Ticket<A>
  /** Removes the value and all references to it. Returns true if it was present. */
  readonly remove: (ticket: Ticket<A>) => boolean
  readonly oldest: () => A | undefined
  readonly removeOldest: () => void
  /** The oldest first. */
  readonly values: () => ReadonlyArray<A>
}

/** Starts with 64 slots. After it grows, it has fewer than four slots per value. */
export const make = <A extends object>(): Ring<A> => {
  let places: Array<Ticket<A> | undefined> = new Array(64).fill(undefined)
  /** Positions of the oldest value and of the next value, modulo the number of slots. {@link rearrange} resets them. */
  let first = 0
  let next = 0

  const tickets = () =>
    Array.from({ length: next - first }, (_, index) => places[(first + index) % places.length]).filter(
      (ticket) => ticket !== undefined
    )

  /** Removes the gaps, and doubles the number of slots if fewer than half of them would be free. */
  const rearrange = () => {
    const all = tickets()
    places = new Array(2 * all.length > places.length ? 2 * places.length : places.length).fill(undefined)
    for (const [at, ticket] of all.entries()) {
      ticket.at = at
      places[at] = ticket
    }
    first = 0
    next = all.length
  }

  const remove = (ticket: Ticket<A>): boolean => {
    if (ticket.value === undefined) return false
    ticket.value = undefined
    places[ticket.at % places.length] = undefined
    while (first < next && places[first % places.length] === undefined) first++
    return true
  }

  return {
    add: (value) => {
      if (next - first === places.length) rearrange()
      const ticket = { value, at: next++ }
      places[ticket.at % places.length] = ticket
      return ticket
    },
    remove,
    oldest: () => places[first % places.length]?.value,
    removeOldest: () => {
      const ticket = places[first % places.length]
      if (ticket !== undefined) remove(ticket)
    },
    values: () => tickets().flatMap(({ value }) => value ?? [])
  }
}
