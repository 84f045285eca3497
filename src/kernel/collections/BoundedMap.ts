/** What an object takes besides its members, and a member besides its value, in bytes: about that of JavaScriptCore. */
const object = 48
const member = 8

/** What lies deeper is not counted; so an object that refers to itself ends, too. */
const deepest = 16

/**
 * About how much memory a value takes, in bytes: text, numbers, and what lists, maps and objects of them hold. What is
 * reached twice counts twice.
 */
export const sizeOf = (value: unknown, depth = 0): number => {
  switch (typeof value) {
    case "string":
      return 24 + value.length
    case "bigint":
      return 32
    case "object":
      return value === null || depth === deepest ? member : sizeOfObject(value, depth + 1)
    default:
      return member
  }
}

const sizeOfObject = (value: object, depth: number): number => {
  if (ArrayBuffer.isView(value)) return object + value.byteLength
  let sum = object
  if (Array.isArray(value)) for (const item of value) sum += member + sizeOf(item, depth)
  else if (value instanceof Map)
    for (const [key, item] of value) sum += 2 * member + sizeOf(key, depth) + sizeOf(item, depth)
  else if (value instanceof Set) for (const item of value) sum += 2 * member + sizeOf(item, depth)
  // The stack of an error is text that is made when it is read.
  else if (!(value instanceof Error)) for (const item of Object.values(value)) sum += member + sizeOf(item, depth)
  return sum
}

export interface BoundedMapOptions<K, V> {
  /** How many entries; without it, any number. */
  readonly capacity?: number
  /** Of all entries, in the unit of `weigh`; an entry that weighs more than that is not taken. */
  readonly maxWeight?: number
  /** What an entry weighs when it is set. */
  readonly weigh?: (key: K, value: V) => number
}

/**
 * The entry that was neither read nor written for the longest time is the first to go; reads count once half of the room is
 * used.
 */
export interface BoundedMap<K, V> {
  /** With a time (ms): undefined, and the entry is removed, where it has expired by then. */
  readonly get: (key: K, now?: number) => V | undefined
  readonly has: (key: K) => boolean
  /** Replaces what there was; `until` is when it expires (ms), never without it. */
  readonly set: (key: K, value: V, until?: number) => void
  /** Whether there was an entry. */
  readonly delete: (key: K) => boolean
  readonly deleteOldest: () => void
  readonly clear: () => void
  /** The oldest first. */
  readonly entries: () => ReadonlyArray<readonly [K, V]>
  readonly size: () => number
  readonly weight: () => number
}

interface BoundedEntry<V> {
  /** Undefined once it is removed, or garbage would be kept alive: see `Ring.ts`. */
  value: V | undefined
  readonly weight: number
  readonly until: number
}

export const make = <K, V>({
  capacity = Number.POSITIVE_INFINITY,
  maxWeight = Number.POSITIVE_INFINITY,
  weigh
}: BoundedMapOptions<K, V>): BoundedMap<K, V> => {
  /** The oldest first. */
  const entries = new Map<K, BoundedEntry<V>>()
  let weight = 0

  const remove = (key: K): boolean => {
    const entry = entries.get(key)
    if (entry === undefined) return false
    weight -= entry.weight
    entry.value = undefined
    return entries.delete(key)
  }

  /**
   * Stands before the oldest entry: what it has passed is removed, and what is used again moves to the end. A new iterator
   * would pass the places of all entries that were removed, of which there may be thousands.
   */
  let oldest = entries.keys()

  const deleteOldest = () => {
    let next = oldest.next()
    if (next.done === true) {
      // An iterator that has come to the end stays there.
      oldest = entries.keys()
      next = oldest.next()
    }
    if (next.done !== true) remove(next.value)
  }

  return {
    get: (key, now = Number.NEGATIVE_INFINITY) => {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (entry.until <= now) {
        remove(key)
        return undefined
      }
      // While half of the room is free nothing goes soon, and the order is not worth its upkeep.
      if (2 * entries.size < capacity && 2 * weight < maxWeight) return entry.value
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    has: (key) => entries.has(key),
    set: (key, value, until = Number.POSITIVE_INFINITY) => {
      const entry = { value, until, weight: weigh?.(key, value) ?? 0 }
      remove(key)
      // It would push out all others, and still be too heavy.
      if (entry.weight > maxWeight) return
      entries.set(key, entry)
      weight += entry.weight
      while (entries.size > capacity || weight > maxWeight) deleteOldest()
    },
    delete: remove,
    deleteOldest,
    clear: () => {
      entries.clear()
      weight = 0
    },
    entries: () => Array.from(entries, ([key, { value }]) => [key, value as V] as const),
    size: () => entries.size,
    weight: () => weight
  }
}

/** Enough for what is small, as most values are. */
const usualBytes = 64 * 1024 * 1024

/** Bounded by the bytes of keys and values as well, about. */
export const sized = <V>(capacity: number, maxBytes = usualBytes): BoundedMap<string, V> =>
  make({ capacity, maxWeight: maxBytes, weigh: (key, value) => sizeOf(key) + sizeOf(value) })
