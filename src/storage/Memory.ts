import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BoundedMap from "../kernel/collections/BoundedMap.ts"
import { changedList, type Entries, Store } from "./Store.ts"

type MemoryEntries = BoundedMap.BoundedMap<string, unknown>

const open = (memory: MemoryEntries, trim: () => void): Entries => ({
  getMany: (keys) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const found = new Map<string, unknown>()
      for (const key of keys) {
        const value = memory.get(key, now)
        if (value !== undefined) found.set(key, value)
      }
      return found
    }),
  setMany: (entries, timeToLive) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const expires = now + Duration.toMillis(timeToLive)
      for (const [key, value] of entries) memory.set(key, value, expires)
      trim()
    }),
  changeLists: (keys, change, timeToLive) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      for (const key of keys)
        memory.set(key, changedList(memory.get(key, now), change), now + Duration.toMillis(timeToLive))
      trim()
    }),
  remove: (keys) => Effect.sync(() => keys.forEach(memory.delete)),
  clear: Effect.sync(memory.clear)
})

/** Maximum number of leases. Beyond it the least recently claimed lease is dropped. */
const maxLeases = 10_000

/**
 * Store in memory, lost when the process ends. `capacity` limits the entries of each name and version, `maxBytes` the
 * size of all entries: beyond it the largest name loses its oldest entry, so that no name displaces another.
 */
export const layer = ({ capacity = 50_000, maxBytes = 256 * 1024 * 1024 } = {}) =>
  Layer.sync(Store, () => {
    const opened = new Map<string, { readonly memory: MemoryEntries; readonly entries: Entries }>()
    /** Owners by lease name. */
    const leases = BoundedMap.sized<string>(maxLeases)

    const trim = () => {
      const all = [...opened.values()].map(({ memory }) => memory)
      const bytes = () => all.reduce((sum, memory) => sum + memory.weight(), 0)
      for (let over = bytes() - maxBytes; over > 0; over = bytes() - maxBytes)
        all.reduce((largest, memory) => (memory.weight() > largest.weight() ? memory : largest)).deleteOldest()
    }

    return {
      claim: (name, owner, time) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const current = leases.get(name, now)
          if (current !== undefined && current !== owner) return false
          leases.set(name, owner, now + Duration.toMillis(time))
          return true
        }),
      release: (name, owner) => Effect.sync(() => void (leases.get(name) === owner && leases.delete(name))),
      open: (name, version) => {
        const id = `${name}@${version}`
        const existing = opened.get(id)
        if (existing !== undefined) return existing.entries
        const memory = BoundedMap.sized<unknown>(capacity, maxBytes)
        const entries = open(memory, trim)
        opened.set(id, { memory, entries })
        return entries
      }
    }
  })
