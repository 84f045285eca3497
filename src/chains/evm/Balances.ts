import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { evmSupply } from "../../catalogue/EvmFacts.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { impossible, isUpTo } from "../amounts.ts"
import { aggregate } from "./strategies/aggregate.ts"
import type { BalanceQuery, BalanceStrategy, Readings } from "./strategies/BalanceStrategy.ts"
import { scan } from "./strategies/scan.ts"
import { single } from "./strategies/single.ts"

/** From the fewest calls to the most; each node is asked in the first way that it does not refuse. */
const ways: ReadonlyArray<BalanceStrategy> = [scan, aggregate, single]

/** How long a node's refusal of a way is remembered, ms: it may be upgraded, or have had a bad moment. */
const remembered = 60 * 60 * 1000

/** A node so many blocks behind another one that was asked of late tells balances of the past. */
const mostBehind = 200n

/** For so long another node's block is a measure, ms. */
const headValid = 5 * 60 * 1000

/** Reads balances from the nodes of one network, and remembers per node which way works. */
export const make = (nodes: Upstream) => {
  const refused = new Map<number, { readonly ways: number; readonly until: number }>()
  const heads = new Map<number, { readonly block: bigint; readonly at: number }>()

  const from = (node: Endpoint, question: BalanceQuery) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const known = refused.get(node.index)
      const skip = known !== undefined && known.until > now ? known.ways : 0
      for (const [index, way] of ways.entries()) {
        if (index < skip) continue
        const readings = yield* way(node, question).pipe(
          Effect.catchTag("Refused", ({ detail }) =>
            Effect.logDebug(`${nodes.name}: a method of reading balances was rejected: ${detail}`)
          )
        )
        if (readings === undefined) continue
        if (!readings.holders.every(({ native }) => isUpTo(evmSupply)(native))) return yield* node.fault(impossible)
        if (index > skip) refused.set(node.index, { ways: index, until: now + remembered })
        return yield* upToDate(node, readings, now)
      }
      return yield* node.fault({ reason: "bad_answer", detail: "the node returned no balances" })
    })

  const upToDate = (node: Endpoint, readings: Readings, now: number) => {
    const { block } = readings
    if (block === undefined) return Effect.succeed(readings)
    heads.set(node.index, { block, at: now })
    const behind = [...heads.values()].some((other) => other.at > now - headValid && other.block > block + mostBehind)
    return behind
      ? Effect.fail(node.fault({ reason: "bad_answer", detail: "the node is behind the network" }))
      : Effect.succeed(readings)
  }

  return (question: BalanceQuery): Effect.Effect<Readings, UpstreamError> => nodes.over((node) => from(node, question))
}
