import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { HistoryPart, HistoryQuery } from "../../domain/Transaction.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { timeoutOption } from "../../kernel/timeout.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { closedBy, concerns, type SlotTransaction, toTransaction } from "./history.ts"
import { commitment } from "./programs.ts"
import * as Signatures from "./Signatures.ts"
import * as TransactionWire from "./TransactionWire.ts"

export interface HistoryOptions extends Signatures.SignatureOptions {
  /** Transactions per request. */
  readonly transactionsPerRequest: number
}

/** The fields that are read do not depend on the transaction's version; 1 is the newest. */
const transactionOf = (signature: string): Client.ClientCall => ({
  method: "getTransaction",
  params: [signature, { commitment, encoding: "jsonParsed", maxSupportedTransactionVersion: 1 }]
})

/**
 * The newest transactions of an address and of its token accounts. Each is requested from every node until one has it;
 * those that were not found in time are counted in `missing`.
 */
export const history = (
  nodes: Upstream,
  options: HistoryOptions,
  query: HistoryQuery
): Effect.Effect<HistoryPart, UpstreamError> =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + options.maxWait
    const left = Effect.map(Clock.currentTimeMillis, (now) => Math.max(end - now, 1))
    const first = yield* Signatures.list(nodes, options, query)
    const found = new Map<string, TransactionWire.SolanaTransaction>()
    const read = (listed: Signatures.SignatureList) =>
      Effect.flatMap(left, (duration) => {
        const open = placesOf(listed, query).places.filter(({ hash }) => !found.has(hash))
        const hashes = open.map(({ hash }) => hash)
        return details(nodes, Arr.chunksOf(hashes, options.transactionsPerRequest), found, duration)
      })
    const faultsBefore = yield* read(first)
    const gone = [...found.values()].flatMap((transaction) => closedBy(query.address, transaction))
    // Some may have been closed since the previous page.
    const closed = [...new Set([...gone, ...(query.before?.accounts ?? [])])].filter(
      (account) => !first.accounts.has(account)
    )
    const listed =
      closed.length === 0 ? first : yield* Signatures.withClosed(nodes, first, closed, options, query, yield* left)
    const faults = listed === first ? faultsBefore : yield* read(listed)
    const { more, places } = placesOf(listed, query)
    const own = new Set([query.address, ...listed.accounts])
    const transactions = places.flatMap((place) => {
      const transaction = found.get(place.hash)
      return transaction === undefined || !concerns(own, transaction)
        ? []
        : Option.toArray(toTransaction(query.address, place, transaction))
    })
    const notFound = places.length - transactions.length
    const fault = notFound === 0 ? undefined : (faults[0] ?? nodes.fault(withheld))
    if (fault !== undefined && transactions.length === 0) return yield* fault
    return {
      transactions,
      // Transactions that were not found are counted below; with a start time they are the only ones missing.
      more: more || (notFound > 0 && query.since === undefined),
      sources: [nodes.name],
      ...(listed.accounts.size === 0 ? {} : { accounts: [...listed.accounts] }),
      missing: [
        ...listed.missing,
        ...(fault === undefined ? [] : [`${notFound} of ${places.length} transactions: ${fault.message}`])
      ]
    }
  })

/** A missing block time is replaced by that of the previous one in the list, which is in chronological order. */
const placesOf = ({ signatures, orders }: Signatures.SignatureList, { limit, since }: HistoryQuery) => {
  let time = signatures.find(({ blockTime }) => typeof blockTime === "number")?.blockTime ?? undefined
  const wanted = signatures
    .map(({ blockTime, signature }, index): SlotTransaction => {
      time = blockTime ?? time
      return { hash: signature, order: orders[index] ?? 0, timestamp: time }
    })
    .filter(({ timestamp }) => since === undefined || timestamp === undefined || timestamp >= since)
  return { places: wanted.slice(0, limit), more: wanted.length > limit }
}

/** Cannot fail: adds what was read in time to `found`, and returns why the rest is missing. */
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
            const transaction = Option.flatMap(Option.fromNullable(outcomes[index]), (outcome) =>
              Option.flatMap(Either.getRight(outcome), decode)
            ).pipe(Option.filter(({ transaction }) => (transaction.signatures?.[0] ?? signature) === signature))
            if (Option.isSome(transaction)) found.set(signature, transaction.value)
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
    if (Option.isNone(inTime)) faults.push(nodes.fault(timedOut))
    return faults
  })

const decode = Schema.decodeUnknownOption(TransactionWire.SolanaTransaction)

const timedOut: Fault = { reason: "timeout", detail: "timed out before the full history was read" }
const withheld: Fault = { reason: "bad_answer", detail: "did not return them, or in an unexpected format" }
