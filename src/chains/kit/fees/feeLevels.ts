import * as Either from "effect/Either"
import * as BlockTimes from "../../../catalogue/BlockTimes.ts"
import {
  type FeeFamily,
  type FeesOf,
  type LevelName,
  type LevelOf,
  levelNames,
  missingLevel,
  type RatesOf
} from "../../../domain/fees/Fees.ts"
import type { ReadFailure } from "../../Chain.ts"

/** A fee level, read from a source. */
export interface LevelReading<Family extends FeeFamily> {
  readonly rates: RatesOf<Family>
  /** Cost of the example transfer in base units, or why it is unknown. */
  readonly transfer: Either.Either<bigint, ReadFailure>
}

/** Blocks until a transaction of each level should be included, on networks with a block every few seconds. */
export const targetBlocks: Readonly<Record<LevelName, number>> = { slow: 10, standard: 3, fast: 1 }

/** Time of `blocks` blocks of a network, seconds; null if the time between its blocks is unknown. */
export const secondsOf = (blocks: number, facts: Parameters<typeof BlockTimes.current>[0]): number | null => {
  const blockTime = BlockTimes.current(facts)
  return blockTime === undefined ? null : (blocks * blockTime) / 1000
}

/** Computes a value for each level. */
export const eachLevel = <A>(of: (name: LevelName) => A): Readonly<Record<LevelName, A>> =>
  Object.fromEntries(levelNames.map((name) => [name, of(name)])) as Record<LevelName, A>

/** A level in wire form; if the reading failed, all its numbers are null. */
export const toLevel = <Family extends FeeFamily>(
  family: Family,
  reading: Either.Either<LevelReading<Family>, ReadFailure>,
  seconds: number | null
): LevelOf<Family> =>
  Either.match(reading, {
    onLeft: (reason) => missingLevel(family, reason),
    onRight: ({ rates, transfer }) =>
      ({
        ...rates,
        seconds,
        ...Either.match(transfer, {
          onLeft: ({ message, reason }) => ({ transferFeeBaseUnits: null, error: message, errorCode: reason }),
          onRight: (fee) => ({ transferFeeBaseUnits: String(fee) })
        })
      }) as unknown as LevelOf<Family>
  })

/** The levels of a network where a higher fee does not make a transaction faster: all three are equal. */
export const sameLevels = <Family extends FeeFamily>(
  family: Family,
  reading: LevelReading<Family>,
  seconds: number | null
): FeesOf<Family>["levels"] => {
  const level = toLevel(family, Either.right(reading), seconds)
  return { slow: level, standard: level, fast: level } as FeesOf<Family>["levels"]
}

/** Minimum and maximum validity of fees, ms: block times range from below a second to hours. */
const lifetimes = { min: 2_000, max: 60_000 }

/** How long fees of a network are valid, ms: one block time, within {@link lifetimes}. */
export const lifetimeOf = (blockTime: number | undefined): number =>
  Math.min(Math.max(blockTime ?? lifetimes.max, lifetimes.min), lifetimes.max)

/** Validity of rates that change per epoch or by vote, ms. */
export const slowLifetime = lifetimes.max

/** Division that rounds up. */
export const ceilDiv = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by
