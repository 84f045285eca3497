import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { sizeOf } from "../kernel/sizeOf.ts"
import { type Entries, Store } from "./Store.ts"

/** Enough for what is small, as most values are. */
const usualBytes = 64 * 1024 * 1024

interface MemoryEntry<V> {
  readonly value: V
  readonly bytes: number
}

/** Keeps at most `capacity` values, and about `maxBytes` (Infinity: not measured) of keys and values; the one not read or written for the longest time goes first. */
export const lru = <V>(capacity: number, maxBytes = usualBytes) => {
  const entries = new Map<string, MemoryEntry<V>>()
  let bytes = 0
  const remove = (key: string) => {
    bytes -= entries.get(key)?.bytes ?? 0
    return entries.delete(key)
  }
  const removeOldest = () => {
    for (const oldest of entries.keys()) return remove(oldest)
    return false
  }
  return {
    get: (key: string): V | undefined => {
      const held = entries.get(key)
      if (held === undefined) return undefined
      entries.delete(key)
      entries.set(key, held)
      return held.value
    },
    has: (key: string) => entries.has(key),
    set: (key: string, value: V) => {
      const held = { value, bytes: maxBytes === Number.POSITIVE_INFINITY ? 0 : sizeOf(key) + sizeOf(value) }
      remove(key)
      // It would push out all others, and still be too large.
      if (held.bytes > maxBytes) return
      entries.set(key, held)
      bytes += held.bytes
      while (entries.size > capacity || bytes > maxBytes) removeOldest()
    },
    delete: remove,
    removeOldest,
    bytes: () => bytes,
    clear: () => {
      entries.clear()
      bytes = 0
    }
  }
}

type MemoryEntries = ReturnType<typeof lru<{ readonly value: unknown; readonly expires: number }>>

const open = (kept: MemoryEntries, trim: () => void): Entries => ({
  getMany: (keys) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const found = new Map<string, unknown>()
      for (const key of keys) {
        const entry = kept.get(key)
        if (entry === undefined) continue
        if (entry.expires > now) found.set(key, entry.value)
        else kept.delete(key)
      }
      return found
    }),
  setMany: (entries, timeToLive) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const expires = now + Duration.toMillis(timeToLive)
      for (const [key, value] of entries) kept.set(key, { value, expires })
      trim()
    }),
  remove: (keys) => Effect.sync(() => keys.forEach(kept.delete)),
  clear: Effect.sync(kept.clear)
})

/** Leases that are remembered; the one that was claimed longest ago goes first. */
const maxLeases = 10_000

/**
 * Forgets everything at the end of the process. So many entries are kept for each name and version, and so many bytes of
 * all: where they are too many, the name that holds the most loses its oldest, so that none crowds out another.
 */
export const layer = ({ capacity = 50_000, maxBytes = 256 * 1024 * 1024 } = {}) =>
  Layer.sync(Store, () => {
    const opened = new Map<string, { readonly kept: MemoryEntries; readonly entries: Entries }>()
    const leases = lru<{ readonly owner: string; readonly expires: number }>(maxLeases)

    const trim = () => {
      const all = [...opened.values()].map(({ kept }) => kept)
      const bytes = () => all.reduce((sum, kept) => sum + kept.bytes(), 0)
      for (let over = bytes() - maxBytes; over > 0; over = bytes() - maxBytes)
        all.reduce((largest, kept) => (kept.bytes() > largest.bytes() ? kept : largest)).removeOldest()
    }

    return {
      claim: (name, owner, time) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const held = leases.get(name)
          if (held !== undefined && held.owner !== owner && held.expires > now) return false
          leases.set(name, { owner, expires: now + Duration.toMillis(time) })
          return true
        }),
      release: (name, owner) => Effect.sync(() => void (leases.get(name)?.owner === owner && leases.delete(name))),
      open: (name, version) => {
        const id = `${name}@${version}`
        const known = opened.get(id)
        if (known !== undefined) return known.entries
        const kept: MemoryEntries = lru(capacity, maxBytes)
        const entries = open(kept, trim)
        opened.set(id, { kept, entries })
        return entries
      }
    }
  })
