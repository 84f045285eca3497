import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { callAll } from "../../../upstreams/callAll.ts"
import type { Upstream } from "../../../upstreams/Upstream.ts"
import type { DataFee } from "../EvmInfo.ts"

// eth_getTransactionReceipt (ethereum.github.io/execution-apis), with what the OP stack (specs.optimism.io) adds to it.

const quantity = Schema.String.pipe(Schema.pattern(/^0x[0-9a-fA-F]+$/))
const maybe = Schema.optional(Schema.NullOr(quantity))

export const Receipt = Schema.Struct({
  transactionHash: Schema.String,
  blockNumber: quantity,
  transactionIndex: maybe,
  /** Missing before Byzantium. */
  status: maybe,
  type: maybe,
  gasUsed: quantity,
  /** Missing on old nodes and before Bedrock. */
  effectiveGasPrice: maybe,
  l1Fee: maybe,
  operatorFeeScalar: maybe,
  operatorFeeConstant: maybe,
  /** Since Jovian, which also changed the unit of the scalar. */
  daFootprintGasScalar: maybe,
  /** Arbitrum: contained in `gasUsed`. */
  gasUsedForL1: maybe
})
export type Receipt = typeof Receipt.Type

/** Transactions that come from the other chain have paid there. */
const deposit = 0x7en

/**
 * The whole fee; undefined where a part of it may be missing. `gasPrice` is what the transaction itself says, for receipts
 * that name no price.
 */
export const feeOf = (
  receipt: Receipt,
  dataFee: DataFee | undefined,
  gasPrice: bigint | undefined
): bigint | undefined => {
  const gas = BigInt(receipt.gasUsed)
  const price = receipt.effectiveGasPrice ? BigInt(receipt.effectiveGasPrice) : gasPrice
  if (receipt.type && BigInt(receipt.type) === deposit) return 0n
  if (price === undefined) return undefined
  if (dataFee === undefined || receipt.gasUsedForL1) return gas * price
  if (!receipt.l1Fee) return dataFee === "perhaps" ? gas * price : undefined
  return gas * price + BigInt(receipt.l1Fee) + operatorFee(receipt, gas)
}

const operatorFee = (receipt: Receipt, gas: bigint): bigint => {
  const scaled = gas * BigInt(receipt.operatorFeeScalar || 0)
  return (receipt.daFootprintGasScalar ? scaled * 100n : scaled / 1_000_000n) + BigInt(receipt.operatorFeeConstant || 0)
}

const decode = Schema.decodeUnknownOption(Receipt)

export interface Receipts {
  readonly found: ReadonlyMap<string, Receipt>
  /** Why some were not told: a node that does not know a transaction has told that. */
  readonly failure: string | undefined
}

/** The receipts that the nodes have of some transactions, all in one request. Cannot fail. */
export const receipts = (nodes: Upstream, hashes: ReadonlyArray<string>): Effect.Effect<Receipts> =>
  hashes.length === 0
    ? Effect.succeed({ found: new Map(), failure: undefined })
    : nodes
        .over((node) =>
          callAll(
            node,
            hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] }))
          )
        )
        .pipe(
          Effect.map((outcomes) => {
            const found = outcomes.flatMap((one, index) => {
              const told = Option.flatMap(Either.getRight(one), decode)
              const hash = hashes[index] ?? ""
              return Option.isSome(told) && told.value.transactionHash.toLowerCase() === hash
                ? [[hash, told.value] as const]
                : []
            })
            const silent = outcomes.some(Either.isLeft)
            return { found: new Map(found), failure: silent ? `${nodes.name}: no answer to some calls` : undefined }
          }),
          Effect.catchAll(({ message }) => Effect.succeed({ found: new Map(), failure: message }))
        )
