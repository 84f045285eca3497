import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { distance, shift } from "../../domain/units.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ReadFailure, Statuses, TransactionStatus } from "../Chain.ts"
import { impossible, isPossible } from "../kit/holdings/amounts.ts"
import { otherTransaction } from "../kit/sending/nodeResponse.ts"
import { type Head, maxAhead } from "../kit/status/currentHead.ts"
import * as PendingMemory from "../kit/status/PendingMemory.ts"
import { wrongBlock } from "../kit/status/readStatuses.ts"
import type { StatusSource } from "./Provider.ts"
import { checkHash } from "./rawTransactions/UtxoTransaction.ts"
import { feeOf, spendsOnce, type UtxoTransaction } from "./toTransaction.ts"

/** Statuses of transactions at indexers. `none` is the failure without an indexer. The notes are spent outputs. */
export const statuses = (facts: UtxoFacts, sources: ReadonlyArray<StatusSource>, none: ReadFailure) =>
  Effect.map(
    PendingMemory.reader(facts.id, {
      sources,
      facts,
      read: (source: StatusSource, ...read) => atIndexer(facts, source, ...read),
      none
    }),
    (read): Statuses => ({ hash: checkHash, read })
  )

const atIndexer = (
  facts: UtxoFacts,
  source: StatusSource,
  hashes: ReadonlyArray<string>,
  notes: PendingMemory.Notes,
  named: Map<string, string>
) =>
  Effect.gen(function* () {
    const head = yield* source.head
    const statusOf = (hash: string) =>
      Effect.flatMap(source.transaction(hash), (found) => {
        if (found === undefined) return absentStatus(source, hash, notes.get(hash) ?? [], named)
        const result = Either.mapLeft(status(facts, hash, found, head), source.fault)
        const spent = found.inputs.flatMap(({ spends }) => spends ?? [])
        if (Either.isRight(result) && !notes.has(hash)) notes.set(hash, spent)
        return result
      })
    return hashes.map(statusOf)
  })

const status = (
  facts: UtxoFacts,
  hash: string,
  found: UtxoTransaction,
  head: Head
): Either.Either<TransactionStatus, Fault> => {
  const { block, time } = found
  if (found.hash !== hash) return Either.left(otherTransaction)
  if (block === undefined) return Either.right({ status: "pending", confirmations: 0 })
  // The newest block is read first: another one may have come since.
  if (block > shift(head.height, 1) || (time !== undefined && time > shift(head.time, maxAhead)))
    return Either.left(wrongBlock)
  const fee = feeOf(found)
  if (!isPossible(facts)(fee) || !spendsOnce(found)) return Either.left(impossible)
  return Either.right({
    status: "confirmed",
    confirmations: Math.max(1, distance(block, head.height) + 1),
    block,
    ...(time === undefined ? {} : { at: time }),
    fee
  })
}

/** The form of an output; the store and indexers may contain anything. */
const isOutput = /^[0-9a-f]{64}:\d{1,10}$/

/** Maximum outputs of a transaction that are looked up: a replacement usually spends the same. */
const maxOutputs = 5

/**
 * The status of a transaction that the indexer does not have: replaced if its outputs are spent. An indexer that does not
 * return the spender of an output looks up the one that an earlier indexer named.
 */
const absentStatus = (
  { spender, transaction }: StatusSource,
  hash: string,
  outputs: ReadonlyArray<string>,
  named: Map<string, string>
): Effect.Effect<TransactionStatus, UpstreamError> =>
  Effect.gen(function* () {
    const known = outputs.filter((output) => isOutput.test(output))
    for (const output of spender === undefined ? [] : known.slice(0, maxOutputs)) {
      const replacedBy = yield* spender?.(output) ?? Effect.succeed(undefined)
      if (replacedBy === undefined || replacedBy === hash) continue
      named.set(hash, replacedBy)
      return { status: "replaced", replacedBy }
    }
    const replacedBy = spender === undefined ? named.get(hash) : undefined
    const found = replacedBy === undefined ? undefined : yield* transaction(replacedBy)
    const isSpending = found?.inputs.some(({ spends = "" }) => known.includes(spends))
    return replacedBy !== undefined && found?.hash === replacedBy && found.block !== undefined && isSpending
      ? { status: "replaced", replacedBy }
      : { status: "not_found" }
  })
