import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { gap } from "../../../../domain/history/Gap.ts"
import { type HistoryPart, type HistoryQuery, isRequested, newestFirst } from "../../../../domain/Transaction.ts"
import { type Height, numberOf } from "../../../../domain/units.ts"
import { each } from "../../../../kernel/each.ts"
import type { Upstream } from "../../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { by } from "../../../kit/history/readUntil.ts"
import { isStake } from "../../CardanoAddress.ts"
import { type CardanoLedgerTransaction, concerns, type Flow, toTransaction } from "../../ledger.ts"
import { type CardanoProvider, notUnderstood } from "../../Provider.ts"
import { pagesDiffer } from "../readPages.ts"
import * as calls from "./calls.ts"
import type { Get } from "./reading.ts"

// Blockfrost API v0: a list of hashes, then two calls per transaction, and a third if it withdraws rewards.

type BlockfrostContent = typeof calls.transaction.response.Type
type Utxos = typeof calls.utxos.response.Type
type Amounts = Utxos["outputs"][number]["amount"]
type Withdrawals = typeof calls.withdrawals.response.Type

const toLedgered = (
  content: BlockfrostContent,
  { inputs, outputs }: Utxos,
  withdrawals: Withdrawals
): CardanoLedgerTransaction => ({
  hash: content.hash,
  timestamp: content.block_time,
  height: content.block_height,
  index: content.index,
  fee: content.fees,
  deposit: content.deposit,
  valid: content.valid_contract,
  delegates: content.delegation_count > 0,
  // Collateral is listed even if it is not taken, and so are reference inputs.
  inputs: inputs
    .filter(({ collateral, reference }) => !collateral && reference !== true)
    .map((input) => ({ ...flow(input), output: spentBy(input) })),
  collateral: inputs.filter(({ collateral }) => collateral).map(flow),
  outputs: outputs.filter(({ collateral }) => collateral !== true).map(flow),
  rewards: withdrawals.map(({ address, amount }) => ({ account: address, lovelace: amount }))
})

const spentBy = ({ output_index, tx_hash }: Utxos["inputs"][number]) =>
  tx_hash === undefined || output_index === undefined ? undefined : `${tx_hash}#${output_index}`

const flow = ({ address, amount }: { readonly address: string; readonly amount: Amounts }): Flow => ({
  address,
  lovelace: amount.find(({ unit }) => unit === "lovelace")?.quantity ?? 0n,
  assets: amount.filter(({ unit }) => unit !== "lovelace")
})

/** Concurrent transactions; leaves capacity for balances. */
const concurrency = 4

/** Two calls, or three; none if Blockfrost does not have the transaction. */
const ledgered = (get: Get, hash: string) =>
  Effect.gen(function* () {
    const [content, utxos] = yield* Effect.all([get(calls.transaction, { hash }), get(calls.utxos, { hash })], {
      concurrency: 2
    })
    if (Option.isNone(content) || Option.isNone(utxos)) return Option.none()
    const rewards = content.value.withdrawal_count > 0 ? yield* get(calls.withdrawals, { hash }) : none
    return Option.map(rewards, (all) => toLedgered(content.value, utxos.value, all))
  })

/** Looks up one transaction. */
export const transaction =
  (get: Get): CardanoProvider["transaction"] =>
  (hash) =>
    Effect.map(ledgered(get, hash), Option.getOrUndefined)

export const make = (upstream: Upstream, get: Get): CardanoProvider["history"] => {
  /** Hashes, newest first; `more` is true if the last page was full. */
  const list = (query: HistoryQuery<Height>, inTime: ReturnType<typeof by>) =>
    Effect.gen(function* () {
      const { address, before: from, limit, since } = query
      const isWanted = isRequested(query)
      const to = from && numberOf(from.height)
      const call = isStake(address) ? calls.accountTransactions : calls.addressTransactions
      const hashes = new Set<string>()
      const late: Array<string> = []
      let more = true
      let failed: UpstreamError | undefined
      for (let page = 1; hashes.size < limit && more && failed === undefined; page++) {
        const answer = yield* Effect.either(inTime(get(call, { address, page, to })))
        if (Either.isLeft(answer) && page === 1) return yield* answer.left
        failed = Option.getOrUndefined(Either.getLeft(answer))
        const rows = Either.isRight(answer) ? Option.getOrElse(answer.right, () => []) : []
        const wanted = rows.filter(({ block_time }) => since === undefined || block_time >= since)
        const before = hashes.size
        for (const { tx_hash } of wanted) hashes.add(tx_hash)
        const older = since === undefined ? [] : rows.filter(({ block_time }) => block_time < since)
        late.push(...older.flatMap((row) => (isWanted(row.tx_hash, row.block_time) ? row.tx_hash : [])))
        if (wanted.length > 0 && hashes.size === before) failed = upstream.fault(pagesDiffer)
        more = rows.length === calls.pageSize && wanted.length === calls.pageSize
      }
      return { hashes: [...hashes], late, more, failed }
    })

  return (query, until) =>
    Effect.gen(function* () {
      const { address, limit } = query
      const inTime = by(upstream, until)
      const { hashes, late, ...listed } = yield* list(query, inTime)
      const wanted = [...hashes, ...late].slice(0, limit)
      let fault: UpstreamError | undefined
      const answers = yield* each(
        wanted,
        (hash) =>
          // Transactions older than a failed one would not be returned, so they are not requested.
          fault === undefined
            ? Effect.tapError(inTime(ledgered(get, hash)), (error) =>
                Effect.sync(() => {
                  fault ??= error
                })
              ).pipe(Effect.either)
            : Effect.succeed(Either.left(fault)),
        concurrency
      )
      const complete = Arr.takeWhile(answers, Either.isRight).map(({ right }) => right)
      const failed = answers.find(Either.isLeft)?.left ?? listed.failed
      if (failed !== undefined && complete.length === 0) return yield* failed
      const found = Arr.getSomes(complete).filter(concerns(address))
      const lost = complete.length - found.length
      if (found.length === 0 && lost > 0) return yield* upstream.fault(notUnderstood)
      return {
        transactions: found.map((ledgered) => toTransaction(address, ledgered)).sort(newestFirst),
        more: failed !== undefined || hashes.length > limit || listed.more,
        sources: [upstream.name],
        gaps: [
          ...(failed === undefined ? [] : [gap("older", `older transactions: ${failed.message}`)]),
          ...(lost === 0 ? [] : [gap("transactions", `${lost} transactions: ${upstream.fault(notUnderstood).message}`)])
        ]
      } satisfies HistoryPart as HistoryPart
    })
}

const none: Option.Option<Withdrawals> = Option.some([])
