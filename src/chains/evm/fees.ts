import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type EvmFacts, maxGasPriceOf } from "../../catalogue/evm/EvmFacts.ts"
import { blockTimeOf } from "../../catalogue/NetworkFacts.ts"
import { type Fees, type FeesOf, type LevelName, levelNames } from "../../domain/fees/Fees.ts"
import { distance, type Height, height } from "../../domain/units.ts"
import { resultOf } from "../../jsonrpc/boundCalls.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { span } from "../../kernel/span.ts"
import * as Call from "../../upstream/Call.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { FeeSource, ReadFailure } from "../Chain.ts"
import { feesTooHigh, ofNodes } from "../kit/fees/comparedFees.ts"
import {
  ceilDiv,
  eachLevel,
  type LevelReading,
  lifetimeOf,
  secondsOf,
  targetBlocks,
  toLevel
} from "../kit/fees/feeLevels.ts"
import { type DataFee, dataFee, l1FeeCalls } from "./fees/l1Fee.ts"
import * as calls from "./providers/node/calls.ts"
import { currentBlock, type EvmBlock, newestBlockCalls } from "./providers/node/newestBlock.ts"
import { ofContracts, quantity } from "./providers/node/results.ts"

// Fees of EVM networks: EIP-1559 if the newest block has a base fee, else the gas price. The gas of a transfer comes
// from the node, because some networks (Arbitrum) charge for data as gas.

/** The percentiles of the priority fees of each block, by level. */
const percentiles: Readonly<Record<LevelName, number>> = { slow: 10, standard: 50, fast: 90 }

/** Number of blocks whose fees are read. */
const blocks = 20

const historyOf = { blocks, percentiles: [percentiles.slow, percentiles.standard, percentiles.fast] }

/** Fees of the newest blocks. */
interface FeeHistory {
  readonly oldest: Height
  /** Base fee of each block, the oldest first. Most nodes append that of the next block. */
  readonly baseFees: ReadonlyArray<bigint>
  /** Usual priority fee of each level; undefined if no block has a priority fee above 0. */
  readonly tips: Readonly<Record<LevelName, bigint | undefined>>
}

const least = (...values: ReadonlyArray<bigint | undefined>): bigint | undefined =>
  values.reduce((a, b) => (a === undefined || b === undefined ? a : b < a ? b : a))

/** Median of the values; undefined for an empty list. */
const median = (values: ReadonlyArray<bigint>): bigint | undefined =>
  [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor(values.length / 2)]

/**
 * Decodes `eth_feeHistory`; none if a node has no fee history, or returns an implausible one. Ignores blocks without
 * transactions, and transactions without a priority fee, which block producers include for themselves.
 */
export const feeHistory = (outcome: Client.Outcome | undefined): Option.Option<FeeHistory> =>
  Option.flatMap(resultOf(calls.feeHistory, outcome), ({ baseFeePerGas, gasUsedRatio, oldestBlock, reward }) => {
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
      oldest: height(Number(oldestBlock)),
      baseFees,
      // Each median covers the blocks with a bid at that percentile, which may be only the expensive ones.
      tips: { slow: least(slow, standard, fast), standard: least(standard, fast), fast }
    })
  })

/**
 * Base fee to allow for, percent of the present one: EIP-1559 raises it by at most an eighth per block. This covers one
 * full block for slow, three for standard and six, as the proposal recommends, for fast.
 */
const headroom: Readonly<Record<LevelName, bigint>> = { slow: 113n, standard: 143n, fast: 200n }

/** The results of a node. */
interface FeeReading {
  readonly head: EvmBlock
  readonly history: Option.Option<FeeHistory>
  readonly price: Option.Option<bigint>
  readonly tip: Option.Option<bigint>
  readonly gas: Option.Option<bigint>
  readonly data: DataFee
}

/** The price of gas at one level, wei. */
interface GasPrice {
  readonly max: bigint
  readonly tip: bigint
  readonly paid: bigint
}

/** The price of gas at each level, or why it is unknown. */
const pricesOf = (facts: EvmFacts, reading: FeeReading) => eachLevel((name) => priceOf(name, facts, reading))

const priceOf = (
  name: LevelName,
  { minTip = 0n }: EvmFacts,
  reading: FeeReading
): Either.Either<GasPrice, ReadFailure> => {
  const { head, history } = reading
  const suggested = head.baseFee === undefined ? reading.price : reading.tip
  const usual = Option.flatMapNullable(history, ({ tips }) => tips[name])
  // Without bids above zero, every level is the node's suggestion; without a history, only `standard` is.
  const offered = Option.isSome(history) || name === "standard" ? Option.orElse(usual, () => suggested) : Option.none()
  if (Option.isNone(offered)) return Either.left(Option.isSome(history) ? noSuggestion : noHistory)
  const base = baseFeeOf(reading)
  const tip = offered.value > minTip ? offered.value : minTip
  return Either.right({ max: (base * headroom[name]) / 100n + tip, tip, paid: base + tip })
}

/**
 * The base fee of the next block. That of the newest block if the node does not return the next (Avalanche), or if its
 * history differs from the base fee of the newest block (Sonic: a suggested price for every block).
 */
const baseFeeOf = ({ head, history }: FeeReading): bigint => {
  if (head.baseFee === undefined) return 0n
  const { baseFees, oldest } = Option.getOrElse(history, () => ({ baseFees: [], oldest: head.number }))
  return baseFees[distance(oldest, head.number)] === head.baseFee ? (baseFees.at(-1) ?? head.baseFee) : head.baseFee
}

const noHistory: ReadFailure = { reason: "bad_answer", message: "the node has no fee history for this level" }
const noSuggestion: ReadFailure = { reason: "bad_answer", message: "the node suggests no price for this level" }

/** An address without code and without a known key. */
const recipient = "0x000000000000000000000000000000000000dead"

const feeCalls: ReadonlyArray<Client.ClientCall> = [
  ...newestBlockCalls,
  Call.methodOf(calls.feeHistory, historyOf),
  Call.methodOf(calls.gasPrice, {}),
  Call.methodOf(calls.maxPriorityFee, {}),
  Call.methodOf(calls.estimateGas, { transaction: { to: recipient, value: "0x0" } })
]

/** Reads the fees of a network from its nodes, in one request; `off` is why it has no nodes. */
export const fees = (facts: EvmFacts, nodes: Upstream, off: ReadFailure | undefined): FeeSource => ({
  lifetime: lifetimeOf(blockTimeOf(facts)),
  current:
    off === undefined
      ? ofNodes(facts, nodes, (node) => read(facts, node), isWhole).pipe(
          span("Evm.fees", { attributes: { network: facts.id } })
        )
      : Effect.fail(off)
})

/** Whether a node returned a price for every level, as nodes without a fee history do not. */
const isWhole = ({ family, levels }: Fees) =>
  family === "evm" && levelNames.every((name) => levels[name].gasPriceWei !== null)

const read = (facts: EvmFacts, node: Endpoint) =>
  Effect.gen(function* () {
    const outcomes = yield* callAll(node, [...feeCalls, ...l1FeeCalls(facts)], ofContracts)
    const [, , past, price, tip, gas, ...data] = outcomes
    const reading: FeeReading = {
      head: yield* currentBlock(node, facts, outcomes),
      history: feeHistory(past),
      price: quantity(price),
      tip: quantity(tip),
      gas: Option.filter(quantity(gas), isGas),
      data: dataFee(facts, data)
    }
    const prices = Object.values(pricesOf(facts, reading))
    if (prices.every(Either.isLeft)) return yield* node.fault(noPrices)
    if (prices.some((price) => Either.isRight(price) && price.right.paid > maxGasPriceOf(facts)))
      return yield* node.fault(feesTooHigh)
    return toFees(facts, reading)
  })

const toFees = (facts: EvmFacts, reading: FeeReading): FeesOf<"evm"> => {
  const { data, gas, head } = reading
  const eip1559 = head.baseFee !== undefined
  const prices = pricesOf(facts, reading)
  const least = ceilDiv(baseFeeOf(reading) * (facts.minGasPercent ?? 100n), 100n)
  const levels = eachLevel((name) =>
    toLevel(
      "evm",
      Either.map(
        prices[name],
        ({ max, paid, tip }): LevelReading<"evm"> => ({
          rates: {
            maxFeePerGasWei: eip1559 ? String(max) : null,
            maxPriorityFeePerGasWei: eip1559 ? String(tip) : null,
            gasPriceWei: String(paid > least ? paid : least)
          },
          transfer: Either.flatMap(
            Either.fromOption(gas, () => noEstimate),
            (units) => Either.map(data.fee, (more) => units * paid + more)
          )
        })
      ),
      secondsOf(targetBlocks[name], facts)
    )
  )
  return {
    family: "evm",
    levels,
    basis: {
      eip1559,
      baseFeePerGasWei: eip1559 ? String(baseFeeOf(reading)) : null,
      transferGas: Option.getOrNull(Option.map(gas, String)),
      ...(data.l1Fee === undefined ? {} : { l1Fee: data.l1Fee })
    },
    transfer: `a transfer of ${facts.native.symbol} to an account without code, at the present base fee${data.l1Fee === undefined ? "" : ", with the fee for data"}`
  }
}

/** A transfer uses at least the minimum of the protocol, and less than a whole block. */
export const isGas = (units: bigint) => units >= 21_000n && units <= 100_000_000n

const noPrices: Fault = { reason: "bad_answer", detail: "the node returned no gas price" }
export const noEstimate: ReadFailure = {
  reason: "bad_answer",
  message: "the node did not estimate the gas of a transfer"
}
