import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type EvmFacts, evmSupply } from "../../../catalogue/evm/EvmFacts.ts"
import { blockTimeOf } from "../../../catalogue/NetworkFacts.ts"
import type { FeesOf, LevelName } from "../../../domain/fees/Fees.ts"
import type * as Client from "../../../jsonrpc/Client.ts"
import { span } from "../../../kernel/span.ts"
import type { Endpoint, Upstream } from "../../../upstream/Upstream.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import type { FeeSource, Unread } from "../../Chain.ts"
import { blocksUntil, eachLevel, type LevelReading, lifetimeOf, secondsOf, toLevel } from "../../feeLevels.ts"
import { unread } from "../../tokenList.ts"
import { wrongChain } from "../strategies/BalanceStrategy.ts"
import { callAll, ofContracts, quantity } from "../strategies/calls.ts"
import { type FeeHistory, feeHistory, feeHistoryCall, type Head, head, headCall } from "./feeHistory.ts"
import { type DataFee, dataFee, l1FeeCalls } from "./l1Fee.ts"

// Fees of EVM networks: EIP-1559 where the newest block has a base fee, else the gas price. The size of a transfer comes
// from the node, as some networks (Arbitrum) count the cost of data as gas.

/**
 * The base fee with room for so many full blocks, percent: EIP-1559 raises it by at most an eighth a block. One block for
 * slow, three for standard, and six, as the proposal recommends, for fast.
 */
const headroom: Readonly<Record<LevelName, bigint>> = { slow: 113n, standard: 143n, fast: 200n }

/** An address without code: nobody has its key. */
const recipient = "0x000000000000000000000000000000000000dead"

const calls: ReadonlyArray<Client.ClientCall> = [
  { method: "eth_chainId", params: [] },
  headCall,
  feeHistoryCall,
  { method: "eth_gasPrice", params: [] },
  { method: "eth_maxPriorityFeePerGas", params: [] },
  { method: "eth_estimateGas", params: [{ to: recipient, value: "0x0" }] }
]

/** Seconds: fees of an older block are those of another time. */
const maxLag = 600

/** The fees of a network from its nodes, in one request; `off` is why it has none. */
export const make = (facts: EvmFacts, nodes: Upstream, off: Unread | undefined): FeeSource => ({
  lifetime: lifetimeOf(blockTimeOf(facts)),
  current:
    off === undefined
      ? nodes
          .over((node) => read(facts, node))
          .pipe(Effect.mapError(unread), span("Evm.fees", { attributes: { network: facts.id } }))
      : Effect.fail(off)
})

const read = (facts: EvmFacts, node: Endpoint) =>
  Effect.gen(function* () {
    const outcomes = yield* callAll(node, [...calls, ...l1FeeCalls(facts)], ofContracts)
    const [chain, block, past, price, tip, gas, ...data] = outcomes
    if (Option.getOrUndefined(quantity(chain)) !== BigInt(facts.chainId)) return yield* node.fault(wrongChain)
    const newest = head(block)
    if (Option.isNone(newest)) return yield* node.fault(noBlock)
    const now = yield* Clock.currentTimeMillis
    if (now / 1000 - newest.value.timestamp > maxLag) return yield* node.fault(behind)
    const reading: Reading = {
      head: newest.value,
      history: feeHistory(past),
      price: quantity(price),
      tip: quantity(tip),
      gas: Option.filter(quantity(gas), isGas),
      data: dataFee(facts, data)
    }
    if (Object.values(pricesOf(reading)).every(Either.isLeft)) return yield* node.fault(noPrices)
    return toFees(facts, reading)
  })

/** What the node returned. */
interface Reading {
  readonly head: Head
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

const pricesOf = (reading: Reading) => eachLevel((name) => priceOf(name, reading))

const priceOf = (name: LevelName, reading: Reading): Either.Either<GasPrice, Unread> => {
  const { head, history, price, tip } = reading
  const suggested = head.baseFee === undefined ? price : tip
  const usual = Option.flatMapNullable(history, ({ tips }) => tips[name])
  // Where nobody bids, or nobody more than nothing, every level is what the node suggests; without a history only one is.
  const offered = Option.isSome(history) || name === "standard" ? Option.orElse(usual, () => suggested) : Option.none()
  if (Option.isNone(offered)) return Either.left(Option.isSome(history) ? noSuggestion : noHistory)
  const base = baseFeeOf(reading)
  const max = (base * headroom[name]) / 100n + offered.value
  return max > maxPrice
    ? Either.left(impossiblePrice)
    : Either.right({ max, tip: offered.value, paid: base + offered.value })
}

/** Of the next block; of the newest one where the node has no history. */
const baseFeeOf = ({ head, history }: Reading): bigint =>
  head.baseFee === undefined ? 0n : (Option.getOrUndefined(history)?.baseFee ?? head.baseFee)

const toFees = (facts: EvmFacts, reading: Reading): FeesOf<"evm"> => {
  const { data, gas, head } = reading
  const eip1559 = head.baseFee !== undefined
  const prices = pricesOf(reading)
  const levels = eachLevel((name) =>
    toLevel(
      "evm",
      Either.map(
        prices[name],
        ({ max, paid, tip }): LevelReading<"evm"> => ({
          rates: {
            maxFeePerGasWei: eip1559 ? String(max) : null,
            maxPriorityFeePerGasWei: eip1559 ? String(tip) : null,
            gasPriceWei: String(paid)
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

/** With the gas of a transfer, more than all coins. */
const maxPrice = evmSupply / 100_000_000n

const noBlock: Fault = { reason: "bad_answer", detail: "the node returned no newest block" }
const behind: Fault = { reason: "bad_answer", detail: "the node is behind the network" }
const noPrices: Fault = { reason: "bad_answer", detail: "the node returned no price of gas" }
const noHistory: Unread = { reason: "bad_answer", message: "the node has no history of fees for this level" }
const noSuggestion: Unread = { reason: "bad_answer", message: "the node suggests no price for this level" }
const impossiblePrice: Unread = { reason: "bad_answer", message: "the node returned a price that cannot be" }
const noEstimate: Unread = { reason: "bad_answer", message: "the node did not estimate the gas of a transfer" }
