import { getBase64Encoder, getCompiledTransactionMessageDecoder } from "@solana/kit"
import { beginCell } from "@ton/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { partialFee } from "../../src/chains/polkadot/fees.ts"
import { message } from "../../src/chains/solana/fees.ts"
import { gasPrices, messagePrices } from "../../src/chains/ton/providers/toncenter/prices.ts"
import * as EvmNodes from "../support/EvmNodes.ts"
import { as, eachOf, feesOf, networkOf } from "../support/fees.ts"
import { assert, describe, it } from "../support/vitest.ts"

// Fees of families with a single network. Response bodies follow the upstreams' documentation, shortened.

/** Upstream that serves these bodies by the end of the path, and HTTP 404 for other paths. */
const serving =
  (bodies: Readonly<Record<string, unknown>>): EvmNodes.SimulatedHost =>
  (_, { url }) =>
    Effect.sync(() => {
      const path = Object.keys(bodies).find((end) => `${url.pathname}${url.search}`.endsWith(end))
      return path === undefined ? new Response("{}", { status: 404 }) : Response.json(bodies[path])
    })

describe("fees of the XRP Ledger", () => {
  const drops = { base_fee: "10", median_fee: "11000", minimum_fee: "10", open_ledger_fee: "2653937" }
  const on = (fee: object) =>
    feesOf(
      "ripple",
      { "node.example": EvmNodes.always(JSON.stringify({ result: { status: "success", ...fee } })) },
      { RIPPLE_RPC_URLS: "https://node.example" }
    )

  it("are the queue's minimum, the open ledger fee, and a higher median while transactions are queued", function* () {
    const levels = (fee: object) => Effect.map(on(fee), (found) => eachOf(as("ripple", found), "feeDrops"))
    assert.deepStrictEqual(yield* levels({ current_queue_size: "66", drops }), ["10", "2653937", "2653937"])
    const calm = { ...drops, open_ledger_fee: "10" }
    assert.deepStrictEqual(yield* levels({ current_queue_size: "0", drops: calm }), ["10", "10", "10"])
    assert.deepStrictEqual(yield* levels({ current_queue_size: "2", drops: calm }), ["10", "10", "11000"])
  })

  it("fail with `bad_answer` if the node returns an unexpected response", function* () {
    for (const fee of [
      {},
      { current_queue_size: "0" },
      { current_queue_size: "0", drops: { ...drops, minimum_fee: "1e3" } },
      { current_queue_size: "0", drops: { ...drops, minimum_fee: "9999999" } }
    ])
      assert.strictEqual((yield* Effect.flip(on(fee))).reason, "bad_answer", JSON.stringify(fee))
  })
})

describe("fees of Solana", () => {
  const blockhash = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"
  const on = (replies: Readonly<Record<string, unknown>>) =>
    feesOf(
      "solana",
      {
        "node.example": EvmNodes.rpcNode(({ method }) =>
          replies[method] === undefined ? EvmNodes.error("Method not found", -32601) : EvmNodes.result(replies[method])
        )
      },
      { SOLANA_RPC_URLS: "https://node.example" }
    )
  const inContext = (value: unknown) => ({ context: { slot: 1 }, value })
  const replies = {
    getRecentPrioritizationFees: [0, 100, 5, 0, 7_000_000].map((prioritizationFee, slot) => ({
      slot,
      prioritizationFee
    })),
    getLatestBlockhash: inContext({ blockhash, lastValidBlockHeight: 3090 }),
    getFeeForMessage: inContext(5000)
  }

  it("are the base fee of a message and percentiles of the priority fees of recent slots", function* () {
    const found = as("solana", yield* on(replies))
    assert.deepStrictEqual(eachOf(found, "computeUnitPriceMicroLamports"), ["0", "5", "100"])
    assert.deepStrictEqual(eachOf(found, "transferFeeBaseUnits"), ["5000", "5001", "5001"])
    assert.strictEqual(found.basis.baseFeeLamports, "5000")
  })

  it("omit only the values that the node does not return, and fail without any values", function* () {
    for (const getFeeForMessage of [undefined, inContext(null), inContext(0), inContext(5e12)]) {
      const found = as("solana", yield* on({ ...replies, getFeeForMessage }))
      assert.deepStrictEqual(eachOf(found, "computeUnitPriceMicroLamports"), ["0", "5", "100"])
      assert.deepStrictEqual(eachOf(found, "transferFeeBaseUnits"), [null, null, null])
      assert.strictEqual(found.basis.baseFeeLamports, null)
    }
    for (const getRecentPrioritizationFees of [undefined, [], [{ slot: 1, prioritizationFee: -1 }]]) {
      const found = as("solana", yield* on({ ...replies, getRecentPrioritizationFees }))
      assert.deepStrictEqual(eachOf(found, "computeUnitPriceMicroLamports"), [null, null, null])
      assert.strictEqual(found.basis.baseFeeLamports, "5000")
    }
    assert.isTrue(Either.isLeft(yield* Effect.either(on({}))))
  })

  it("ignore a slot with a price far above all others, and fail if most slots have one", function* () {
    const paying = (...prices: ReadonlyArray<number>) => {
      const rows = prices.map((prioritizationFee, slot) => ({ slot, prioritizationFee }))
      return Effect.map(on({ ...replies, getRecentPrioritizationFees: rows }), (found) =>
        eachOf(as("solana", found), "computeUnitPriceMicroLamports")
      )
    }
    assert.deepStrictEqual(yield* paying(0, 5, 5, 5, 1e15), ["5", "5", "5"])
    assert.deepStrictEqual(yield* paying(0, 5, 5, 5, 2 ** 64), ["5", "5", "5"])
    assert.deepStrictEqual(yield* paying(5, 1e15, 1e15, 1e15, 1e15), [null, null, null])
    // Slots whose price cannot be read are left out.
    assert.deepStrictEqual(yield* paying(5, 5, 5, -1), ["5", "5", "5"])
    assert.deepStrictEqual(yield* paying(5, 5, -1, -1), [null, null, null])
  })

  it("are calculated for a message with one transfer and one signature", () => {
    const decoded = getCompiledTransactionMessageDecoder().decode(getBase64Encoder().encode(message(blockhash)))
    assert(decoded.version === "legacy")
    assert.deepInclude(decoded.header, { numSignerAccounts: 1, numReadonlyNonSignerAccounts: 1 })
    assert.strictEqual(decoded.lifetimeToken, blockhash)
    assert.strictEqual(decoded.staticAccounts.at(-1), "11111111111111111111111111111111")
    assert.deepInclude(decoded.instructions[0], { programAddressIndex: 2, accountIndices: [0, 1] })
  })
})

describe("fees of Tron", () => {
  const parameters = (values: Readonly<Record<string, unknown>>) => ({
    chainParameter: [{ key: "getMaintenanceTimeInterval", value: 21600000 }, { key: "getAllowMultiSign" }].concat(
      Object.entries(values).map(([key, value]) => ({ key, value: value as number }))
    )
  })
  const usual = { getEnergyFee: 100, getTransactionFee: 1000, getCreateAccountFee: 100000 }
  const on = (bodies: Readonly<Record<string, unknown>>) => networkOf("tron", { "api.trongrid.io": serving(bodies) })

  it("are the network's parameters, and fail if a price is missing or invalid", function* () {
    const { fees } = yield* on({ getchainparameters: parameters(usual) })
    const found = as("tron", yield* fees.current)
    assert.deepInclude(found.levels.standard, {
      energyPriceSun: "100",
      bandwidthPriceSun: "1000",
      transferFeeBaseUnits: "268000"
    })
    assert.strictEqual(found.basis.newAccountFeeSun, null)
    for (const wrong of [
      {},
      { getEnergyFee: 100 },
      { ...usual, getEnergyFee: -1 },
      { ...usual, getTransactionFee: "x" }
    ])
      assert.strictEqual(
        (yield* Effect.flip((yield* on({ getchainparameters: parameters(wrong) })).fees.current)).reason,
        "bad_answer",
        JSON.stringify(wrong)
      )
  })

  it("include an address's resources, where free or staked bandwidth alone must cover a transfer", function* () {
    const resources = (body: unknown) =>
      Effect.flatMap(on({ getaccountresource: body }), ({ fees }) =>
        fees.resources === undefined ? Effect.die("no resources") : fees.resources("TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9")
      )
    const total = { TotalNetLimit: 43200000000 }
    const read = yield* resources({
      ...total,
      freeNetUsed: 557,
      freeNetLimit: 600,
      NetLimit: 300,
      EnergyUsed: 5,
      EnergyLimit: 9
    })
    assert.deepStrictEqual(read, { freeBandwidth: 43, stakedBandwidth: 300, stakedEnergy: 4, coverTransfer: true })
    const half = yield* resources({ ...total, freeNetLimit: 200, NetLimit: 200, NetUsed: 400, EnergyUsed: 5 })
    assert.deepStrictEqual(half, { freeBandwidth: 200, stakedBandwidth: 0, stakedEnergy: 0, coverTransfer: false })
    assert.include(yield* resources({}), { freeBandwidth: 0, coverTransfer: false })
    for (const wrong of [{ freeNetLimit: 600 }, { ...total, freeNetLimit: -1 }, []])
      assert.isTrue(Either.isLeft(yield* Effect.either(resources(wrong))), JSON.stringify(wrong))
  })
})

describe("fees of TON", () => {
  const u64 = FastCheck.bigInt({ min: 0n, max: 2n ** 64n - 1n })
  const boc = (builder: ReturnType<typeof beginCell>) => builder.endCell().toBoc().toString("base64")

  it("are decoded from configuration cells with any numbers, and malformed cells are rejected", () => {
    FastCheck.assert(
      FastCheck.property(u64, u64, u64, FastCheck.boolean(), (first, second, third, isFlat) => {
        const prices = (tag: number) =>
          beginCell().storeUint(tag, 8).storeUint(third, 64).storeUint(1n, 64).storeUint(2n, 64)
        const flat = beginCell()
          .storeUint(0xd1, 8)
          .storeUint(first, 64)
          .storeUint(second, 64)
          .storeBuilder(prices(0xde))
        assert.deepStrictEqual(gasPrices(boc(isFlat ? flat : prices(0xdd))), {
          flatLimit: isFlat ? first : 0n,
          flatPrice: isFlat ? second : 0n,
          price: third
        })
        const message = beginCell().storeUint(0xea, 8).storeUint(first, 64).storeUint(second, 64).storeUint(third, 64)
        assert.deepStrictEqual(messagePrices(boc(message.storeUint(7, 32))), { lump: first, bit: second, cell: third })
      }),
      { numRuns: 50 }
    )
    const cut = boc(beginCell().storeUint(0xea, 8).storeUint(1n, 64))
    const parent = boc(beginCell().storeUint(0xea, 8).storeUint(0n, 192).storeRef(beginCell().endCell()))
    for (const wrong of ["", "te6c", "AAAA", cut, parent, boc(beginCell().storeUint(0xeb, 8).storeUint(0n, 192))]) {
      assert.isUndefined(messagePrices(wrong), wrong)
      assert.isUndefined(gasPrices(wrong), wrong)
    }
    FastCheck.assert(
      FastCheck.property(FastCheck.uint8Array({ maxLength: 60 }), (bytes) => {
        messagePrices(Buffer.concat([Buffer.from("b5ee9c72", "hex"), bytes]).toString("base64"))
      }),
      { numRuns: 100 }
    )
  })

  it("are the same from both indexers, and come from the second if the first has no fees", function* () {
    const gas = { flat_gas_limit: 100, flat_gas_price: 40000, gas_price: 26214400, gas_limit: 1000000 }
    const message = { lump_price: 400000, bit_price: 26214400, cell_price: 2621440000 }
    const config = { "21": { gas_limits_prices: gas }, "25": { msg_forward_prices: message } }
    const info = (bytes: string) => ({
      ok: true,
      result: { "@type": "configInfo", config: { "@type": "tvm.cell", bytes } }
    })
    const cells = {
      "config_id=21": info(
        boc(
          beginCell()
            .storeUint(0xd1, 8)
            .storeUint(100, 64)
            .storeUint(40000, 64)
            .storeUint(0xde, 8)
            .storeUint(26214400, 64)
        )
      ),
      "config_id=25": info(
        boc(beginCell().storeUint(0xea, 8).storeUint(400000, 64).storeUint(26214400, 64).storeUint(2621440000, 64))
      )
    }
    const one = yield* feesOf("ton", { "tonapi.io": serving({ "/v2/blockchain/config": config }) })
    const two = yield* feesOf(
      "ton",
      { "tonapi.io": serving({}), "toncenter.com": serving(cells) },
      { TONCENTER_PER_SECOND: "1000" }
    )
    assert.deepStrictEqual(one, two)
    // Import 606,400 + gas 1,323,200 + message 400,000.
    assert.strictEqual(as("ton", one).levels.fast.transferFeeBaseUnits, "2329600")
    assert.deepInclude(as("ton", one).basis, { messageBitNanoton: "400", messageCellNanoton: "40000" })
  })
})

describe("fees of Sui", () => {
  const configs = {
    computation: { value: "1000" },
    byte: { value: "100" },
    storage: { value: "76" },
    rebate: { value: "9900" }
  }
  const on = (epoch: unknown, chainIdentifier = "35834a8a") =>
    feesOf(
      "sui",
      { "sui.example": EvmNodes.always(JSON.stringify({ data: { chainIdentifier, epoch } })) },
      { SUI_GRAPHQL_URLS: "https://sui.example" }
    )

  it("are the reference gas price and the fee that a recorded transfer of that epoch paid", function* () {
    const found = as("sui", yield* on({ referenceGasPrice: "747", protocolConfigs: configs }))
    assert.deepInclude(found.levels.fast, { gasPriceMist: "747", transferFeeBaseUnits: "1744880" })
  })

  it("have no transfer fee without the protocol's prices, and fail on another network", function* () {
    for (const protocolConfigs of [null, { ...configs, byte: null }, { ...configs, rebate: { value: "x" } }]) {
      const found = as("sui", yield* on({ referenceGasPrice: "747", protocolConfigs }))
      assert.deepInclude(found.levels.slow, {
        gasPriceMist: "747",
        transferFeeBaseUnits: null,
        errorCode: "bad_answer"
      })
      assert.strictEqual(found.basis.transferStorageMist, null)
    }
    for (const read of [on(null), on({ referenceGasPrice: null }), on({ referenceGasPrice: "747" }, "4c78adac")])
      assert.strictEqual((yield* Effect.flip(read)).reason, "bad_answer")
  })
})

describe("fees of Cardano", () => {
  it("fail with `bad_answer` if there are no epoch parameters", function* () {
    const failure = yield* Effect.flip(
      feesOf("cardano", { "api.koios.rest": serving({ "/epoch_params?order=epoch_no.desc&limit=1": [] }) })
    )
    assert.strictEqual(failure.reason, "bad_answer")
  })
})

describe("fees of Polkadot", () => {
  it("are the last 16 bytes of the runtime's response, after a weight of any size", () => {
    const fee = "c0e1e400000000000000000000000000"
    const read = (hex: string) => Option.getOrUndefined(partialFee(hex))
    // Weights as compact integers of 1, 2, 4 and more bytes.
    for (const weight of ["0400", "910e04", "82f0fa02910e", "0700e40b5402910e"])
      assert.strictEqual(read(`0x${weight}00${fee}`), 15_000_000n, weight)
    for (const wrong of [
      "0x",
      null,
      `0x${"00".repeat(19)}`,
      `0x0400${fee}`,
      `0x040000${fee}00`,
      `0x040000${"ff".repeat(16)}`,
      `0x040000${"00".repeat(16)}`
    ])
      assert.isTrue(Option.isNone(partialFee(wrong)), String(wrong))
  })
})
