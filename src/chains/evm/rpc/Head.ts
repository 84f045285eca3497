import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"

/** A chain may run faster than it should; a block further ahead than this is implausible. */
const ahead = { blocks: 1_000, times: 3 }

/** Where all nodes have returned earlier blocks for this time, the chain was started again, ms. */
const forgotten = 10 * 60_000

/** The highest block that nodes have returned. */
export const make = ({ blockTime, finality }: Pick<EvmFacts, "finality"> & { readonly blockTime: number }) => {
  let highest: bigint | undefined
  /** When it was returned last, ms. */
  let at = 0
  const depth = BigInt(Math.ceil((finality * 1000) / blockTime))

  const isPlausible = (number: bigint, now: number) =>
    highest === undefined ||
    number <= highest + BigInt(ahead.blocks + Math.ceil((ahead.times * Math.max(0, now - at)) / blockTime))

  /** Since when no node has returned a block as high, ms. */
  let lowSince: number | undefined

  return {
    highest: () => highest,
    /** Whether it is an earlier block than the highest. */
    isBelow: (number: bigint, now: number): boolean => {
      if (highest === undefined || number >= highest) return false
      lowSince ??= now
      return now - lowSince < forgotten
    },
    isPlausible,
    /** True where it is a new block. `isNewest`: the node says that its newest block is this one; else it may be of any age. */
    rise: (number: bigint, now: number, isNewest = false): boolean => {
      const again = isNewest && lowSince !== undefined && now - lowSince >= forgotten
      if (highest !== undefined && number < highest && !again) return false
      const fresh = number !== highest
      highest = number
      at = now
      lowSince = undefined
      return fresh
    },
    /** Whether a block is final; false while no block is known. */
    isFinal: (number: bigint): boolean => highest !== undefined && number + depth <= highest
  }
}
