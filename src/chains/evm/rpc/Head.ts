import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"

/** Blocks further ahead than this are implausible; a chain may run faster than its block time. */
const ahead = { blocks: 1_000, times: 3 }

/** If all nodes return lower blocks for this time, ms, the chain was restarted. */
const restartAfter = 10 * 60_000

/** Tracks the highest block that nodes have returned. */
export const make = ({ blockTime, finality }: Pick<EvmFacts, "finality"> & { readonly blockTime: number }) => {
  let highest: bigint | undefined
  /** When it was returned last, ms. */
  let at = 0
  const depth = BigInt(Math.ceil((finality * 1000) / blockTime))

  const isPlausible = (number: bigint, now: number) =>
    highest === undefined ||
    number <= highest + BigInt(ahead.blocks + Math.ceil((ahead.times * Math.max(0, now - at)) / blockTime))

  /** Time since which all nodes have returned lower blocks, ms. */
  let lowSince: number | undefined

  return {
    highest: () => highest,
    /** Whether a block is below the highest; false once the chain counts as restarted. */
    isBelow: (number: bigint, now: number): boolean => {
      if (highest === undefined || number >= highest) return false
      lowSince ??= now
      return now - lowSince < restartAfter
    },
    isPlausible,
    /** Records a block; true if it is new. `isNewest`: it is the node's newest block; else it may be of any age. */
    record: (number: bigint, now: number, isNewest = false): boolean => {
      const again = isNewest && lowSince !== undefined && now - lowSince >= restartAfter
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
