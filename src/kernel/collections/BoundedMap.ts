/** Approximate bytes in JavaScriptCore of an object without its members, and of a member without its value. */
const object = 48
const member = 8

/** Deeper values are not counted, so counting a cyclic object ends too. */
const maxDepth = 16

/** Approximate memory of a value in bytes, with its members. A value that is referenced twice counts twice. */
export const sizeOf = (value: unknown, depth = 0): number => {
  switch (typeof value) {
    case "string":
      return 24 + value.length
    case "bigint":
      return 32
    case "object":
      return value === null || depth === maxDepth ? member : sizeOfObject(value, depth + 1)
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
  // Reading the stack of an error would create its text.
  else if (!(value instanceof Error)) for (const item of Object.values(value)) sum += member + sizeOf(item, depth)
  return sum
}

export interface BoundedMapOptions<K, V> {
  /** Maximum number of entries; unlimited by default. */
  readonly capacity?: number
  /** Maximum total weight of all entries, in the unit of `weigh`. A heavier entry is not stored. */
  readonly maxWeight?: number
  /** Weight of an entry, computed when it is set. */
  readonly weigh?: (key: K, value: V) => number
}

/** Evicts the least recently used entry first. Reads count only once half of the capacity or weight is used. */
export interface BoundedMap<K, V> {
  /** If the entry has expired at `now` (ms), removes it and returns undefined. */
  readonly get: (key: K, now?: number) => V | undefined
  readonly has: (key: K) => boolean
  /** Replaces an existing entry. The entry expires at `until` (ms), or never without it. */
  readonly set: (key: K, value: V, until?: number) => void
  /** Returns true if there was an entry. */
  readonly delete: (key: K) => boolean
  readonly deleteOldest: () => void
  readonly clear: () => void
  /** The oldest first. */
  readonly entries: () => ReadonlyArray<readonly [K, V]>
  readonly size: () => number
  readonly weight: () => number
}

interface BoundedEntry<V> {
  /** Set to undefined when the entry is removed; otherwise garbage would be retained. */
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
   * Iterator before the oldest entry. The entries that it has passed were removed, and used entries move to the end. A
   * new iterator would skip the slots of all removed entries, possibly thousands.
   */
  let oldest = entries.keys()

  const deleteOldest = () => {
    let next = oldest.next()
    if (next.done === true) {
      // An iterator that has reached the end stays there.
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
      // While half of the map is free, no entry is evicted soon, and maintaining the order is not worth its cost.
      if (2 * entries.size < capacity && 2 * weight < maxWeight) return entry.value
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    has: (key) => entries.has(key),
    set: (key, value, until = Number.POSITIVE_INFINITY) => {
      const entry = { value, until, weight: weigh?.(key, value) ?? 0 }
      remove(key)
      // It would evict all other entries and still be too heavy.
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

/** Default limit. It is enough because most values are small. */
const usualBytes = 64 * 1024 * 1024

/** Map that is also bounded by the approximate bytes of its keys and values. */
export const sized = <V>(capacity: number, maxBytes = usualBytes): BoundedMap<string, V> =>
  make({ capacity, maxWeight: maxBytes, weigh: (key, value) => sizeOf(key) + sizeOf(value) })
