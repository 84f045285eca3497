import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import * as Amount from "../../domain/Amount.ts"
import type { EvmMinimum, Replacement } from "../../domain/Replacement.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { span } from "../../kernel/span.ts"
import * as Call from "../../upstream/Call.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ReadFailure } from "../Chain.ts"
import { ceilDiv } from "../kit/fees/feeLevels.ts"
import { impossible, isPossible } from "../kit/holdings/amounts.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { dataFee, l1FeeCalls } from "./fees/l1Fee.ts"
import { isGas, noEstimate } from "./fees.ts"
import * as calls from "./providers/node/calls.ts"
import { currentBlock, newestBlockCalls } from "./providers/node/newestBlock.ts"
import { nullable, ofContracts, quantity } from "./providers/node/results.ts"

type PendingTransaction = typeof calls.pendingTransaction.response.Type

/**
 * Increase that nodes require, percent: `--txpool.pricebump` and, for transactions with blobs, `--blobpool.pricebump`
 * of go-ethereum (geth.ethereum.org/docs/fundamentals/command-line-options). Other clients have the same defaults.
 */
const bumps = { usual: 10n, blobs: 100n }

const blobType = 3

/** The least that is above a value by this percentage; nodes also refuse an unchanged value of zero. */
const raised = (value: bigint, percent: bigint) => (value === 0n ? 1n : ceilDiv(value * (100n + percent), 100n))

/** The minimum for replacing a transaction; undefined if its type is unknown, or lacks a price. */
export const minimumOf = (transaction: PendingTransaction): typeof EvmMinimum.Type | undefined => {
  const { gasPrice, maxFeePerBlobGas, maxFeePerGas, maxPriorityFeePerGas, nonce } = transaction
  const type = Number(transaction.type ?? (maxFeePerGas == null ? 0 : 2))
  const bump = (value: string) => String(raised(BigInt(value), type === blobType ? bumps.blobs : bumps.usual))
  const none = { maxFeePerGasWei: null, maxPriorityFeePerGasWei: null, gasPriceWei: null, maxFeePerBlobGasWei: null }
  const common = { ...none, nonce: Number(nonce) }
  if (type === 0 || type === 1) return gasPrice == null ? undefined : { ...common, gasPriceWei: bump(gasPrice) }
  if (![2, blobType, 4].includes(type) || maxFeePerGas == null || maxPriorityFeePerGas == null) return undefined
  const dynamic = {
    ...common,
    maxFeePerGasWei: bump(maxFeePerGas),
    maxPriorityFeePerGasWei: bump(maxPriorityFeePerGas)
  }
  if (type !== blobType) return dynamic
  return maxFeePerBlobGas == null ? undefined : { ...dynamic, maxFeePerBlobGasWei: bump(maxFeePerBlobGas) }
}

/** What must be paid to replace a transaction, from the first node that has it. `off` is why there are no nodes. */
export const replacement =
  (facts: EvmFacts, nodes: Upstream, off: ReadFailure | undefined) =>
  (hash: string): Effect.Effect<Replacement, ReadFailure> =>
    off === undefined
      ? nodes
          .over((node) => atNode(node, facts, hash), { isWhole: (found) => found !== undefined })
          .pipe(
            Effect.map((found) => found ?? without(gone)),
            Effect.mapError(unread),
            span("Evm.replacement", { attributes: { network: facts.id } })
          )
      : Effect.fail(off)

/** Undefined if the node does not have the transaction, or has it in a block. */
const atNode = (node: Endpoint, facts: EvmFacts, hash: string): Effect.Effect<Replacement | undefined, UpstreamError> =>
  Effect.gen(function* () {
    const outcomes = yield* callAll(node, [...newestBlockCalls, Call.methodOf(calls.pendingTransaction, { hash })])
    yield* currentBlock(node, facts, outcomes)
    const found = yield* Either.mapLeft(
      nullable(calls.pendingTransaction, { hash }, outcomes[newestBlockCalls.length]),
      node.fault
    )
    if (found === undefined || found.blockNumber != null) return undefined
    const minimum = minimumOf(found)
    if (minimum === undefined) return without(unknownType)
    const maxPrice = minimum.maxFeePerGasWei ?? minimum.gasPriceWei
    if (maxPrice === null || minimum.maxFeePerBlobGasWei !== null)
      return { kind: "replace", minimum, transfer: null, reason: onlyBlobs }
    const [estimate, ...data] = yield* callAll(node, [selfTransfer(found.from), ...l1FeeCalls(facts)], ofContracts)
    const gas = Option.filter(quantity(estimate), isGas)
    const fee = Either.flatMap(
      Either.fromOption(gas, () => noEstimate),
      (units) => Either.map(dataFee(facts, data).fee, (more) => units * BigInt(maxPrice) + more)
    )
    const cost = Either.getOrUndefined(fee)
    if (cost !== undefined && !isPossible(facts)(cost)) return yield* node.fault(impossible)
    return {
      kind: "replace",
      minimum,
      transfer: {
        gas: Option.getOrNull(Option.map(gas, String)),
        vbytes: null,
        feeBaseUnits: cost === undefined ? null : String(cost),
        fee: cost === undefined ? null : Amount.format(cost, facts.native.decimals)
      },
      ...(Either.isLeft(fee) ? { reason: fee.left.message } : {})
    }
  })

const selfTransfer = (from: string) =>
  Call.methodOf(calls.estimateGas, { transaction: { from, to: from, value: "0x0" } })

const without = (reason: string): Replacement => ({ kind: null, minimum: null, transfer: null, reason })

const gone = "no node has it as a pending transaction any longer"
const unknownType = "its type of transaction has no known rule of replacement"
const onlyBlobs = "only a transaction with blobs can replace a transaction with blobs"
