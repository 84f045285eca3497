import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { TransactionContext } from "../../../domain/TransactionContext.ts"
import { maxEntries } from "../../../domain/TransactionContext.ts"
import { readOnce } from "../../../kernel/madeOnce.ts"
import type { Endpoint, Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import type { ContextReader, ReadFailure } from "../../Chain.ts"
import { unread } from "../holdings/tokenList.ts"

/** Reads each address separately. */
export const perAddress =
  (read: (address: string) => Effect.Effect<TransactionContext, UpstreamError | ReadFailure>) =>
  (): Effect.Effect<ContextReader> =>
    Effect.succeed((address) => Effect.mapError(read(address), unread))

/** Reads addresses that share a part of their data; the shared part is read once for all of them. */
export const withShared =
  <A>(
    shared: (addresses: ReadonlyArray<string>) => Effect.Effect<A, UpstreamError>,
    read: (address: string, part: A) => Effect.Effect<TransactionContext, UpstreamError>
  ) =>
  (addresses: ReadonlyArray<string>): Effect.Effect<ContextReader> =>
    Effect.map(
      readOnce(shared(addresses)),
      (part) => (address) =>
        Effect.mapError(
          Effect.flatMap(part, (value) => read(address, value)),
          unread
        )
    )

/** The contexts of several addresses, in their order. */
type Results = Effect.Effect<ReadonlyArray<Either.Either<TransactionContext, UpstreamError>>, UpstreamError>

/** Reads all addresses at once. */
export const batched = (read: (addresses: ReadonlyArray<string>) => Results) =>
  withShared(
    (addresses) => Effect.map(read(addresses), (results) => new Map(Arr.zip(addresses, results))),
    (address, contexts) => contexts.get(address) ?? Effect.dieMessage("an address was not read")
  )

/** Reads all addresses from one node; from the next node if the context of an address could not be read. */
export const ofNode = (nodes: Upstream, read: (node: Endpoint, addresses: ReadonlyArray<string>) => Results) =>
  batched((addresses) =>
    nodes.over((node) => read(node, addresses), { isWhole: (results) => results.every(Either.isRight) })
  )

/** Removes duplicates by key; undefined if two entries with the same key differ. */
export const uniqueByKey = <A extends object>(all: ReadonlyArray<A>, key: (entry: A) => string) => {
  const found = new Map<string, A>()
  for (const entry of all) {
    const before = found.get(key(entry))
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(entry)) return undefined
    found.set(key(entry), entry)
  }
  return [...found.values()]
}

/** The `maxEntries` largest entries, largest first; entries of equal size stay in their order. */
export const largest = <A>(all: ReadonlyArray<A>, size: (entry: A) => bigint): ReadonlyArray<A> =>
  all
    .toSorted((entry, other) => (size(entry) < size(other) ? 1 : size(entry) > size(other) ? -1 : 0))
    .slice(0, maxEntries)
