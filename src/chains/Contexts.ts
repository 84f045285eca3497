import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { maxEntries } from "../domain/transactionContext/outputs.ts"
import type { TransactionContext } from "../domain/transactionContext/TransactionContext.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"
import type { ContextReader, Unread } from "./Chain.ts"
import { unread } from "./tokenList.ts"

/** Each address is read by itself. */
export const alone =
  (read: (address: string) => Effect.Effect<TransactionContext, UpstreamError | Unread>) =>
  (): Effect.Effect<ContextReader> =>
    Effect.succeed((address) => Effect.mapError(read(address), unread))

/** The same where addresses share a part, which is read once for all of them. */
export const withShared =
  <A>(
    shared: (addresses: ReadonlyArray<string>) => Effect.Effect<A, UpstreamError>,
    read: (address: string, part: A) => Effect.Effect<TransactionContext, UpstreamError>
  ) =>
  (addresses: ReadonlyArray<string>): Effect.Effect<ContextReader> =>
    // In a fiber of its own: the address that needs it first may time out, and the others still wait for it.
    Effect.map(
      Effect.cached(Effect.forkDaemon(shared(addresses))),
      (part) => (address) =>
        Effect.mapError(
          Effect.flatMap(Effect.flatMap(part, Fiber.join), (value) => read(address, value)),
          unread
        )
    )

/** Each entry once, by its key; undefined where two with one key differ. */
export const onceEach = <A extends object>(all: ReadonlyArray<A>, key: (entry: A) => string) => {
  const found = new Map<string, A>()
  for (const entry of all) {
    const before = found.get(key(entry))
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(entry)) return undefined
    found.set(key(entry), entry)
  }
  return [...found.values()]
}

/** The largest entries of a list, the largest first; entries of equal size remain in their order. */
export const largest = <A>(all: ReadonlyArray<A>, size: (entry: A) => bigint): ReadonlyArray<A> =>
  all
    .toSorted((entry, other) => (size(entry) < size(other) ? 1 : size(entry) > size(other) ? -1 : 0))
    .slice(0, maxEntries)
