import type { Upstream } from "../../upstream/Upstream.ts"
import * as Latencies from "./Latencies.ts"

type Address = Upstream["addresses"][number]

/** A node that was behind the others is asked after them for so long, ms. */
const behindFor = 10_000

/** Nobody is helped out before so much time has passed, ms. */
const leastPatience = 100

/** Where nothing is known of a method yet, ms. */
const usualPatience = 1_000

/** Up to this all are equally fast, ms; from then on twice as slow makes a difference. */
const fast = 50

const speed = (latency: number | undefined) =>
  latency === undefined ? 0 : Math.max(0, Math.floor(Math.log2(latency / fast)))

/**
 * In which order the addresses of nodes are asked: those that work first, then those that are not behind, then the faster
 * ones by steps of two, and among equals as the operator prefers them.
 */
export const make = (addresses: ReadonlyArray<Address>) => {
  const latencies = addresses.map(Latencies.ofAddress)
  const methods = Latencies.byMethod()
  const behindUntil = addresses.map(() => 0)

  const rank = ({ circuit, index }: Address, now: number) =>
    (circuit.resting(now) ? 1e6 : 0) +
    ((behindUntil[index] ?? 0) > now ? 1e4 : 0) +
    speed(latencies[index]?.now(now)) * 100 +
    index

  return {
    ranked: (now: number): ReadonlyArray<Address> =>
      addresses.length < 2
        ? addresses
        : addresses
            .map((address) => ({ address, rank: rank(address, now) }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ address }) => address),
    /** An answer came after so much time, ms. */
    took: ({ index }: { readonly index: number }, method: string, time: number, now: number): void => {
      latencies[index]?.add(time, now)
      methods.add(method, time)
    },
    /** Given up after so much time, ms: it takes at least that. */
    gaveUp: ({ index }: { readonly index: number }, time: number, now: number): void => {
      if (time > (latencies[index]?.now(now) ?? 0)) latencies[index]?.add(time, now)
    },
    behind: ({ index }: { readonly index: number }, now: number): void => {
      behindUntil[index] = now + behindFor
    },
    /** After so much time a call of this method is slow, ms. */
    patience: (method: string): number => Math.max(leastPatience, methods.p90(method) ?? usualPatience)
  }
}
