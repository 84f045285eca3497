import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { HistoryPart, HistoryQuery } from "../../domain/Transaction.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { timeoutFail, timeoutOption } from "../../kernel/timeout.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { type AccountRole, closedBy, concerns, toTransaction } from "./history.ts"
import { commitment } from "./programs.ts"
import * as Signatures from "./Signatures.ts"
import * as TransactionWire from "./TransactionWire.ts"

export interface HistoryOptions extends Signatures.SignatureOptions {
  /** So many transactions are asked for in one request. */
  readonly together: number
}

/** Nothing that is read of a transaction depends on its version: 1 is the newest that there is. */
const transactionOf = (signature: string): Client.ClientCall => ({
  method: "getTransaction",
  params: [signature, { commitment, encoding: "jsonParsed", maxSupportedTransactionVersion: 1 }]
})

/**
 * The newest transactions of an address and of its token accounts. Each is asked for at every node until one has it; those
 * that none has in time are counted in `missing`.
 */
export const history = (
  nodes: Upstream,
  options: HistoryOptions,
  question: HistoryQuery
): Effect.Effect<HistoryPart, UpstreamError> =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + options.patience
    const left = Effect.map(Clock.currentTimeMillis, (now) => Math.max(end - now, 1))
    const first = yield* timeoutFail(Signatures.list(nodes, options, question), {
      duration: options.patience,
      onTimeout: () => nodes.fault(late)
    })
    const found = new Map<string, TransactionWire.SolanaTransaction>()
    const read = (listed: Signatures.Listed) =>
      Effect.flatMap(left, (duration) => {
        const open = placesOf(listed, question).places.filter(({ hash }) => !found.has(hash))
        const hashes = open.map(({ hash }) => hash)
        return details(nodes, Arr.chunksOf(hashes, options.together), found, duration)
      })
    const faultsBefore = yield* read(first)
    const gone = [...found.values()].flatMap((told) => closedBy(question.address, told))
    const closed = [...new Set(gone)].filter((account) => !first.accounts.has(account))
    const listed =
      closed.length === 0 ? first : yield* Signatures.withClosed(nodes, first, closed, options, question, yield* left)
    const faults = listed === first ? faultsBefore : yield* read(listed)
    const { more, places } = placesOf(listed, question)
    const own = new Set([question.address, ...listed.accounts])
    const transactions = places.flatMap((place) => {
      const told = found.get(place.hash)
      return told === undefined || !concerns(own, told)
        ? []
        : Option.toArray(toTransaction(question.address, place, told))
    })
    const absent = places.length - transactions.length
    const fault = faults[0] ?? nodes.fault(withheld)
    if (absent > 0 && transactions.length === 0) return yield* fault
    return {
      transactions,
      // What is absent is named below; since a given time there is nothing else but that.
      more: more || (absent > 0 && question.since === undefined),
      sources: [nodes.name],
      missing: [
        ...listed.missing,
        ...(absent === 0 ? [] : [`${absent} of ${places.length} transactions: ${fault.message}`])
      ]
    }
  })

/** Where a block's time is not known, that of the next one in the list that is: the list is in the order of time. */
const placesOf = ({ signatures, orders }: Signatures.Listed, { limit, since }: HistoryQuery) => {
  let time = signatures.find(({ blockTime }) => typeof blockTime === "number")?.blockTime ?? undefined
  const wanted = signatures
    .map(({ blockTime, signature }, index): AccountRole => {
      time = blockTime ?? time
      return { hash: signature, order: orders[index] ?? 0, timestamp: time }
    })
    .filter(({ timestamp }) => since === undefined || timestamp === undefined || timestamp >= since)
  return { places: wanted.slice(0, limit), more: wanted.length > limit }
}

/** Cannot fail: what was had by the end is there, and why the rest is not. */
const details = (
  nodes: Upstream,
  chunks: ReadonlyArray<ReadonlyArray<string>>,
  found: Map<string, TransactionWire.SolanaTransaction>,
  duration: number
) =>
  Effect.gen(function* () {
    const faults: Array<UpstreamError> = []
    const ofChunk = (chunk: ReadonlyArray<string>) =>
      nodes.over((node) =>
        Effect.gen(function* () {
          const rest = chunk.filter((signature) => !found.has(signature))
          const outcomes = yield* callAll(node, rest.map(transactionOf), { exact: true })
          for (const [index, signature] of rest.entries()) {
            const told = Option.flatMap(Option.fromNullable(outcomes[index]), (outcome) =>
              Option.flatMap(Either.getRight(outcome), decode)
            ).pipe(Option.filter(({ transaction }) => (transaction.signatures?.[0] ?? signature) === signature))
            if (Option.isSome(told)) found.set(signature, told.value)
          }
          if (chunk.some((signature) => !found.has(signature))) return yield* node.fault(withheld)
        })
      )
    const all = Effect.forEach(
      chunks,
      (chunk) => Effect.catchAll(ofChunk(chunk), (error) => Effect.sync(() => void faults.push(error))),
      { concurrency: 4, discard: true }
    )
    const inTime = yield* timeoutOption(all, duration)
    if (Option.isNone(inTime)) faults.push(nodes.fault(late))
    return faults
  })

const decode = Schema.decodeUnknownOption(TransactionWire.SolanaTransaction)

const late: Fault = { reason: "timeout", detail: "timed out before the full history was read" }
const withheld: Fault = { reason: "bad_answer", detail: "did not return them, or in an unexpected format" }
