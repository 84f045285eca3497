import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type Millis, now, seconds } from "../../../domain/units.ts"
import * as Deadline from "../../../kernel/Deadline.ts"
import { each } from "../../../kernel/each.ts"
import { timeoutTo } from "../../../kernel/timeout.ts"
import { requestDeadline } from "../../../settings/variables.ts"
import * as Sources from "../../../upstream/Sources.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import type { ReadFailure, StatusResult, TransactionStatus } from "../../Chain.ts"
import { unread } from "../holdings/tokenList.ts"
import { isPossibleTime } from "./currentHead.ts"
import { type FinalityFacts, isDeep } from "./finality.ts"

/** The time of Bitcoin's first block: no chain is older. */
const oldest = { genesisTime: seconds(1_231_006_505) }

const isTimePossible =
  (facts: FinalityFacts | undefined, clock: Millis) =>
  ({ at }: TransactionStatus): boolean =>
    at === undefined || isPossibleTime(facts?.genesisTime === undefined ? oldest : facts, at, clock)

const noTime: ReadFailure = { reason: "bad_answer", message: "a source returned a time that the block cannot have" }

/** The statuses at one source, in the order of the hashes: results, or reads of one transaction each. */
export type SourceStatuses = ReadonlyArray<Effect.Effect<TransactionStatus, UpstreamError | ReadFailure>>

/** The state of a transaction; undefined if it could not be read. */
export const stateOf = (result: StatusResult | undefined) =>
  result !== undefined && Either.isRight(result) ? result.right.status : undefined

/** Statuses that follow from what a source does not have: a source that lags would report them too. */
export const absences: ReadonlyArray<TransactionStatus["status"]> = ["not_found", "replaced", "expired"]

/** Number of sources and of providers, if there are as many, that must agree that a transaction is absent. */
const agreement = 2

/** A source of statuses. Addresses of the same host are one provider: its nodes may lag together. */
export interface StatusProvider extends Sources.Source {
  /** Absent if the source is its only address, or selects one itself. */
  readonly host?: string
}

const providerOf = (source: StatusProvider): unknown => source.host ?? source

/** Concurrent reads from a source, of several or one transaction each. */
const concurrency = 4

interface ReadOptions<S extends StatusProvider> {
  readonly sources: ReadonlyArray<S>
  /** Absent if the sources return what is final: else those deep enough are, if a second source has them. */
  readonly facts?: FinalityFacts
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
 * absent only if two sources agree, or the only source; if sources differ otherwise, the status is unknown. Also a
 * transaction that its depth would make final needs two sources, and is not final otherwise. Nothing that is read later
 * changes that.
 */
export const readStatuses =
  <S extends StatusProvider>({ facts, none = notConfigured, perRead, read, sources, within }: ReadOptions<S>) =>
  (hashes: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<StatusResult>> =>
    Effect.suspend(() => {
      const found: Sources.SourceResult<string, TransactionStatus, ReadFailure> = new Map()
      const providers = new Set(sources.map(providerOf)).size
      /** Whether they are two sources of two providers, or all there are. */
      const suffice = (agreeing: ReadonlySet<S>) =>
        agreeing.size >= Math.min(agreement, sources.length) &&
        new Set([...agreeing].map(providerOf)).size >= Math.min(agreement, providers)
      /** The sources of each absence so far. */
      const absent = new Map<string, ReadonlySet<S>>()
      /** Deep transactions that too few sources have so far. */
      const single = new Map<string, { readonly found: TransactionStatus; readonly source: S }>()
      const isConfirmed = (source: S, hash: string, found: TransactionStatus, deep = false) => {
        if (!deep) return true
        const first = single.get(hash) ?? { found, source }
        single.set(hash, first)
        return agree(first.found, found) && suffice(new Set([first.source, source]))
      }
      const isConclusive = (source: S, hash: string, found: TransactionStatus, deep?: boolean) => {
        const { replacedBy, status } = found
        if (!absences.includes(status)) return isConfirmed(source, hash, found, deep)
        if (single.has(hash)) return false
        const key = `${status} ${hash} ${replacedBy}`
        const agreeing = new Set(absent.get(key)).add(source)
        absent.set(key, agreeing)
        return suffice(agreeing)
      }
      const fromSource: Sources.QueryEach<S, string, TransactionStatus, ReadFailure> = (source, keys, report) => {
        // Reports each result at once: a slow transaction takes no other with it.
        const reported = (hash: string, status: SourceStatuses[number]) =>
          Effect.zipWith(Effect.either(status), now, (read, clock) => {
            const result = Either.filterOrLeft(read, isTimePossible(facts, clock), () => noTime)
            if (Either.isLeft(result)) return report(hash, Either.left(unread(result.left)))
            const found = result.right
            const deep = found.final === undefined && facts !== undefined ? isDeep(facts, found, clock) : undefined
            if (isConclusive(source, hash, found, deep))
              report(hash, Either.right(deep === undefined ? found : { ...found, final: deep }))
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
        hashes.map((hash): StatusResult => {
          const [result = Either.left(otherwise), first] = [found.get(hash), single.get(hash)?.found]
          if (first === undefined) return result
          if (Either.isLeft(result)) return Either.right({ ...first, final: false })
          // One of two sources may return fewer fields.
          return agree(first, result.right) ? Either.right({ ...result.right, ...first }) : result
        })
      return timeoutTo(
        Effect.map(Sources.each(sources, hashes, fromSource, found), () => results(reason)),
        { duration: within, onTimeout: () => Effect.sync(() => results(timedOut)) }
      )
    })

/** Whether two sources return the same block; not every source returns its height. */
const agree = (first: TransactionStatus, second: TransactionStatus): boolean =>
  first.status === second.status &&
  (first.block === undefined || second.block === undefined ? first.at === second.at : first.block === second.block)

/** Time in which a network collects statuses, ms. */
export const collectTime = Effect.map(requestDeadline, (deadline) => Deadline.make(deadline).share("collect"))

/** The fault of a source that returns a block which its newest block, or the transaction, excludes. */
export const wrongBlock: Fault = { reason: "bad_answer", detail: "returned a block that cannot be the transaction's" }

const unknown: ReadFailure = { reason: "bad_answer", message: "the sources do not agree whether it exists" }
const timedOut: ReadFailure = { reason: "timeout", message: "timed out" }
const notConfigured: ReadFailure = { reason: "not_configured", message: "no source is configured" }
