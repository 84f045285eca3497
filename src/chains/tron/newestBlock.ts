import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { tron } from "../../catalogue/tron.ts"
import type { TronContext } from "../../domain/TransactionContext.ts"
import { Height, Millis, numberOf, toSeconds } from "../../domain/units.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { requireHead } from "../kit/status/currentHead.ts"
import { decodeOptions, post } from "./TronWire.ts"

// `getblock` of a node's HTTP API (`/wallet`); reference blocks as in
// developers.tron.network/docs/tron-protocol-transaction.

/** A block without its transactions. */
const Block = Schema.Struct({
  blockID: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/)),
  block_header: Schema.Struct({
    raw_data: Schema.Struct({
      number: Schema.compose(Schema.NonNegativeInt, Height),
      timestamp: Schema.compose(Schema.NonNegativeInt, Millis)
    })
  })
})

/** The newest block and its reference in transactions. */
export interface TronBlock extends Omit<TronContext["block"], "number" | "timestamp"> {
  readonly number: Height
  readonly timestamp: Millis
}

const block = ResponseDecoder.fitting(Block, decodeOptions)

const readBlock = (address: Endpoint, of: "wallet" | "walletsolidity") =>
  Effect.map(address.read(post(`/${of}/getblock`, { detail: false }), block), ({ block_header, blockID }) => ({
    blockID,
    ...block_header.raw_data
  }))

/** The newest block, without its hash. */
export const headOf = (address: Endpoint) =>
  Effect.map(readBlock(address, "wallet"), ({ number, timestamp }) => ({ height: number, time: toSeconds(timestamp) }))

/** The newest block, or the newest that is solidified and thereby final: one call for all addresses. */
export const newestOf = (
  trongrid: Upstream,
  of: "wallet" | "walletsolidity" = "wallet"
): Effect.Effect<TronBlock, UpstreamError> =>
  trongrid.over((address) =>
    Effect.gen(function* () {
      const { blockID, number, timestamp } = yield* readBlock(address, of)
      // A block id starts with the height of the block.
      if (BigInt(`0x${blockID.slice(0, 16)}`) !== BigInt(numberOf(number))) return yield* address.fault(otherBlock)
      yield* requireHead(address, tron, { height: number, time: toSeconds(timestamp) })
      return {
        number,
        hash: blockID,
        timestamp,
        refBlockBytes: blockID.slice(12, 16),
        refBlockHash: blockID.slice(16, 32)
      }
    })
  )

/** The newest block. */
export const newestBlock = (trongrid: Upstream) =>
  Effect.mapBoth(newestOf(trongrid), {
    onFailure: unread,
    onSuccess: ({ number, timestamp }) => ({ height: number, at: toSeconds(timestamp) })
  })

const otherBlock: Fault = { reason: "bad_answer", detail: "returned a block whose id does not match its height" }
