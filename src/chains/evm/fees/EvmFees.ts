import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type EvmFacts, maxGasPriceOf } from "../../../catalogue/evm/EvmFacts.ts"
import { blockTimeOf } from "../../../catalogue/NetworkFacts.ts"
import { type Fees, type FeesOf, type LevelName, levelNames } from "../../../domain/fees/Fees.ts"
import type * as Client from "../../../jsonrpc/Client.ts"
import { span } from "../../../kernel/span.ts"
import type { Endpoint, Upstream } from "../../../upstream/Upstream.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import type { FeeSource, Unread } from "../../Chain.ts"
import { ofNodes, tooDear } from "../../comparedFees.ts"
import { blocksUntil, ceilDiv, eachLevel, type LevelReading, lifetimeOf, secondsOf, toLevel } from "../../feeLevels.ts"
import { currentBlock, type NewestBlock, newestBlockCalls } from "../newestBlock.ts"
import { callAll, ofContracts, quantity } from "../strategies/calls.ts"
import { type DataFee, dataFee, l1FeeCalls } from "./l1Fee.ts"

// Fees of EVM networks: EIP-1559 where the newest block has a base fee, else the gas price. The size of a transfer comes
// from the node, as some networks (Arbitrum) count the cost of data as gas.

// `eth_feeHistory` (ethereum.github.io/execution-apis).

/** The percentiles of the priority fees of each block, by level. */
const percentiles: Readonly<Record<LevelName, number>> = { slow: 10, standard: 50, fast: 90 }

/** The blocks whose fees are read. */
const blocks = 20

const feeHistoryCall: Client.ClientCall = {
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
interface FeeHistory {
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

/**
 * The base fee with room for so many full blocks, percent: EIP-1559 raises it by at most an eighth a block. One block for
 * slow, three for standard, and six, as the proposal recommends, for fast.
 */
const headroom: Readonly<Record<LevelName, bigint>> = { slow: 113n, standard: 143n, fast: 200n }

/** What the node returned. */
interface FeeReading {
  readonly head: NewestBlock
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

/** The price of gas at each level, or why it is not known. */
const pricesOf = (reading: FeeReading) => eachLevel((name) => priceOf(name, reading))

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
const baseFeeOf = ({ head, history }: FeeReading): bigint => {
  if (head.baseFee === undefined) return 0n
  const { baseFees, oldest } = Option.getOrElse(history, () => ({ baseFees: [], oldest: 0 }))
  return baseFees[head.number - oldest] === head.baseFee ? (baseFees.at(-1) ?? head.baseFee) : head.baseFee
}

const noHistory: Unread = { reason: "bad_answer", message: "the node has no history of fees for this level" }
const noSuggestion: Unread = { reason: "bad_answer", message: "the node suggests no price for this level" }

/** An address without code: nobody has its key. */
const recipient = "0x000000000000000000000000000000000000dead"

const calls: ReadonlyArray<Client.ClientCall> = [
  ...newestBlockCalls,
  feeHistoryCall,
  { method: "eth_gasPrice", params: [] },
  { method: "eth_maxPriorityFeePerGas", params: [] },
  { method: "eth_estimateGas", params: [{ to: recipient, value: "0x0" }] }
]

/** The fees of a network from its nodes, in one request; `off` is why it has none. */
export const make = (facts: EvmFacts, nodes: Upstream, off: Unread | undefined): FeeSource => ({
  lifetime: lifetimeOf(blockTimeOf(facts)),
  current:
    off === undefined
      ? ofNodes(facts, nodes, (node) => read(facts, node), isWhole).pipe(
          span("Evm.fees", { attributes: { network: facts.id } })
        )
      : Effect.fail(off)
})

/** Whether a node returned a price for every level, which one without a history of fees does not. */
const isWhole = ({ family, levels }: Fees) =>
  family === "evm" && levelNames.every((name) => levels[name].gasPriceWei !== null)

const read = (facts: EvmFacts, node: Endpoint) =>
  Effect.gen(function* () {
    const outcomes = yield* callAll(node, [...calls, ...l1FeeCalls(facts)], ofContracts)
    const [, , past, price, tip, gas, ...data] = outcomes
    const reading: FeeReading = {
      head: yield* currentBlock(node, facts, outcomes),
      history: feeHistory(past),
      price: quantity(price),
      tip: quantity(tip),
      gas: Option.filter(quantity(gas), isGas),
      data: dataFee(facts, data)
    }
    const prices = Object.values(pricesOf(reading))
    if (prices.every(Either.isLeft)) return yield* node.fault(noPrices)
    if (prices.some((price) => Either.isRight(price) && price.right.max > maxGasPriceOf(facts)))
      return yield* node.fault(tooDear)
    return toFees(facts, reading)
  })

const toFees = (facts: EvmFacts, reading: FeeReading): FeesOf<"evm"> => {
  const { data, gas, head } = reading
  const eip1559 = head.baseFee !== undefined
  const prices = pricesOf(reading)
  const least = ceilDiv(baseFeeOf(reading) * (facts.leastGasPrice ?? 100n), 100n)
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
      secondsOf(blocksUntil[name], blockTimeOf(facts))
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

/** No transfer uses less than the protocol's own minimum, or as much as a block has. */
const isGas = (units: bigint) => units >= 21_000n && units <= 100_000_000n

const noPrices: Fault = { reason: "bad_answer", detail: "the node returned no price of gas" }
const noEstimate: Unread = { reason: "bad_answer", message: "the node did not estimate the gas of a transfer" }
