import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { type Dated, dated } from "./Store.ts"
import type { Entry, policy } from "./staleWhileRevalidate.ts"

interface StoredOptions<A, I> {
  readonly name: string
  readonly version: number
  readonly schema: Schema.Schema<A, I>
}

/** The values of a cache in the store: memory may have lost them, or another process may have looked them up. */
export const storedEntries = <A, I, E>(
  { name, schema, version }: StoredOptions<A, I>,
  { longest, restored }: Pick<ReturnType<typeof policy<A, E>>, "longest" | "restored">
) =>
  Effect.map(dated(name, version, schema), (store) => ({
    /** The entries of these keys that are still valid. */
    read: Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
      const stored = yield* store.getMany(keys)
      const now = yield* Clock.currentTimeMillis
      const entries = new Map<string, Entry<A, E>>()
      for (const [key, { at, value }] of stored) {
        const entry = restored(value, at, now)
        if (entry !== undefined) entries.set(key, entry)
      }
      return entries
    }),
    write: (values: ReadonlyMap<string, Dated<A>>, gone: ReadonlyArray<string>): Effect.Effect<void> =>
      Effect.zipRight(store.setMany(values, longest), store.remove(gone))
  }))
