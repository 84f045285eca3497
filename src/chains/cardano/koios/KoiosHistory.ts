import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type HistoryPart, newestFirst, type Transaction } from "../../../domain/Transaction.ts"
import { each } from "../../../kernel/each.ts"
import type * as Budget from "../../../upstream/budget/Budget.ts"
import { BypassCircuit } from "../../../upstream/Probes.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { by } from "../../readUntil.ts"
import { concerns, toTransaction } from "../history.ts"
import { type CardanoSource, notUnderstood } from "../Source.ts"
import * as KoiosTransactions from "./KoiosTransactions.ts"
import type { Listed } from "./koiosRows.ts"

/** `rate` is the service's rate; `proven` fails if an empty list may be a wrong response. */
export const make = (
  upstream: Upstream,
  rate: Budget.Rate,
  confirmUse: (address: string) => Effect.Effect<unknown, UpstreamError>
): CardanoSource["history"] => {
  const { heightSince, list, ofLastDay, transactionsOf } = KoiosTransactions.make(upstream, rate)

  return ({ address, before, limit, since }, until) =>
    Effect.gen(function* () {
      const inTime = by(upstream, until)
      const height = heightSince(since)
      const { cut, rows } = yield* inTime(list(address, limit, height, before?.height)).pipe(
        Effect.map((rows) => ({ rows, cut: [] as string[] })),
        Effect.catchIf(
          (error) =>
            since === undefined && error.unsent !== true && (error.reason === "timeout" || error.status === 504),
          (error) =>
            Effect.provideService(inTime(ofLastDay(address, limit, before?.height, error)), BypassCircuit, true)
        )
      )
      if (rows.length === 0 && since === undefined && cut.length === 0) yield* inTime(confirmUse(address))
      const { hashes, wanted } = select(rows, limit, since)
      const chunks = Arr.chunksOf(hashes, KoiosTransactions.perCall)
      const answers = yield* each(chunks, (chunk) => Effect.either(inTime(transactionsOf(chunk))))
      const complete = Arr.takeWhile(answers, Either.isRight).map(({ right }) => right)
      const failed = answers.find(Either.isLeft)?.left
      if (failed !== undefined && complete.length === 0) return yield* failed
      const found = complete.flat().filter(concerns(address))
      const lost = chunks.slice(0, complete.length).flat().length - found.length
      if (found.length === 0 && lost > 0) return yield* upstream.fault(notUnderstood)
      const transactions = found.map((current) => toTransaction(address, current)).sort(newestFirst)
      return toPart(upstream, { transactions, limit, listed: wanted.length, cut, failed, lost })
    })
}

/** The rows in the requested range, and the hashes to look up: up to the limit, and the rest of that block. */
const select = (rows: typeof Listed.Type, limit: number, since: number | undefined) => {
  const unique = [...new Map(rows.map((row) => [row.tx_hash, row])).values()]
  const wanted = unique.filter(({ block_time }) => since === undefined || block_time >= since)
  const last = wanted[limit - 1]?.block_height
  const listed = wanted.filter(({ block_height }, index) => index < limit || block_height === last)
  return { wanted, hashes: listed.map(({ tx_hash }) => tx_hash) }
}

interface KoiosReading {
  readonly transactions: ReadonlyArray<Transaction>
  readonly limit: number
  /** The number of rows in the requested range. */
  readonly listed: number
  readonly cut: ReadonlyArray<string>
  readonly failed: UpstreamError | undefined
  readonly lost: number
}

const toPart = (
  { fault, name }: Upstream,
  { cut, failed, limit, listed, lost, transactions }: KoiosReading
): HistoryPart => ({
  transactions: transactions.slice(0, limit),
  more: failed !== undefined || cut.length > 0 || listed > limit,
  sources: [name],
  missing: [
    // Reported only if the limit was not reached.
    ...(listed < limit ? cut : []),
    ...(failed === undefined ? [] : [`older transactions: ${failed.message}`]),
    ...(lost === 0 ? [] : [`${lost} transactions: ${fault(notUnderstood).message}`])
  ]
})
