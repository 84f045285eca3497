import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { maxSkew } from "../../storage/quota/Quota.ts"
import { inStoreTime, Store } from "../../storage/Store.ts"
import { fromValue, type Lever } from "./Lever.ts"

/** The levers that all processes of a store share. */
export interface StoredLevers {
  /** When they were changed, ms; at most the time of reading and the skew of clocks. */
  readonly at: number
  /** The time that the store has, ms: larger if the clock of a machine was far ahead. */
  readonly storedAt?: number
  readonly levers: ReadonlyArray<Lever>
}

const key = "all"

/** A process that runs writes them again. */
const lifetime = "366 days"

const Stored = Schema.Struct({ at: Schema.NonNegativeInt, levers: Schema.Unknown })

const decode = (value: unknown, now: number): Either.Either<StoredLevers, string> =>
  Either.flatMap(
    Either.mapLeft(Schema.decodeUnknownEither(Stored)(value), () => "have no time"),
    ({ at, levers }) =>
      Either.map(fromValue(levers), (levers) => ({ at: at > now + maxSkew ? now : at, storedAt: at, levers }))
  )

/** Reads and writes the levers in the store. */
export const storedLevers = Effect.map(Store, (store) => {
  const entries = store.open("levers", 1)
  const write = (stored: StoredLevers) =>
    inStoreTime(entries.setMany(new Map([[key, { at: stored.at, levers: stored.levers }]]), lifetime), "2 seconds")
  return {
    /** False if no other process uses the store. */
    isShared: store.health?.kind !== "memory",
    /** Undefined if the store has none; left is the problem in words. */
    read: Effect.zipWith(
      inStoreTime(entries.getMany([key]), "2 seconds"),
      Clock.currentTimeMillis,
      (found, now): Either.Either<StoredLevers | undefined, string> =>
        found.has(key) ? decode(found.get(key), now) : Either.right(undefined)
    ),
    write,
    /** Replaces levers that were read before, with a later time also if this machine's clock is behind. */
    replace: (before: StoredLevers | undefined, levers: ReadonlyArray<Lever>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const last = Math.min(before?.storedAt ?? before?.at ?? 0, Number.MAX_SAFE_INTEGER - 1)
        return write({ at: Math.max(now, last + 1), levers })
      })
  }
})
