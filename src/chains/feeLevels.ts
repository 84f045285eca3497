import * as Either from "effect/Either"
import {
  type FeeFamily,
  type FeesOf,
  type LevelName,
  type LevelOf,
  levelNames,
  missingLevel,
  type RatesOf
} from "../domain/fees/Fees.ts"
import type { Unread } from "./Chain.ts"

/** A level as it was read. */
export interface LevelReading<Family extends FeeFamily> {
  readonly rates: RatesOf<Family>
  /** What the example transfer costs, base units; or why that is not known. */
  readonly transfer: Either.Either<bigint, Unread>
}

/** After how many blocks a transaction of each level is to be in one, where the network has blocks every few seconds. */
export const blocksUntil: Readonly<Record<LevelName, number>> = { slow: 10, standard: 3, fast: 1 }

/** The time of so many blocks, seconds; null where the time between blocks (ms) is not known. */
export const secondsOf = (blocks: number, blockTime: number | undefined): number | null =>
  blockTime === undefined ? null : (blocks * blockTime) / 1000

/** One value for each level. */
export const eachLevel = <A>(of: (name: LevelName) => A): Readonly<Record<LevelName, A>> =>
  Object.fromEntries(levelNames.map((name) => [name, of(name)])) as Record<LevelName, A>

/** A level in its wire form; without rates it has no other number either. */
export const toLevel = <Family extends FeeFamily>(
  family: Family,
  reading: Either.Either<LevelReading<Family>, Unread>,
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

/** The levels of a network where no offer makes a transaction faster. */
export const sameLevels = <Family extends FeeFamily>(
  family: Family,
  reading: LevelReading<Family>,
  seconds: number | null
): FeesOf<Family>["levels"] => {
  const level = toLevel(family, Either.right(reading), seconds)
  return { slow: level, standard: level, fast: level } as FeesOf<Family>["levels"]
}

/** The shortest and the longest time for which fees are current, ms: some networks have blocks without a pause, others hours. */
const lifetimes = { min: 2_000, max: 60_000 }

/** How long fees of a network are current, ms: until its next block. */
export const lifetimeOf = (blockTime: number | undefined): number =>
  Math.min(Math.max(blockTime ?? lifetimes.max, lifetimes.min), lifetimes.max)

/** Rates that change with an epoch or by a vote, ms. */
export const slowLifetime = lifetimes.max

/** Division that rounds up. */
export const ceilDiv = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by
