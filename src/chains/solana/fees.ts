import { base58 } from "@scure/base"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { solana } from "../../catalogue/solana.ts"
import { span } from "../../kernel/span.ts"
import { notUnderstood } from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { FeeSource, ReadFailure } from "../Chain.ts"
import { feesTooHigh, ofNodes } from "../kit/fees/comparedFees.ts"
import { ceilDiv, eachLevel, lifetimeOf, secondsOf, targetBlocks, toLevel } from "../kit/fees/feeLevels.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import type { SolanaProvider } from "./Provider.ts"
import { SlotFee } from "./providers/agave/calls.ts"

// Base fee and priority fee (solana.com/docs/core/fees): `getFeeForMessage` of a transfer, and the percentiles of
// `getRecentPrioritizationFees`, which returns the lowest fee that was paid in each of the last 150 slots.

const { blockTime } = solana.proxy

/** Compute units of a transfer of SOL with the two instructions that set limit and price: 150 each. */
const transferUnits = 450

/** The percentile of the slots, by level. */
const percentiles = { slow: 25, standard: 50, fast: 90 } as const

/** Micro-lamports per compute unit; with a higher price, a transfer would cost more than it ever does. */
const maxPrice = (solana.maxTransferFee * 1_000_000n) / BigInt(transferUnits)

const decodeSlot = Schema.decodeUnknownOption(SlotFee)

export const fees = (agave: SolanaProvider): FeeSource => ({
  lifetime: lifetimeOf(blockTime),
  current: ofNodes(solana, agave.nodes, read(agave)).pipe(span("Solana.fees"))
})

const read = (agave: SolanaProvider) => (node: Endpoint) =>
  Effect.gen(function* () {
    const [recent, latest] = yield* agave.fees(node)
    const prices = percentilesOf(recent)
    const base = yield* baseFee(agave, node, latest)
    if (Either.isLeft(prices) && Either.isLeft(base)) return yield* node.fault(prices.left)
    const found = Either.mapLeft(prices, (fault) => unread(node.fault(fault)))
    return {
      family: "solana" as const,
      levels: eachLevel((name) =>
        toLevel(
          "solana",
          Either.map(found, (byLevel) => ({
            rates: { computeUnitPriceMicroLamports: String(byLevel[name]) },
            transfer: Either.map(base, (lamports) => lamports + priority(byLevel[name]))
          })),
          secondsOf(targetBlocks[name], solana)
        )
      ),
      basis: {
        baseFeeLamports: Either.getOrNull(Either.map(base, String)),
        transferComputeUnits: transferUnits
      },
      transfer: `a transfer of SOL with one signature and a limit of ${transferUnits} compute units`
    }
  })

const priority = (price: bigint) => ceilDiv(price * BigInt(transferUnits), 1_000_000n)

type Answers = Effect.Effect.Success<ReturnType<SolanaProvider["fees"]>>

const percentilesOf = (recent: Answers[0]) =>
  Either.flatMap(recent, (slots) => {
    const read = Arr.getSomes(slots.map((row) => decodeSlot(row)))
    const prices = read.map(({ prioritizationFee }) => prioritizationFee).sort((a, b) => a - b)
    if (slots.length === 0) return Either.left(noSlots)
    // Single slots that cannot be read change no level much.
    if (2 * prices.length <= slots.length) return Either.left(notUnderstood)
    const at = (percentile: number) => prices[Math.floor(((prices.length - 1) * percentile) / 100)] ?? 0
    const levels = eachLevel((name) => BigInt(Math.ceil(at(percentiles[name]))))
    return levels.fast > maxPrice ? Either.left(feesTooHigh) : Either.right(levels)
  })

const baseFee = (agave: SolanaProvider, node: Endpoint, latest: Answers[1]) =>
  Effect.gen(function* () {
    if (Either.isLeft(latest)) return Either.left(unread(node.fault(latest.left)))
    return Either.mapBoth(yield* agave.feeOf(node, message(latest.right.value.blockhash)), {
      onLeft: (fault): ReadFailure => unread(node.fault(fault)),
      onRight: BigInt
    })
  })

/** The System program, which transfers SOL. */
const systemProgram = new Uint8Array(32)

/** Arbitrary accounts: the message is not signed. */
const [payer, recipient] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]

/** A message with a transfer of one lamport, base64 (solana.com/docs/core/transactions, format of a legacy message). */
export const message = (blockhash: string): string => {
  const transfer = Buffer.alloc(12)
  transfer.writeUInt32LE(2, 0)
  transfer.writeBigUInt64LE(1n, 4)
  return Buffer.concat([
    // One signature, which is not read-only; one read-only account without a signature, the program.
    Buffer.of(1, 0, 1),
    Buffer.of(3),
    payer,
    recipient,
    systemProgram,
    base58.decode(blockhash),
    // One instruction: calls the third account with the first two.
    Buffer.of(1, 2, 2, 0, 1, transfer.length),
    transfer
  ]).toString("base64")
}

const noSlots: Fault = { reason: "bad_answer", detail: "the node returned no priority fees" }
