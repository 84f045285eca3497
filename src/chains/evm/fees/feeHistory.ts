import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { LevelName } from "../../../domain/fees/Fees.ts"
import type * as Client from "../../../jsonrpc/Client.ts"

// `eth_feeHistory` (ethereum.github.io/execution-apis).

/** The percentiles of the priority fees of each block, by level. */
export const percentiles: Readonly<Record<LevelName, number>> = { slow: 10, standard: 50, fast: 90 }

/** The blocks whose fees are read. */
const blocks = 20

export const feeHistoryCall: Client.ClientCall = {
  method: "eth_feeHistory",
  params: [`0x${blocks.toString(16)}`, "latest", [percentiles.slow, percentiles.standard, percentiles.fast]]
}

const Quantity = Schema.String.pipe(Schema.pattern(/^0x[0-9a-f]{1,32}$/i))

const History = Schema.Struct({
  oldestBlock: Quantity,
  baseFeePerGas: Schema.optional(Schema.NullOr(Schema.Array(Quantity))),
  gasUsedRatio: Schema.Array(Schema.Number),
  reward: Schema.optional(Schema.NullOr(Schema.Array(Schema.Tuple(Quantity, Quantity, Quantity))))
})

/** What the newest blocks charged. */
export interface FeeHistory {
  readonly oldest: number
  /** The base fee of each block from the oldest on. Most nodes add that of the next block. */
  readonly baseFees: ReadonlyArray<bigint>
  /** The priority fee that is usual at each level; undefined where no block says so. */
  readonly tips: Readonly<Record<LevelName, bigint | undefined>>
}

const history = Schema.decodeUnknownOption(History)

const least = (...values: ReadonlyArray<bigint | undefined>): bigint | undefined =>
  values.reduce((a, b) => (a === undefined || b === undefined ? a : b < a ? b : a))

/** The middle of the values; undefined where there are none. */
const median = (values: ReadonlyArray<bigint>): bigint | undefined =>
  [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor(values.length / 2)]

/**
 * None where a node has no history of fees, or returns one that cannot be right. Blocks without transactions say nothing
 * about priority fees; neither do transactions that paid none, which block producers include for themselves.
 */
export const feeHistory = (outcome: Client.Outcome | undefined): Option.Option<FeeHistory> =>
  Option.flatMap(outcome === undefined ? Option.none() : Either.getRight(outcome), (result) =>
    Option.flatMap(history(result), ({ baseFeePerGas, gasUsedRatio, oldestBlock, reward }) => {
      const rows = reward ?? []
      if (gasUsedRatio.length === 0 || gasUsedRatio.length > blocks || rows.length > gasUsedRatio.length)
        return Option.none()
      const baseFees = (baseFeePerGas ?? []).map(BigInt)
      const more = baseFees.length - gasUsedRatio.length
      if (baseFees.length > 0 && more !== 0 && more !== 1) return Option.none()
      const paid = rows.filter((_, index) => (gasUsedRatio[index] ?? 0) > 0)
      if (paid.some(([slow, standard, fast]) => BigInt(slow) > BigInt(standard) || BigInt(standard) > BigInt(fast)))
        return Option.none()
      const usual = (index: 0 | 1 | 2) => median(paid.map((row) => BigInt(row[index])).filter((tip) => tip > 0n))
      const [slow, standard, fast] = [usual(0), usual(1), usual(2)]
      return Option.some({
        oldest: Number(oldestBlock),
        baseFees,
        // Each is of the blocks where somebody bid at that percentile, which may be the dear ones alone.
        tips: { slow: least(slow, standard, fast), standard: least(standard, fast), fast }
      })
    })
  )
