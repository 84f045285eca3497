import * as RecentTimes from "../../upstream/RecentTimes.ts"
import type { Upstream } from "../../upstream/Upstream.ts"

type OrderedNode = Upstream["addresses"][number]

/** A node that was behind the others gets calls after them for this time, ms. */
const behindFor = 10_000

/** The next node does not help out before this time, ms. */
const minHedgeDelay = 100

/** The same for a method without known latencies, ms. */
const usualHedgeDelay = 1_000

/** Up to this all are equally fast, ms; from then on twice as slow makes a difference. */
const fast = 50

const speed = (latency: number | undefined) =>
  latency === undefined ? 0 : Math.max(0, Math.floor(Math.log2(latency / fast)))

/** Older averages are forgotten, ms. */
const averageLasts = 60_000

/** How long the calls of each method take, ms; bounded by the methods that the policy knows. */
const timesByMethod = () => {
  const methods = new Map<string, ReturnType<typeof RecentTimes.make>>()
  return {
    add: (method: string, time: number): void => {
      const times = methods.get(method) ?? RecentTimes.make(0.9)
      methods.set(method, times)
      times.add(time)
    },
    /** Undefined while there are too few. */
    p90: (method: string): number | undefined => methods.get(method)?.longest()
  }
}

/** How long one node takes, ms: an average in which the newest call counts most. */
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
 * The order in which nodes get a call: first those that work, then those that are not behind, then the faster ones by steps
 * of two, and among equals as the operator prefers them.
 */
export const make = (nodes: ReadonlyArray<OrderedNode>) => {
  const latencies = nodes.map(averageTime)
  const methods = timesByMethod()
  const behindUntil = nodes.map(() => 0)

  const rank = ({ circuit, index }: OrderedNode, now: number) =>
    (circuit.isLastResort(now) ? 1e6 : 0) +
    ((behindUntil[index] ?? 0) > now ? 1e4 : 0) +
    speed(latencies[index]?.now(now)) * 100 +
    index

  return {
    ranked: (now: number): ReadonlyArray<OrderedNode> =>
      nodes.length < 2
        ? nodes
        : nodes
            .map((node) => ({ node, rank: rank(node, now) }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ node }) => node),
    /** A response came after this time, ms. */
    took: ({ index }: { readonly index: number }, method: string, time: number, now: number): void => {
      latencies[index]?.add(time, now)
      methods.add(method, time)
    },
    /** Given up after this time, ms: the node takes at least as long. */
    gaveUp: ({ index }: { readonly index: number }, time: number, now: number): void => {
      if (time > (latencies[index]?.now(now) ?? 0)) latencies[index]?.add(time, now)
    },
    behind: ({ index }: { readonly index: number }, now: number): void => {
      behindUntil[index] = now + behindFor
    },
    /** After this time a call of this method is slow, and the next node helps out, ms. */
    hedgeDelay: (method: string): number => Math.max(minHedgeDelay, methods.p90(method) ?? usualHedgeDelay)
  }
}
