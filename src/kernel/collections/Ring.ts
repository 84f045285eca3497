/** What a value is removed with. */
export interface Ticket<A> {
  /** Undefined once it is removed. */
  value: A | undefined
  at: number
}

/**
 * Values in the order in which they were added, of which any can be removed at any time. For what is under way, of which
 * much comes and goes: a `Set` would keep garbage alive. Its table is replaced by a new one every so often and then refers to
 * it; once such a dead table is old, collections of young objects take what its successors contained for reachable, until a
 * collection of the whole heap, which is dear. That holds for every `Map` and every linked list as well.
 */
export interface Ring<A> {
  readonly add: (value: A) => Ticket<A>
  /** Whether it was there until now. Nothing refers to it any more. */
  readonly remove: (ticket: Ticket<A>) => boolean
  readonly oldest: () => A | undefined
  readonly removeOldest: () => void
  /** The oldest first. */
  readonly values: () => ReadonlyArray<A>
}

/** Has at most four places for each value, or 64. */
export const make = <A extends object>(): Ring<A> => {
  let places: Array<Ticket<A> | undefined> = new Array(64).fill(undefined)
  /** Where the oldest value is, and the next one will be, in a row that begins anew when the places do. */
  let first = 0
  let next = 0

  const tickets = () =>
    Array.from({ length: next - first }, (_, index) => places[(first + index) % places.length]).filter(
      (ticket) => ticket !== undefined
    )

  /** Closes the gaps, with twice the places where that leaves less than half of them free. */
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
