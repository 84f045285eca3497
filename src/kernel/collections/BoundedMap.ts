import * as Effect from "effect/Effect"
import * as MemoryBudget from "./MemoryBudget.ts"
import { sizeOf } from "./sizeOf.ts"

export interface BoundedMapOptions<K, V> {
  /** Its name in the usage of a budget. */
  readonly name?: string
  /** Maximum number of entries; unlimited by default. */
  readonly capacity?: number
  /** Bounds the weight of this map and of the others that share it. A heavier entry is not stored. */
  readonly budget?: MemoryBudget.MemoryBudget
  /** Weight of an entry, computed when it is set. */
  readonly weigh?: (key: K, value: V) => number
}

/** Evicts the least recently used entry first. Reads count only once half of the capacity or budget is used. */
export interface BoundedMap<K, V> {
  /** If the entry has expired at `now` (ms), removes it and returns undefined. */
  readonly get: (key: K, now?: number) => V | undefined
  readonly has: (key: K) => boolean
  /** Like `get`, but does not count as a use. */
  readonly peek: (key: K, now?: number) => V | undefined
  /** Replaces an existing entry. The entry expires at `until` (ms), or never without it. */
  readonly set: (key: K, value: V, until?: number) => void
  /** Returns true if there was an entry. */
  readonly delete: (key: K) => boolean
  readonly clear: () => void
  /** The oldest first. */
  readonly entries: () => ReadonlyArray<readonly [K, V]>
  readonly size: () => number
  readonly weight: () => number
}

interface BoundedEntry<K, V> {
  readonly key: K
  /** Set to undefined when the entry is removed; otherwise garbage would be retained. */
  value: V | undefined
  readonly weight: number
  readonly until: number
  /** Number of its last use. */
  used: number
}

/** The entries in the order of their use. */
const byUse = <K, V>() => {
  const entries = new Map<K, BoundedEntry<K, V>>()
  /**
   * Iterator behind the oldest entry. The entries that it has passed were removed, and used entries move to the end. A
   * new iterator would skip the slots of all removed entries, possibly thousands.
   */
  let iterator = entries.values()
  let oldest: BoundedEntry<K, V> | undefined

  const remove = (entry: BoundedEntry<K, V>) => {
    if (entry === oldest) oldest = undefined
    entries.delete(entry.key)
  }

  return {
    entries,
    oldest: (): BoundedEntry<K, V> | undefined => {
      if (oldest !== undefined || entries.size === 0) return oldest
      const next = iterator.next()
      // An iterator that has reached the end stays there.
      if (next.done === true) iterator = entries.values()
      oldest = next.done === true ? iterator.next().value : next.value
      return oldest
    },
    remove,
    moveToEnd: (entry: BoundedEntry<K, V>) => {
      remove(entry)
      entries.set(entry.key, entry)
    }
  }
}

export const make = <K, V>({
  budget = MemoryBudget.make(Number.POSITIVE_INFINITY),
  capacity = Number.POSITIVE_INFINITY,
  name = "",
  weigh
}: BoundedMapOptions<K, V>): BoundedMap<K, V> => {
  const order = byUse<K, V>()
  const { entries } = order
  let weight = 0
  let hits = 0
  let misses = 0
  let evicted = 0

  const remove = (entry: BoundedEntry<K, V> | undefined): boolean => {
    if (entry === undefined) return false
    order.remove(entry)
    entry.value = undefined
    weight -= entry.weight
    budget.add(-entry.weight)
    return true
  }

  /** The entry; undefined if it has expired, which removes it. */
  const current = (key: K, now = Number.NEGATIVE_INFINITY) => {
    const entry = entries.get(key)
    if (entry === undefined || entry.until > now) return entry
    remove(entry)
    return undefined
  }

  const evictOldest = () => {
    if (remove(order.oldest())) evicted++
  }

  if (weigh !== undefined)
    budget.join({
      name,
      weight: () => weight,
      usage: () => ({ entries: entries.size, bytes: weight, hits, misses, evicted }),
      oldestUse: () => order.oldest()?.used,
      evictOldest
    })

  return {
    get: (key, now) => {
      const entry = current(key, now)
      if (entry === undefined) {
        misses++
        return undefined
      }
      hits++
      // While half of the map is free, no entry is evicted soon, and maintaining the order is not worth its cost.
      if (2 * entries.size < capacity && !budget.isScarce()) return entry.value
      entry.used = budget.use()
      order.moveToEnd(entry)
      return entry.value
    },
    has: (key) => entries.has(key),
    peek: (key, now) => current(key, now)?.value,
    set: (key, value, until = Number.POSITIVE_INFINITY) => {
      const entry = { key, value, until, weight: weigh?.(key, value) ?? 0, used: budget.use() }
      remove(entries.get(key))
      // It would evict all other entries and still be too heavy.
      if (entry.weight > budget.max) return
      entries.set(key, entry)
      while (entries.size > capacity) evictOldest()
      weight += entry.weight
      budget.add(entry.weight)
    },
    delete: (key) => remove(entries.get(key)),
    clear: () => {
      for (const entry of entries.values()) remove(entry)
    },
    entries: () => Array.from(entries, ([key, { value }]) => [key, value as V] as const),
    size: () => entries.size,
    weight: () => weight
  }
}

/** Bytes of an entry without its key and value; see {@link sizeOf}. */
export const entryBytes = 112

/** Bound of a map's bytes where the process has no budget. */
const usualBytes = 64 * 1024 * 1024

/** Options of a map in the memory budget of the process, by which its entries are evicted with those of other maps. */
export const inMemory = (name: string) =>
  Effect.map(MemoryBudget.CurrentMemoryBudget, (budget = MemoryBudget.make(usualBytes)) => ({ name, budget }))

/** Map in the memory budget of the process that weighs its keys and values. */
export const sized = <V>(name: string, capacity: number): Effect.Effect<BoundedMap<string, V>> =>
  Effect.map(inMemory(name), (shared) =>
    make({ ...shared, capacity, weigh: (key, value) => entryBytes + sizeOf(key) + sizeOf(value) })
  )
