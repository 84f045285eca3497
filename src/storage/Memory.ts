import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BoundedMap from "../kernel/BoundedMap.ts"
import { type Entries, Store } from "./Store.ts"

type MemoryEntries = BoundedMap.BoundedMap<string, unknown>

const open = (kept: MemoryEntries, trim: () => void): Entries => ({
  getMany: (keys) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const found = new Map<string, unknown>()
      for (const key of keys) {
        const value = kept.get(key, now)
        if (value !== undefined) found.set(key, value)
      }
      return found
    }),
  setMany: (entries, timeToLive) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const expires = now + Duration.toMillis(timeToLive)
      for (const [key, value] of entries) kept.set(key, value, expires)
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
    /** The owners by the names of their leases. */
    const leases = BoundedMap.sized<string>(maxLeases)

    const trim = () => {
      const all = [...opened.values()].map(({ kept }) => kept)
      const bytes = () => all.reduce((sum, kept) => sum + kept.weight(), 0)
      for (let over = bytes() - maxBytes; over > 0; over = bytes() - maxBytes)
        all.reduce((largest, kept) => (kept.weight() > largest.weight() ? kept : largest)).deleteOldest()
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
        const known = opened.get(id)
        if (known !== undefined) return known.entries
        const kept = BoundedMap.sized<unknown>(capacity, maxBytes)
        const entries = open(kept, trim)
        opened.set(id, { kept, entries })
        return entries
      }
    }
  })
