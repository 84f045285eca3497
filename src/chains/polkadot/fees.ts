import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { bytesToHex, hexToBytes } from "viem/utils"
import { polkadot } from "../../catalogue/polkadot.ts"
import { span } from "../../kernel/span.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { FeeSource } from "../Chain.ts"
import { ofNodes } from "../kit/fees/comparedFees.ts"
import { lifetimeOf, sameLevels, secondsOf } from "../kit/fees/feeLevels.ts"
import * as Substrate from "./providers/substrate/Substrate.ts"
import { compactAt, u32, unsigned } from "./storage.ts"

// The runtime computes the fee of a call: `TransactionPaymentCallApi_query_call_info` (polkadot-sdk,
// substrate/frame/transaction-payment), called with `state_call`. Its input is the call and the extrinsic's length.

/** Balances.transfer_keep_alive on Asset Hub: 1 DOT to an arbitrary account. */
const call = `0a0300${"02".repeat(32)}0700e40b5402`

/**
 * The length of the signed extrinsic: length prefix 2, version 1, sender 33, signature 65, era 2, nonce, tip, asset and
 * metadata hash mode 1 each, and the call.
 */
const transferBytes = 2 + 1 + 33 + 65 + 2 + 4 + call.length / 2

/** Decodes RuntimeDispatchInfo: the weight in two compact integers, the class in a byte, and the fee in 128 bits. */
export const partialFee = (result: unknown): Option.Option<bigint> => {
  if (typeof result !== "string" || !/^0x([0-9a-f]{2}){19,60}$/i.test(result)) return Option.none()
  const bytes = hexToBytes(result as `0x${string}`)
  const [, time = bytes.length] = compactAt(bytes, 0) ?? []
  const [, size = bytes.length] = compactAt(bytes, time) ?? []
  const fee = bytes.subarray(size + 1)
  if (fee.length !== 16) return Option.none()
  const planck = unsigned(fee)
  return planck > 0n && planck <= polkadot.supply ? Option.some(planck) : Option.none()
}

/** The fee of a transfer, which the runtime computes. */
export const fees = (nodes: Upstream): FeeSource => ({
  lifetime: lifetimeOf(polkadot.blockTime),
  current: ofNodes(polkadot, nodes, read).pipe(span("Polkadot.fees"))
})

const read = (node: Endpoint) =>
  Effect.gen(function* () {
    // The read without keys checks that the node serves Asset Hub and has a current block.
    const [, info] = yield* Effect.all(
      [
        Substrate.read(node, []),
        Substrate.runtimeCall(
          node,
          "TransactionPaymentCallApi_query_call_info",
          `0x${call}${bytesToHex(u32(transferBytes)).slice(2)}`
        )
      ],
      { concurrency: 2 }
    )
    const fee = Option.flatMap(info, partialFee)
    if (Option.isNone(fee)) return yield* node.fault(noFee)
    return {
      family: "polkadot" as const,
      levels: sameLevels(
        "polkadot",
        { rates: { tipPlanck: "0" }, transfer: Either.right(fee.value) },
        secondsOf(1, polkadot)
      ),
      basis: { transferFeePlanck: String(fee.value), transferBytes },
      transfer: `a transfer of DOT to an existing account on Asset Hub, ${transferBytes} bytes`
    }
  })

const noFee: Fault = { reason: "bad_answer", detail: "the node did not return the fee of a transfer" }
