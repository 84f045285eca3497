import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Entries, Store } from "./Store.ts"

/** Keeps at most `capacity` values; the one not read or written for the longest time goes first. */
export const lru = <V>(capacity: number) => {
  const entries = new Map<string, V>()
  return {
    get: (key: string): V | undefined => {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    has: (key: string) => entries.has(key),
    set: (key: string, value: V) => {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= capacity) return
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        return
      }
    },
    delete: (key: string) => entries.delete(key),
    clear: () => entries.clear()
  }
}

const open = (capacity: number): Entries => {
  const kept = lru<{ readonly value: unknown; readonly expires: number }>(capacity)
  return {
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
      }),
    remove: (keys) => Effect.sync(() => keys.forEach(kept.delete)),
    clear: Effect.sync(kept.clear)
  }
}

/** Forgets everything at the end of the process. The bound is for each name and version, so that none crowds out another. */
export const layer = (capacity = 50_000) =>
  Layer.sync(Store, () => {
    const opened = new Map<string, Entries>()
    const leases = new Map<string, { readonly owner: string; readonly expires: number }>()
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
        const entries = opened.get(id) ?? open(capacity)
        opened.set(id, entries)
        return entries
      }
    }
  })
