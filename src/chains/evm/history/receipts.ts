import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { DataFee } from "../../../catalogue/evm/EvmFacts.ts"
import type { ClientCall, Outcome } from "../../../jsonrpc/Client.ts"
import { callAll } from "../../../jsonrpc/callAll.ts"
import * as Call from "../../../upstream/Call.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import { uint64 } from "../../kit/holdings/amounts.ts"
import type { Receipt } from "../providers/node/calls.ts"
import * as calls from "../providers/node/calls.ts"
import { nullable } from "../providers/node/results.ts"
import type { ListedTransaction } from "./ListedTransaction.ts"

/** A receipt, and further data of a node about the transaction. */
export interface KnownReceipts extends Receipt {
  /** Of a deposit: the amount that its sender got from the other chain, in base units; undefined if no node has it. */
  readonly minted?: bigint
}

const typeOf = ({ type }: Receipt) => (type ? Number(type) : undefined)

/** Whether a transaction came from the other chain, where it paid its fee. */
export const isDeposit = (receipt: Receipt): boolean => typeOf(receipt) === 0x7e

/** Whether a transaction has blobs, which it pays for in addition to its gas. */
export const hasBlobs = (receipt: Receipt): boolean => typeOf(receipt) === 3

/** Transaction types of Celo whose gas may be paid in a token that the receipt does not name. */
const mayPayInTokens: ReadonlyArray<number | undefined> = [0x7b, 0x7c]

/** Whether the price in the transaction is the price that was paid, and not only a maximum. */
export const hasFixedPrice = (receipt: Receipt): boolean => (typeOf(receipt) ?? 0) <= 1

/**
 * The whole fee; undefined if a part of it may be missing, or its price is above `gasPrice`, that of the transaction
 * itself, which is also the price of receipts without one.
 */
export const feeOf = (
  receipt: Receipt,
  dataFee: DataFee | undefined,
  gasPrice: bigint | undefined
): bigint | undefined => {
  if (isDeposit(receipt)) return 0n
  if (mayPayInTokens.includes(typeOf(receipt)) || receipt.tokenRatio != null) return undefined
  const gas = BigInt(receipt.gasUsed)
  const price = receipt.effectiveGasPrice ? BigInt(receipt.effectiveGasPrice) : gasPrice
  // No transaction pays more than its own price.
  if (price === undefined || (gasPrice && price > gasPrice)) return undefined
  if (isMissingPart(receipt, dataFee)) return undefined
  const blobs = hasBlobs(receipt) ? BigInt(receipt.blobGasUsed || 0) * BigInt(receipt.blobGasPrice || 0) : 0n
  const data = receipt.gasUsedForL1 ? 0n : BigInt(receipt.l1Fee || 0)
  return gas * price + blobs + data + operatorFee(receipt, gas)
}

/** Whether a part of the fee is missing, or a data fee is above 18 ether. */
const isMissingPart = (receipt: Receipt, dataFee: DataFee | undefined): boolean =>
  (dataFee === "always" && !receipt.gasUsedForL1 && (!receipt.l1Fee || BigInt(receipt.l1Fee) > uint64)) ||
  (hasBlobs(receipt) && (!receipt.blobGasUsed || !receipt.blobGasPrice)) ||
  !receipt.operatorFeeScalar !== !receipt.operatorFeeConstant

/** Whether a receipt lacks what others of its kind have for the fee. */
export const isPartial = (receipt: Receipt, dataFee: DataFee | undefined): boolean =>
  !isDeposit(receipt) && (isMissingPart(receipt, dataFee) || (!hasFixedPrice(receipt) && !receipt.effectiveGasPrice))

const operatorFee = (receipt: Receipt, gas: bigint): bigint => {
  const scaled = gas * BigInt(receipt.operatorFeeScalar || 0)
  return (receipt.daFootprintGasScalar ? scaled * 100n : scaled / 1_000_000n) + BigInt(receipt.operatorFeeConstant || 0)
}

export interface Receipts {
  readonly found: ReadonlyMap<string, KnownReceipts>
  /** Why some are missing. A transaction that no block has, has no receipt: `null` is then not a failure. */
  readonly failure: string | undefined
}

/**
 * Reads the receipts of transactions from the nodes and, for possible deposits, the amount from the other chain, in one
 * request. Those in a block have a receipt: a node without it has lost it, or is behind. Cannot fail.
 */
export const receipts = (
  nodes: Upstream,
  transactions: ReadonlyArray<Pick<ListedTransaction, "block" | "hash">>,
  perhapsDeposits: ReadonlyArray<string>,
  dataFee: DataFee | undefined
): Effect.Effect<Receipts> => {
  const hashes = transactions.map(({ hash }) => hash)
  const isLost = (outcome: Outcome, index: number) =>
    Either.getOrUndefined(outcome) === null && transactions[index]?.block !== undefined
  return hashes.length === 0
    ? Effect.succeed({ found: new Map(), failure: undefined })
    : nodes
        .over(
          (node) =>
            callAll(
              node,
              [
                ...hashes.map((hash) => Call.methodOf(calls.receipt, { hash })),
                ...perhapsDeposits.map((hash) => Call.methodOf(calls.deposit, { hash }))
              ],
              { perCall: true }
            ),
          { isWhole: (outcomes) => outcomes.every(Either.isRight) && !outcomes.some(isLost) }
        )
        .pipe(
          Effect.map((outcomes) => {
            const mints = mintsIn(perhapsDeposits, outcomes.slice(hashes.length))
            const found = read(calls.receipt, hashes, outcomes).map(
              ([hash, receipt]): readonly [string, KnownReceipts] => {
                const minted = isDeposit(receipt) ? mints.get(hash) : undefined
                return [hash, minted === undefined ? receipt : { ...receipt, minted }]
              }
            )
            const answered = outcomes
              .slice(0, hashes.length)
              .filter((outcome) => Either.getOrUndefined(outcome) !== null)
            const silent =
              outcomes.some(Either.isLeft) ||
              answered.length > found.length ||
              found.some(([, receipt]) => isPartial(receipt, dataFee))
            const lost = outcomes.filter(isLost).length
            const failures = [
              ...(silent ? [`${nodes.name}: some calls failed`] : []),
              ...(lost > 0 ? [`${nodes.name}: no node has ${lost} of the receipts`] : [])
            ]
            return { found: new Map(found), failure: failures.length === 0 ? undefined : failures.join("; ") }
          }),
          Effect.catchAll(({ message }) => Effect.succeed({ found: new Map(), failure: message }))
        )
}

/** The responses about these hashes that fit the schema and name the hash. */
const read = <B extends ClientCall["params"], A, I>(
  call: Call.RpcCall<{ readonly hash: string }, B, A, I>,
  hashes: ReadonlyArray<string>,
  outcomes: ReadonlyArray<Outcome>
) =>
  hashes.flatMap((hash, index): ReadonlyArray<readonly [string, A]> => {
    const found = Either.getOrUndefined(nullable(call, { hash }, outcomes[index]))
    return found === undefined ? [] : [[hash, found]]
  })

const mintsIn = (hashes: ReadonlyArray<string>, outcomes: ReadonlyArray<Outcome>): ReadonlyMap<string, bigint> =>
  new Map(
    read(calls.deposit, hashes, outcomes).flatMap(([hash, { mint }]) =>
      mint === undefined ? [] : [[hash, BigInt(mint || 0)]]
    )
  )
