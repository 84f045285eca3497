import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type EvmFacts, evmSupply } from "../../catalogue/evm/EvmFacts.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { impossible, isUpTo } from "../amounts.ts"
import { requireCurrent } from "../currentHead.ts"
import { currentBlock, newestBlockCalls } from "./newestBlock.ts"
import { aggregate } from "./strategies/aggregate.ts"
import type { BalanceQuery, BalanceStrategy, Readings } from "./strategies/BalanceStrategy.ts"
import { callAll } from "./strategies/calls.ts"
import { scan } from "./strategies/scan.ts"

/** From the fewest calls to the most; for each node the first strategy that it does not refuse is used. */
const strategies: ReadonlyArray<BalanceStrategy> = [scan, aggregate]

/** How long a node's refusal of a strategy is remembered, ms: the node may be upgraded, or may have failed once. */
const remembered = 60 * 60 * 1000

/** Reads balances from the nodes of one network, and remembers which strategy works for each node. */
export const make = (facts: EvmFacts, nodes: Upstream) => {
  const refused = new Map<number, { readonly skip: number; readonly until: number }>()

  const from = (node: Endpoint, query: BalanceQuery) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const refusal = refused.get(node.index)
      const skip = refusal !== undefined && refusal.until > now ? refusal.skip : 0
      for (const [index, strategy] of strategies.entries()) {
        if (index < skip) continue
        const readings = yield* strategy(node, query).pipe(
          Effect.catchTag("Refused", ({ detail }) =>
            Effect.logDebug(`${nodes.name}: a method of reading balances was rejected: ${detail}`)
          )
        )
        if (readings === undefined) continue
        if (!readings.holders.every(({ native }) => isUpTo(evmSupply)(native))) return yield* node.fault(impossible)
        if (index > skip) refused.set(node.index, { skip: index, until: now + remembered })
        // Some development nodes run a call at another time than that of their block.
        yield* Effect.orElse(requireCurrent(node, facts, readings.timestamp), () =>
          Effect.flatMap(callAll(node, newestBlockCalls), (outcomes) => currentBlock(node, facts, outcomes))
        )
        return readings
      }
      return yield* node.fault({ reason: "bad_answer", detail: "the node returned no balances" })
    })

  return (query: BalanceQuery): Effect.Effect<Readings, UpstreamError> => nodes.over((node) => from(node, query))
}
