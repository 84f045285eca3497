import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { numberToHex, toFunctionSelector } from "viem/utils"
import { oracleAbi } from "../../../src/chains/evm/fees/l1Fee.ts"
import { feeHistory } from "../../../src/chains/evm/fees.ts"
import { levelNames } from "../../../src/domain/fees/Fees.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { as, feesOf } from "../../support/fees.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const gwei = 1_000_000_000n
const hex = (value: bigint | number) => numberToHex(value)

/** Four blocks of `eth_feeHistory`: the third is empty; in the last, only the producer's transactions pay no tip. */
const history = {
  oldestBlock: "0x11",
  baseFeePerGas: [10n, 10n, 11n, 10n, 12n].map((base) => hex(base * gwei)),
  gasUsedRatio: [0.5, 0.9, 0, 0.4],
  reward: [
    [1n, 2n, 9n],
    [2n, 4n, 6n],
    [0n, 0n, 0n],
    [0n, 3n, 5n]
  ].map((row) => row.map((tip) => hex(tip * gwei)))
}

/** An Ethereum node with these results. An undefined result means that the method does not exist. */
const node = (results: Readonly<Record<string, unknown>> = {}) =>
  EvmNodes.rpcNode(({ method, params }) => {
    const all: Readonly<Record<string, unknown>> = {
      eth_chainId: "0x1",
      eth_getBlockByNumber: { number: "0x14", timestamp: hex(0), baseFeePerGas: hex(10n * gwei) },
      eth_feeHistory: history,
      eth_gasPrice: hex(11n * gwei),
      eth_maxPriorityFeePerGas: hex(gwei),
      eth_estimateGas: "0x5208",
      ...results
    }
    const [call] = params as ReadonlyArray<{ readonly data?: string }>
    const found = method === "eth_call" ? all[String(call?.data).slice(0, 10)] : all[method]
    if (found === undefined) return EvmNodes.error("the method does not exist", -32601)
    return isRefusal(found) ? found : EvmNodes.result(found)
  })

const isRefusal = (found: unknown): found is EvmNodes.Reply =>
  typeof found === "object" && found !== null && "error" in found

const url = "https://node.example"
const ethereum = (answer: EvmNodes.SimulatedHost, other?: EvmNodes.SimulatedHost) =>
  Effect.map(
    feesOf(
      "ethereum",
      { "node.example": answer, "other.example": other ?? EvmNodes.down },
      { ETHEREUM_RPC_URLS: other === undefined ? url : `${url},https://other.example` }
    ),
    (fees) => as("evm", fees)
  )

const rates = (level: object) => {
  const { gasPriceWei, maxFeePerGasWei, maxPriorityFeePerGasWei } = level as Readonly<Record<string, string | null>>
  return [maxFeePerGasWei, maxPriorityFeePerGasWei, gasPriceWei]
}

describe("fees of EVM networks", () => {
  it("use median tips of blocks with transactions, and leave room for 1, 3 and 6 full blocks", function* () {
    const { basis, levels } = yield* ethereum(node())
    const of = (tip: bigint, percent: bigint) =>
      [(12n * gwei * percent) / 100n + tip * gwei, tip * gwei, (12n + tip) * gwei].map(String)
    assert.deepStrictEqual(rates(levels.slow), of(2n, 113n))
    assert.deepStrictEqual(rates(levels.standard), of(3n, 143n))
    assert.deepStrictEqual(rates(levels.fast), of(6n, 200n))
    assert.deepStrictEqual(
      levelNames.map((name) => [levels[name].seconds, levels[name].transferFeeBaseUnits]),
      [
        [120, String(21_000n * 14n * gwei)],
        [36, String(21_000n * 15n * gwei)],
        [12, String(21_000n * 18n * gwei)]
      ]
    )
    assert.deepStrictEqual(basis, { eip1559: true, baseFeePerGasWei: String(12n * gwei), transferGas: "21000" })
  })

  it("use the newest block's base fee if the history has no valid base fee for the next block", function* () {
    const bases = (...all: ReadonlyArray<bigint>) => ({
      ...history,
      baseFeePerGas: all.map((base) => hex(base * gwei))
    })
    for (const past of [
      // Avalanche's nodes: one base fee per block, without the next block.
      bases(10n, 10n, 11n, 10n),
      // Sonic's nodes: the suggestion of the node for every block.
      bases(11n, 11n, 11n, 11n, 11n),
      // A history that does not end at the newest block.
      { ...history, oldestBlock: "0x9" }
    ]) {
      const { basis, levels } = yield* ethereum(node({ eth_feeHistory: past }))
      assert.strictEqual(basis.baseFeePerGasWei, String(10n * gwei))
      assert.deepStrictEqual(
        levelNames.map((name) => levels[name].gasPriceWei),
        [12n, 13n, 16n].map((price) => String(price * gwei))
      )
    }
  })

  it("have a gas price that the network's transaction pool accepts", function* () {
    const reward = history.reward.map(() => Array.from({ length: 3 }, () => hex(gwei / 10n)))
    const { levels } = yield* feesOf(
      "sonic",
      { "node.example": node({ eth_chainId: hex(146), eth_feeHistory: { ...history, reward } }) },
      { SONIC_RPC_URLS: url }
    ).pipe(Effect.map((fees) => as("evm", fees)))
    for (const name of levelNames) {
      assert.strictEqual(levels[name].gasPriceWei, String((12n * gwei * 105n) / 100n))
      assert.strictEqual(levels[name].transferFeeBaseUnits, String(21_000n * (12n * gwei + gwei / 10n)))
    }
  })

  it("have at least the tip that nodes of the network accept", function* () {
    for (const [id, chain, least] of [
      ["polygon", 137, 25n * gwei],
      ["bsc", 56, gwei / 20n]
    ] as const) {
      const reward = history.reward.map(() => [5n, gwei / 50n, 60n * gwei].map(hex))
      const { levels } = yield* feesOf(
        id,
        { "node.example": node({ eth_chainId: hex(chain), eth_feeHistory: { ...history, reward } }) },
        { [`${id.toUpperCase()}_RPC_URLS`]: url }
      ).pipe(Effect.map((fees) => as("evm", fees)))
      assert.deepStrictEqual(
        levelNames.map((name) => [levels[name].maxPriorityFeePerGasWei, levels[name].gasPriceWei]),
        [least, least, 60n * gwei].map((tip) => [String(tip), String(12n * gwei + tip)]),
        id
      )
    }
  })

  it("may leave room for more than the network ever charges", function* () {
    const base = (times: bigint) => ({
      eth_getBlockByNumber: { number: "0x14", timestamp: hex(0), baseFeePerGas: hex(times * 1_000n * gwei) },
      eth_feeHistory: { ...history, baseFeePerGas: undefined }
    })
    const { levels } = yield* ethereum(node(base(20n)))
    assert.strictEqual(levels.fast.maxFeePerGasWei, String(40_006n * gwei))
    assert.isTrue(Either.isLeft(yield* Effect.either(ethereum(node(base(30n))))))
  })

  it("are read from the next node if the first has no fee history, and from the first if no node has it", function* () {
    const without = (price: bigint) => node({ eth_feeHistory: undefined, eth_maxPriorityFeePerGas: hex(price * gwei) })
    const whole = yield* ethereum(without(7n), node())
    assert.strictEqual(rates(whole.levels.standard)[1], String(3n * gwei))
    assert.isNotNull(rates(whole.levels.fast)[0])
    const partial = yield* ethereum(without(7n), without(8n))
    assert.deepStrictEqual(
      levelNames.map((name) => rates(partial.levels[name])[1]),
      [null, String(7n * gwei), null]
    )
  })

  it("use the tip that the node suggests if no transactions bid", function* () {
    const quiet = { ...history, gasUsedRatio: [0, 0, 0, 0] }
    const { levels } = yield* ethereum(node({ eth_feeHistory: quiet }))
    for (const name of levelNames) assert.strictEqual(rates(levels[name])[1], String(gwei))
  })

  it("have only the standard level if the node has no fee history", function* () {
    const { basis, levels } = yield* ethereum(node({ eth_feeHistory: undefined }))
    assert.deepStrictEqual(rates(levels.standard), [14_300_000_000n + gwei, gwei, 11n * gwei].map(String))
    assert.strictEqual(basis.baseFeePerGasWei, String(10n * gwei))
    for (const level of [levels.slow, levels.fast]) {
      assert.deepStrictEqual(rates(level), [null, null, null])
      assert.deepInclude(level, { seconds: null, transferFeeBaseUnits: null, errorCode: "bad_answer" })
      assert.match(level.error ?? "", /history/)
    }
  })

  it("are gas prices if the newest block has no base fee", function* () {
    const block = { number: "0x14", timestamp: hex(0) }
    const past = { ...history, baseFeePerGas: history.baseFeePerGas.map(() => "0x0") }
    const { basis, levels } = yield* ethereum(node({ eth_getBlockByNumber: block, eth_feeHistory: past }))
    assert.deepStrictEqual(rates(levels.slow), [null, null, String(2n * gwei)])
    assert.deepStrictEqual(rates(levels.fast), [null, null, String(6n * gwei)])
    assert.deepInclude(basis, { eip1559: false, baseFeePerGasWei: null })
    const unknown = yield* ethereum(node({ eth_getBlockByNumber: block, eth_feeHistory: undefined }))
    assert.deepStrictEqual(rates(unknown.levels.standard), [null, null, String(11n * gwei)])
    assert.deepStrictEqual(rates(unknown.levels.fast), [null, null, null])
  })

  it("use the node's gas estimate of a transfer, and have no transfer fee without a valid estimate", function* () {
    const more = yield* ethereum(node({ eth_estimateGas: hex(45_000) }))
    assert.strictEqual(more.levels.standard.transferFeeBaseUnits, String(45_000n * 15n * gwei))
    for (const estimate of [undefined, "0x0", "0x", hex(10n ** 12n), 21000]) {
      const { basis, levels } = yield* ethereum(node({ eth_estimateGas: estimate }))
      assert.strictEqual(basis.transferGas, null)
      assert.deepInclude(levels.fast, { transferFeeBaseUnits: null, errorCode: "bad_answer", seconds: 12 })
      assert.isNotNull(rates(levels.fast)[0])
    }
  })

  it("come from the next node if a node is behind, is on another chain or returns invalid data", function* () {
    yield* TestClock.setTime(1_500_000)
    const current = { number: "0x14", timestamp: hex(1_400), baseFeePerGas: hex(10n * gwei) }
    for (const results of [
      { eth_chainId: "0x2" },
      { eth_getBlockByNumber: null },
      { eth_getBlockByNumber: { number: "0x14", timestamp: hex(1_199), baseFeePerGas: "0x1" } },
      { eth_getBlockByNumber: { number: "0x14", timestamp: hex(4_922_640_000), baseFeePerGas: "0x1" } },
      { eth_getBlockByNumber: { ...current, baseFeePerGas: hex(2n ** 127n) } },
      { eth_feeHistory: undefined, eth_maxPriorityFeePerGas: undefined }
    ]) {
      // A base fee in the history would hide an invalid base fee of the block.
      const broken = {
        eth_getBlockByNumber: current,
        eth_feeHistory: { ...history, baseFeePerGas: undefined },
        ...results
      }
      const { levels } = yield* ethereum(node(broken), node({ eth_getBlockByNumber: current }))
      assert.strictEqual(rates(levels.standard)[1], String(3n * gwei), JSON.stringify(results))
      const alone = yield* Effect.either(ethereum(node(broken)))
      assert.isTrue(Either.isLeft(alone), JSON.stringify(results))
    }
  })

  it("report the data fee of the OP stack separately", function* () {
    const word = (value: number) => hex(value).slice(2).padStart(64, "0")
    const [l1Fee = "", operatorFee = ""] = oracleAbi.map((method) => toFunctionSelector(method))
    const on = (results: Readonly<Record<string, unknown>>) =>
      feesOf("base", { "node.example": node({ eth_chainId: "0x2105", ...results }) }, { BASE_RPC_URLS: url })
    const gas = 21_000n * 15n * gwei
    const both = yield* on({ [l1Fee]: `0x${word(500)}`, [operatorFee]: `0x${word(7)}` })
    assert.deepInclude(both.basis, { l1Fee: { feeWei: "500", operatorFeeWei: "7", transactionBytes: 51 } })
    assert.strictEqual(both.levels.standard.transferFeeBaseUnits, String(gas + 507n))
    // The oracle of a network before Isthmus lacks the function, and reverts.
    for (const refusal of [EvmNodes.error("invalid opcode", 3), EvmNodes.error("VM execution error: revert", -32015)]) {
      const before = yield* on({ [l1Fee]: `0x${word(500)}`, [operatorFee]: refusal })
      assert.deepInclude(before.basis, { l1Fee: { feeWei: "500", operatorFeeWei: "0", transactionBytes: 51 } })
      assert.strictEqual(before.levels.standard.transferFeeBaseUnits, String(gas + 500n))
    }
    const neither = yield* on({})
    assert.deepInclude(neither.levels.standard, { transferFeeBaseUnits: null, errorCode: "bad_answer" })
    const half = yield* on({ [l1Fee]: `0x${word(500)}` })
    assert.deepInclude((half.basis as { l1Fee: object }).l1Fee, { feeWei: "500", operatorFeeWei: null })
    assert.strictEqual(half.levels.fast.transferFeeBaseUnits, null)
  })

  it("read ascending tips from a fee history of any shape, or reject it", () => {
    const quantity = FastCheck.bigInt({ min: 0n, max: 9n }).map(hex)
    const row = FastCheck.uniqueArray(FastCheck.bigInt({ min: 0n, max: 9n }), { minLength: 3, maxLength: 3 })
    const ascending = (values: ReadonlyArray<bigint>) => [...values].sort((a, b) => Number(a - b)).map(hex)
    const ratios = FastCheck.array(FastCheck.constantFrom(0, 0.5, 1), { minLength: 3, maxLength: 4 })
    const rows = FastCheck.array(row.map(ascending), { maxLength: 3 })
    FastCheck.assert(
      FastCheck.property(
        rows,
        ratios,
        FastCheck.array(quantity, { minLength: 4, maxLength: 5 }),
        (reward, gasUsedRatio, base) => {
          const read = feeHistory(Either.right({ oldestBlock: "0x1", reward, gasUsedRatio, baseFeePerGas: base }))
          if (Option.isNone(read)) return true
          const { baseFees, tips } = read.value
          const [slow, standard, fast] = levelNames.map((name) => tips[name])
          const sorted = (a: bigint | undefined, b: bigint | undefined) => a === undefined || b === undefined || a <= b
          return (
            baseFees.length === base.length &&
            base.length >= gasUsedRatio.length &&
            sorted(slow, standard) &&
            sorted(standard, fast)
          )
        }
      ),
      { numRuns: 200 }
    )
    for (const result of [
      null,
      [],
      {},
      { gasUsedRatio: [] },
      "0x",
      { ...history, reward: [["0x1"]] },
      { ...history, reward: [["0x3", "0x2", "0x1"]] }
    ])
      assert.isTrue(Option.isNone(feeHistory(Either.right(result))), JSON.stringify(result))
  })
})
