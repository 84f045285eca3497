import * as RecentTimes from "../../upstream/RecentTimes.ts"
import { ranks } from "../../upstream/Sources.ts"
import type { Upstream } from "../../upstream/Upstream.ts"

type OrderedNode = Upstream["addresses"][number]

/** Time for which a node that was behind is called after the others, ms. */
const behindFor = 10_000

/** Minimum delay before the next node gets the call too, ms. */
const minHedgeDelay = 100

/** Delay for a method without measured latencies, ms. */
const usualHedgeDelay = 1_000

/** Latencies up to this are equally fast, ms; above it, each factor of two makes a difference. */
const fast = 50

const speed = (latency: number | undefined) =>
  latency === undefined ? 0 : Math.max(0, Math.floor(Math.log2(latency / fast)))

/** Age at which an average is ignored, ms. */
const averageLasts = 60_000

/** Duration of the calls of each method, ms; bounded by the methods of the policy. */
const timesByMethod = () => {
  const methods = new Map<string, ReturnType<typeof RecentTimes.make>>()
  return {
    add: (method: string, time: number): void => {
      const times = methods.get(method) ?? RecentTimes.make(0.9)
      methods.set(method, times)
      times.add(time)
    },
    /** Undefined while there are too few times. */
    p90: (method: string): number | undefined => methods.get(method)?.longest()
  }
}

/** Average duration of a node's calls, ms, in which the newest calls count most. */
const averageTime = () => {
  let average: number | undefined
  let at = 0
  return {
    add: (time: number, now: number): void => {
      average = average === undefined ? time : average + 0.2 * (time - average)
      at = now
    },
    now: (now: number): number | undefined => (now - at > averageLasts ? undefined : average)
  }
}

export type NodeOrder = ReturnType<typeof make>

/**
 * Orders the nodes for a call as all sources are ordered; of equal nodes, those that are not behind first, then faster
 * nodes in steps of a factor of two, then in the order that the operator prefers.
 */
export const make = (nodes: ReadonlyArray<OrderedNode>) => {
  const latencies = nodes.map(averageTime)
  const methods = timesByMethod()
  const behindUntil = nodes.map(() => 0)

  const rank = ({ index, limits, passStanding }: OrderedNode, method: string | undefined, now: number) =>
    ranks[method !== undefined && limits(method) ? "blocked" : passStanding(now).state] * 1e6 +
    ((behindUntil[index] ?? 0) > now ? 1e4 : 0) +
    speed(latencies[index]?.now(now)) * 100 +
    index

  return {
    /** The nodes for a call of this method, or for a batch. */
    ranked: (now: number, method?: string): ReadonlyArray<OrderedNode> =>
      nodes.length < 2
        ? nodes
        : nodes
            .map((node) => ({ node, rank: rank(node, method, now) }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ node }) => node),
    /** Records a response after this time, ms. Without a node, the time shows nothing about it. */
    recordResponse: (node: { readonly index: number } | undefined, method: string, time: number, now: number): void => {
      if (node !== undefined) latencies[node.index]?.add(time, now)
      methods.add(method, time)
    },
    /** Records a call that was cancelled after this time, ms: the node takes at least as long. */
    recordCancelled: ({ index }: { readonly index: number }, time: number, now: number): void => {
      if (time > (latencies[index]?.now(now) ?? 0)) latencies[index]?.add(time, now)
    },
    behind: ({ index }: { readonly index: number }, now: number): void => {
      behindUntil[index] = now + behindFor
    },
    /** Time after which a call of this method is slow, and the next node gets it too, ms. */
    hedgeDelay: (method: string): number => Math.max(minHedgeDelay, methods.p90(method) ?? usualHedgeDelay)
  }
}
