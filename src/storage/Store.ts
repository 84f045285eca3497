import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { logOnChange } from "../kernel/logOnChange.ts"
import { timeoutTo } from "../kernel/timeout.ts"
import type { QuotaRequest, QuotaResult } from "./quota/Quota.ts"

/** An operation of the store failed. Callers treat it as a miss, never as an error. */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  operation: Schema.Literal(
    "getMany",
    "setMany",
    "changeLists",
    "remove",
    "clear",
    "sweep",
    "claim",
    "release",
    "take"
  ),
  cause: Schema.Defect
}) {
  override get message() {
    return `the store failed at ${this.operation}: ${this.cause instanceof Error ? this.cause.message : this.cause}`
  }
}

/** The store cannot be used, so the start fails. The message is for the operator. */
export class StoreOpenError extends Schema.TaggedError<StoreOpenError>()("StoreOpenError", {
  variable: Schema.String,
  problem: Schema.String,
  cause: Schema.Defect
}) {
  override get message() {
    return `${this.variable}: ${this.problem}`
  }
}

/** Texts that a change adds to a list, after all others, and texts that it removes. */
export interface ListChange {
  readonly add?: ReadonlyArray<string>
  readonly remove?: ReadonlyArray<string>
}

/** Prefix of the names of stores that have lists. A full store evicts these last, because they cannot be fetched again. */
export const listStore = "list:"

/** Maximum texts of a list, the newest. */
export const maxTexts = 50

/** The list after a change. A stored value of another form is an empty list. */
export const changedList = (stored: unknown, { add = [], remove = [] }: ListChange): ReadonlyArray<string> => {
  const moved = new Set([...add, ...remove])
  const texts: ReadonlyArray<unknown> = Array.isArray(stored) ? stored : []
  const others = texts.filter((text) => typeof text === "string" && !moved.has(text)) as ReadonlyArray<string>
  return [...others, ...add].slice(-maxTexts)
}

/** The entries of one name and version. Keys are any text, values immutable JSON values. */
export interface Entries {
  /** The entries that exist and have not expired. */
  readonly getMany: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, unknown>, StoreError>
  readonly setMany: (
    entries: ReadonlyMap<string, unknown>,
    timeToLive: Duration.DurationInput
  ) => Effect.Effect<void, StoreError>
  /**
   * Applies a change to each of these lists as in {@link changedList}. Each is one step, so that no change of another
   * process is lost. An interrupted change may not be applied.
   */
  readonly changeLists: (
    keys: ReadonlyArray<string>,
    change: ListChange,
    timeToLive: Duration.DurationInput
  ) => Effect.Effect<void, StoreError>
  readonly remove: (keys: ReadonlyArray<string>) => Effect.Effect<void, StoreError>
  readonly clear: Effect.Effect<void, StoreError>
}

/**
 * Storage behind the in-memory caches. Not BackingPersistence of @effect/experimental: a cache of many keys needs maps
 * and always has a time to live, so each kind of store has five methods instead of six.
 */
export class Store extends Context.Tag("storage/Store")<
  Store,
  {
    /** Each name and each of its versions has separate entries. The version is that of the values' schema. */
    readonly open: (name: string, version: number) => Entries
    /**
     * Takes or renews the lease of that name for this time; false if another owner has it. Only one of the processes
     * that share the store has it at a time.
     */
    readonly claim: (name: string, owner: string, time: Duration.DurationInput) => Effect.Effect<boolean, StoreError>
    /** Releases the lease; does nothing if another owner has it. */
    readonly release: (name: string, owner: string) => Effect.Effect<void, StoreError>
    /**
     * Takes units atomically from buckets that all processes of the store share. Absent if no other process uses the
     * store or the store does not support it: each process then has its share of every limit.
     */
    readonly take?: (taking: QuotaRequest) => Effect.Effect<QuotaResult, StoreError>
    /** Health according to the latest operations. Absent if the store is not watched. */
    readonly health?: StoreHealth
  }
>() {}

/** `read-only`: values can be read but not written. */
export type StoreState = "up" | "read-only" | "down"

export interface StoreHealth {
  /** The kind as in `CACHE`, or `own`. */
  readonly kind: string
  /** Returns immediately. If the store was idle for some seconds, probes it in the background. */
  readonly state: Effect.Effect<StoreState>
}

/** Limits the wait, and turns every problem into an error, including defects and timeouts. */
export const inStoreTime = <A, R>(
  effect: Effect.Effect<A, StoreError, R>,
  maxWait: Duration.DurationInput = "250 millis"
) =>
  Effect.sandbox(
    timeoutTo(effect, {
      duration: maxWait,
      onTimeout: () => new Cause.TimeoutException("the store did not respond in time")
    })
  )

/** Limits the wait and cannot fail. Logs when the store starts to fail and when it works again. */
export const loggingFailures = (what: string, maxWait?: Duration.DurationInput) => {
  const changed = logOnChange()
  return <A>(effect: Effect.Effect<A, StoreError>, otherwise: A): Effect.Effect<A> =>
    inStoreTime(effect, maxWait).pipe(
      Effect.tap(() => changed(false, Effect.logInfo(`${what} works again`))),
      Effect.catchAll((cause) =>
        Effect.as(changed(true, Effect.logWarning(`${what} fails; continuing without it`, cause)), otherwise)
      )
    )
}

/** Time for which a store that failed is not called, ms. */
const skipped = 1_000

/** {@link loggingFailures} that does not call the store for a moment after a failure, so that few callers wait for it. */
export const skippingFailures = (what: string, maxWait?: Duration.DurationInput) => {
  const logged = loggingFailures(what, maxWait)
  let failedAt = Number.NEGATIVE_INFINITY
  return <A>(effect: Effect.Effect<A, StoreError>, otherwise: A): Effect.Effect<A> =>
    Effect.gen(function* () {
      const age = (yield* Clock.currentTimeMillis) - failedAt
      if (age >= 0 && age < skipped) return otherwise
      const found = yield* logged(Effect.asSome(effect), Option.none())
      if (Option.isNone(found)) failedAt = yield* Clock.currentTimeMillis
      return Option.getOrElse(found, () => otherwise)
    })
}

/** A value and the time of its lookup, ms. */
export interface Dated<A> {
  readonly at: number
  readonly value: A
}

/**
 * Values of one schema in the store. Cannot fail: a failure of the store, including defects and timeouts, costs a short
 * wait and one log line until the store works again. Omits entries that do not match the schema.
 */
export const dated = <A, I>(name: string, version: number, schema: Schema.Schema<A, I>) =>
  Effect.map(Store, (store) => {
    const entries = store.open(name, version)
    const Entry = Schema.Struct({ at: Schema.Number, value: schema })

    const reads = loggingFailures(`${name}: reading the store`)
    const writes = loggingFailures(`${name}: writing to the store`)

    const fitting =
      <B, C>(translate: (value: B) => Option.Option<C>, report: (lost: number) => Effect.Effect<void>) =>
      (values: ReadonlyMap<string, B>) =>
        Effect.suspend(() => {
          const fits = new Map<string, C>()
          for (const [key, value] of values) {
            const translated = translate(value)
            if (Option.isSome(translated)) fits.set(key, translated.value)
          }
          const lost = values.size - fits.size
          return lost === 0 ? Effect.succeed(fits) : Effect.as(report(lost), fits)
        })
    // Another version may have written these. No code may make values that cannot be stored.
    const decoding = fitting(Schema.decodeUnknownOption(Entry), (lost) =>
      Effect.logDebug(`${name}: ${lost} stored entries do not fit the schema`)
    )
    // Skips encoding if the stored form is the same; values that do not match the schema are omitted when read.
    const isPlain = SchemaAST.encodedAST(Entry.ast) === Entry.ast
    const encoding = isPlain
      ? (values: ReadonlyMap<string, Dated<A>>) => Effect.succeed<ReadonlyMap<string, unknown>>(values)
      : fitting(Schema.encodeOption(Entry), (lost) => Effect.logError(`${name}: ${lost} values cannot be stored`))

    return {
      getMany: (keys: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, Dated<A>>> =>
        keys.length === 0
          ? Effect.succeed(new Map())
          : reads(Effect.flatMap(entries.getMany(keys), decoding), new Map()),
      setMany: (values: ReadonlyMap<string, Dated<A>>, timeToLive: Duration.DurationInput): Effect.Effect<void> =>
        values.size === 0
          ? Effect.void
          : writes(
              Effect.flatMap(encoding(values), (fits) => entries.setMany(fits, timeToLive)),
              undefined
            ),
      remove: (keys: ReadonlyArray<string>): Effect.Effect<void> =>
        keys.length === 0 ? Effect.void : writes(entries.remove(keys), undefined)
    }
  })
