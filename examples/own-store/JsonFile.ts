// A store: entries by name, version and key with a time to live, and leases. This one is a map that is loaded from a JSON file at
// the start and saved at the end. It suits one process, and data that may be lost.
import * as FileSystem from "@effect/platform/FileSystem"
import { Clock, Duration, Effect, Layer, Option, Schema } from "effect"
import { changedList, Store } from "wallet-data"

const Entries = Schema.Array(
  Schema.Tuple(Schema.String, Schema.Struct({ value: Schema.Unknown, /** UNIX time, ms. */ expires: Schema.Number }))
)

/** The oldest entries are evicted above this number. */
const maxEntries = 100_000

const make = (path: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    // A missing or damaged file is an empty store: its content can be fetched again.
    const text = yield* Effect.option(files.readFileString(path))
    const stored = Option.flatMap(text, Schema.decodeOption(Schema.parseJson(Entries)))
    const entries = new Map(Option.getOrElse(stored, () => []))
    const leases = new Map<string, { readonly owner: string; readonly expires: number }>()

    yield* Effect.addFinalizer(() =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.ignoreLogged(
          files.writeFileString(path, JSON.stringify([...entries].filter(([, { expires }]) => expires > now)))
        )
      )
    )

    return Store.of({
      open: (name, version) => {
        const prefix = `${name}@${version}/`
        const current = (keys: ReadonlyArray<string>, now: number) => {
          const found = keys.map((key) => [key, entries.get(prefix + key)] as const)
          return new Map(found.flatMap(([key, entry]) => (entry && entry.expires > now ? [[key, entry.value]] : [])))
        }
        const set = (values: ReadonlyMap<string, unknown>, timeToLive: Duration.DurationInput, now: number) => {
          const expires = now + Math.min(Duration.toMillis(timeToLive), Number.MAX_SAFE_INTEGER - now)
          for (const [key, value] of values) {
            entries.delete(prefix + key)
            entries.set(prefix + key, { value, expires })
          }
          for (const key of entries.keys()) {
            if (entries.size <= maxEntries) break
            entries.delete(key)
          }
        }
        return {
          getMany: (keys) => Effect.map(Clock.currentTimeMillis, (now) => current(keys, now)),
          setMany: (values, timeToLive) => Effect.map(Clock.currentTimeMillis, (now) => set(values, timeToLive, now)),
          changeLists: (keys, change, timeToLive) =>
            Effect.map(Clock.currentTimeMillis, (now) => {
              const lists = current(keys, now)
              set(new Map(keys.map((key) => [key, changedList(lists.get(key), change)])), timeToLive, now)
            }),
          remove: (keys) =>
            Effect.sync(() => {
              for (const key of keys) entries.delete(prefix + key)
            }),
          clear: Effect.sync(() => {
            for (const key of entries.keys()) if (key.startsWith(prefix)) entries.delete(key)
          })
        }
      },
      claim: (name, owner, time) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const held = leases.get(name)
          if (held !== undefined && held.owner !== owner && held.expires > now) return false
          leases.set(name, { owner, expires: now + Duration.toMillis(time) })
          return true
        }),
      release: (name, owner) =>
        Effect.sync(() => {
          if (leases.get(name)?.owner === owner) leases.delete(name)
        })
    })
  })

export const layer = (path: string) => Layer.scoped(Store, make(path))
