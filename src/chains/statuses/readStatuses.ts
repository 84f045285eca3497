import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ReadFailure, StatusResult, TransactionStatus } from "../Chain.ts"
import { unread } from "../tokenList.ts"

/** The statuses at one source, in the order of the hashes: results, or reads of one transaction each. */
export type SourceStatuses = ReadonlyArray<Effect.Effect<TransactionStatus, UpstreamError | ReadFailure>>

/** The state of a transaction; undefined if it could not be read. */
export const stateOf = (result: StatusResult | undefined) =>
  result !== undefined && Either.isRight(result) ? result.right.status : undefined

/** Statuses that follow from what a source does not have: a source that lags would report them too. */
export const absences: ReadonlyArray<TransactionStatus["status"]> = ["not_found", "replaced", "expired"]

/** Number of sources, if there are as many, that must agree that a transaction is absent. */
const agreement = 2

/** Concurrent reads from a source, of several or one transaction each. */
const concurrency = 4

interface ReadOptions<S> {
  readonly sources: ReadonlyArray<S>
  readonly read: (source: S, hashes: ReadonlyArray<string>) => Effect.Effect<SourceStatuses, UpstreamError>
  /** Maximum hashes of one `read`; unlimited if absent. */
  readonly perRead?: number
  /** Why no transaction can be read, if there are no sources. */
  readonly none?: ReadFailure
  /** Time after which the results so far are returned, ms. */
  readonly within: number
}

/**
 * Reads the statuses of transactions: from each source those that previous sources did not have. A transaction is
 * absent only if two sources agree, or the only source; if sources differ otherwise, the status is unknown.
 */
export const readStatuses =
  <S extends Sources.Source>({ none = notConfigured, perRead, read, sources, within }: ReadOptions<S>) =>
  (hashes: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<StatusResult>> =>
    Effect.suspend(() => {
      const found: Sources.SourceResult<string, TransactionStatus, ReadFailure> = new Map()
      const counts = new Map<string, number>()
      const isConclusive = (hash: string, { replacedBy, status }: TransactionStatus) => {
        if (!absences.includes(status) || replacedBy !== undefined) return true
        const key = `${status} ${hash}`
        counts.set(key, (counts.get(key) ?? 0) + 1)
        return counts.get(key) === Math.min(agreement, sources.length)
      }
      const fromSource: Sources.QueryEach<S, string, TransactionStatus, ReadFailure> = (source, keys, report) => {
        // Reports each result when it is read: a slow transaction delays no other.
        const reported = (hash: string, status: SourceStatuses[number]) =>
          Effect.map(Effect.either(status), (result) => {
            if (Either.isLeft(result) || isConclusive(hash, result.right)) report(hash, Either.mapLeft(result, unread))
          })
        const readPart = (part: ReadonlyArray<string>) =>
          Effect.flatMap(Effect.either(read(source, part)), (results) =>
            each(
              part,
              (hash, index) =>
                reported(
                  hash,
                  Effect.flatMap(results, (all) => all[index] ?? Effect.fail(unknown))
                ),
              concurrency
            )
          )
        return Effect.asVoid(each(Arr.chunksOf(keys, perRead ?? keys.length), readPart, concurrency))
      }
      const reason = sources.length === 0 ? none : unknown
      const results = (otherwise: ReadFailure) =>
        hashes.map((hash): StatusResult => found.get(hash) ?? Either.left(otherwise))
      return timeoutTo(
        Effect.map(Sources.each(sources, hashes, fromSource, found), () => results(reason)),
        { duration: within, onTimeout: () => Effect.sync(() => results(timedOut)) }
      )
    })

/** Time in which a network collects statuses, ms. */
export const collectTime = Effect.map(requestDeadline, (deadline) => Deadline.make(deadline).share("collect"))

/** Reads statuses within {@link collectTime}, in a span of this name. */
export const reader = <S extends Sources.Source>(name: string, options: Omit<ReadOptions<S>, "within">) =>
  Effect.map(collectTime, (within) => {
    const read = readStatuses({ ...options, within })
    return (hashes: ReadonlyArray<string>) => span(name)(read(hashes))
  })

/** The fault of a source that returns a block which its newest block, or the transaction, excludes. */
export const wrongBlock: Fault = { reason: "bad_answer", detail: "returned a block that cannot be the transaction's" }

const unknown: ReadFailure = { reason: "bad_answer", message: "the sources do not agree whether it exists" }
const timedOut: ReadFailure = { reason: "timeout", message: "timed out" }
const notConfigured: ReadFailure = { reason: "not_configured", message: "no source is configured" }
