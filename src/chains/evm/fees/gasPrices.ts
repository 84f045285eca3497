import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { LevelName } from "../../../domain/fees/Fees.ts"
import type { Unread } from "../../Chain.ts"
import { eachLevel } from "../../feeLevels.ts"
import type { NewestBlock } from "../newestBlock.ts"
import type { FeeHistory } from "./feeHistory.ts"
import type { DataFee } from "./l1Fee.ts"

/**
 * The base fee with room for so many full blocks, percent: EIP-1559 raises it by at most an eighth a block. One block for
 * slow, three for standard, and six, as the proposal recommends, for fast.
 */
const headroom: Readonly<Record<LevelName, bigint>> = { slow: 113n, standard: 143n, fast: 200n }

/** What the node returned. */
export interface FeeReading {
  readonly head: NewestBlock
  readonly history: Option.Option<FeeHistory>
  readonly price: Option.Option<bigint>
  readonly tip: Option.Option<bigint>
  readonly gas: Option.Option<bigint>
  readonly data: DataFee
}

/** The price of gas at one level, wei. */
export interface GasPrice {
  readonly max: bigint
  readonly tip: bigint
  readonly paid: bigint
}

/** The price of gas at each level, or why it is not known. */
export const pricesOf = (reading: FeeReading) => eachLevel((name) => priceOf(name, reading))

const priceOf = (name: LevelName, reading: FeeReading): Either.Either<GasPrice, Unread> => {
  const { head, history, price, tip } = reading
  const suggested = head.baseFee === undefined ? price : tip
  const usual = Option.flatMapNullable(history, ({ tips }) => tips[name])
  // Where nobody bids, or nobody more than nothing, every level is what the node suggests; without a history only one is.
  const offered = Option.isSome(history) || name === "standard" ? Option.orElse(usual, () => suggested) : Option.none()
  if (Option.isNone(offered)) return Either.left(Option.isSome(history) ? noSuggestion : noHistory)
  const base = baseFeeOf(reading)
  const max = (base * headroom[name]) / 100n + offered.value
  return Either.right({ max, tip: offered.value, paid: base + offered.value })
}

/**
 * The base fee of the next block. The newest block's where the node does not return the next one (Avalanche's), or returns
 * something else in place of base fees (Sonic's suggest a price for every block): its base fee of the newest block differs.
 */
export const baseFeeOf = ({ head, history }: FeeReading): bigint => {
  if (head.baseFee === undefined) return 0n
  const { baseFees, oldest } = Option.getOrElse(history, () => ({ baseFees: [], oldest: 0 }))
  return baseFees[head.number - oldest] === head.baseFee ? (baseFees.at(-1) ?? head.baseFee) : head.baseFee
}

const noHistory: Unread = { reason: "bad_answer", message: "the node has no history of fees for this level" }
const noSuggestion: Unread = { reason: "bad_answer", message: "the node suggests no price for this level" }
