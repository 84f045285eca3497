import { distance, type Height, type Seconds } from "../domain/units.ts"
import { blockTimeOf, type NetworkFacts } from "./NetworkFacts.ts"

// Measures the time between blocks from newest blocks that are read for other reasons: networks change it.

type BlockFacts = Pick<NetworkFacts, "blockTime" | "proxy">

interface Block {
  readonly height: Height
  readonly time: Seconds
}

/** Minimum distance of two blocks that measure the time between blocks, which varies: number and seconds. */
const least = { blocks: 2_000, seconds: 600 }

/** Part by which two measurements may differ. A measurement that is as near to the facts does not replace them. */
const tolerance = 0.05

/** Factor by which a measurement may differ from the facts: else one of its blocks was wrong. */
const plausible = 20

interface Measurement {
  /** The block from which the next measurement counts. */
  readonly from: Block
  /** The last measurement, ms. */
  readonly last?: number
  /** The last measurement, if the one before agrees: a single wrong block changes nothing. */
  readonly agreed?: number | undefined
}

const measurements = new WeakMap<BlockFacts, Measurement>()

const isNear = (value: number, other: number) => Math.abs(value - other) <= tolerance * other

const newestBlocks = new WeakMap<BlockFacts, Block>()

/** The newest block that was read for any reason. */
export const newest = (facts: BlockFacts): Block | undefined => newestBlocks.get(facts)

/** Measures with a newest block whose time and height are possible. */
export const note = (facts: BlockFacts, block: Block): void => {
  if (distance(newest(facts)?.time ?? block.time, block.time) >= 0) newestBlocks.set(facts, block)
  const known = measurements.get(facts)
  if (known === undefined) return void measurements.set(facts, { from: block })
  const { from, last } = known
  const blocks = distance(from.height, block.height)
  const elapsed = distance(from.time, block.time)
  // Sources differ by a few blocks; if all later blocks are lower, the first was wrong.
  if (blocks <= -least.blocks) measurements.set(facts, { from: block })
  if (blocks < least.blocks || elapsed < least.seconds) return
  const measured = (1000 * elapsed) / blocks
  const fact = blockTimeOf(facts) ?? measured
  const isPlausible = measured <= plausible * fact && plausible * measured >= fact
  const agreed = last !== undefined && isNear(measured, last) ? measured : undefined
  measurements.set(facts, isPlausible ? { from: block, last: measured, agreed } : { from: block })
}

/** The average time between two blocks, ms: as measured, if that differs from the facts. Undefined if it is unknown. */
export const current = (facts: BlockFacts): number | undefined => {
  const fact = blockTimeOf(facts)
  const measured = measurements.get(facts)?.agreed
  return measured === undefined || (fact !== undefined && isNear(measured, fact)) ? fact : Math.round(measured)
}
