import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { ripple } from "../../catalogue/ripple.ts"
import { span } from "../../kernel/span.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { FeeSource } from "../Chain.ts"
import { ofNodes } from "../kit/fees/comparedFees.ts"
import { eachLevel, lifetimeOf, secondsOf, targetBlocks, toLevel } from "../kit/fees/feeLevels.ts"
import type { RippleProvider } from "./Provider.ts"

type Fee = Effect.Effect.Success<ReturnType<RippleProvider["fee"]>>

const { blockTime } = ripple

/**
 * Slow is the minimum fee of the queue, standard the fee of the open ledger. Fast is the median fee of the last ledger
 * if transactions are queued and it is higher; otherwise it is the standard fee, because no fee is faster.
 */
const dropsOf = ({ current_queue_size, drops }: Fee) => {
  const [slow, standard, median] = [drops.minimum_fee, drops.open_ledger_fee, drops.median_fee].map(BigInt) as [
    bigint,
    bigint,
    bigint
  ]
  const fast = current_queue_size !== "0" && median > standard ? median : standard
  return slow > standard ? undefined : { slow, standard, fast }
}

/** The fees of the open ledger and of the queue. */
export const fees = (rippled: RippleProvider): FeeSource => ({
  lifetime: lifetimeOf(blockTime),
  current: ofNodes(ripple, rippled.nodes, (node) =>
    Effect.gen(function* () {
      const fee = yield* rippled.fee(node)
      const drops = dropsOf(fee)
      if (drops === undefined) return yield* node.fault(noFee)
      return {
        family: "ripple" as const,
        levels: eachLevel((name) =>
          toLevel(
            "ripple",
            Either.right({ rates: { feeDrops: String(drops[name]) }, transfer: Either.right(drops[name]) }),
            // The next ledger includes the transactions of the open ledger.
            secondsOf(drops[name] < drops.standard ? targetBlocks[name] : 1, ripple)
          )
        ),
        basis: {
          baseFeeDrops: String(BigInt(fee.drops.base_fee)),
          queuedTransactions: String(Number(fee.current_queue_size))
        },
        transfer: "a payment of XRP with one signature to an existing account"
      }
    })
  ).pipe(span("Ripple.fees"))
})

const noFee: Fault = { reason: "bad_answer", detail: "the node returned no fees" }
