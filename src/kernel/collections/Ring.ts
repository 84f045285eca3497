/**
 * Values in the order in which they were added, of which any can be removed at any time. For what is under way, of which
 * much comes and goes: a `Set` would keep garbage alive. Its table is replaced by a new one every so often and then refers to
 * it; once such a dead table is old, collections of young objects take all that its successors ever contained for reachable,
 * until a collection of the whole heap, which is dear. That holds for every `Map` and every linked list as well.
 */
export interface Ring<A> {
  /** The ticket to remove it with. */
  readonly add: (value: A) => number
  /** Whether it was there until now. Nothing refers to it any more. */
  readonly remove: (ticket: number) => boolean
  readonly oldest: () => A | undefined
  readonly removeOldest: () => void
  /** The oldest first. */
  readonly values: () => ReadonlyArray<A>
}

/** Grows to the number of values that were added since the oldest one of those that are there. */
export const make = <A extends object>(): Ring<A> => {
  let slots: Array<A | undefined> = new Array(64).fill(undefined)
  /** The tickets of the oldest value and of the next one that is added. */
  let first = 0
  let next = 0

  const slotOf = (ticket: number) => ticket % slots.length

  const grow = () => {
    const larger: typeof slots = new Array(2 * slots.length).fill(undefined)
    for (let ticket = first; ticket < next; ticket++) larger[ticket % larger.length] = slots[slotOf(ticket)]
    slots = larger
  }

  const remove = (ticket: number): boolean => {
    if (ticket < first || slots[slotOf(ticket)] === undefined) return false
    slots[slotOf(ticket)] = undefined
    while (first < next && slots[slotOf(first)] === undefined) first++
    return true
  }

  return {
    add: (value) => {
      if (next - first === slots.length) grow()
      slots[slotOf(next)] = value
      return next++
    },
    remove,
    oldest: () => slots[slotOf(first)],
    removeOldest: () => {
      remove(first)
    },
    values: () => {
      const found: Array<A> = []
      for (let ticket = first; ticket < next; ticket++) {
        const value = slots[slotOf(ticket)]
        if (value !== undefined) found.push(value)
      }
      return found
    }
  }
}
