import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BoundedMap from "../kernel/collections/BoundedMap.ts"
import * as MemoryBudget from "../kernel/collections/MemoryBudget.ts"
import { sizeOf } from "../kernel/collections/sizeOf.ts"
import { changedList, type Entries, Store } from "./Store.ts"

/** Values as JSON in UTF-8, which takes less than half of the memory of their objects and no time of the collector. */
type MemoryEntries = BoundedMap.BoundedMap<string, Uint8Array>

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const encode = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value))

const open = (memory: MemoryEntries): Entries => {
  const get = (key: string, now: number): unknown => {
    const bytes = memory.get(key, now)
    return bytes && JSON.parse(decoder.decode(bytes))
  }
  return {
    getMany: (keys) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const found = new Map<string, unknown>()
        for (const key of keys) {
          const value = get(key, now)
          if (value !== undefined) found.set(key, value)
        }
        return found
      }),
    setMany: (entries, timeToLive) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const expires = now + Duration.toMillis(timeToLive)
        for (const [key, value] of entries) memory.set(key, encode(value), expires)
      }),
    changeLists: (keys, change, timeToLive) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const expires = now + Duration.toMillis(timeToLive)
        for (const key of keys) memory.set(key, encode(changedList(get(key, now), change)), expires)
      }),
    remove: (keys) => Effect.sync(() => keys.forEach(memory.delete)),
    clear: Effect.sync(memory.clear)
  }
}

/** Maximum number of leases. Beyond it the least recently claimed lease is dropped. */
const maxLeases = 10_000

/**
 * Store in memory, lost when the process ends. `capacity` limits the entries of each name and version, `maxBytes` the
 * size of all entries, which are also in the memory budget of the process.
 */
export const layer = ({ capacity = 50_000, maxBytes = 256 * 1024 * 1024 } = {}) =>
  Layer.effect(
    Store,
    Effect.map(MemoryBudget.CurrentMemoryBudget, (whole) => {
      const budget = MemoryBudget.make(maxBytes, whole)
      const opened = new Map<string, Entries>()
      /** Owners by lease name. */
      const leases = BoundedMap.make<string, string>({ capacity: maxLeases })

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
          if (existing !== undefined) return existing
          const entries = open(
            BoundedMap.make<string, Uint8Array>({
              name: `store: ${name}`,
              capacity,
              budget,
              weigh: (key, value) => BoundedMap.entryBytes + sizeOf(key) + sizeOf(value)
            })
          )
          opened.set(id, entries)
          return entries
        }
      }
    })
  )
