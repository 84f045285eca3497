import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { arbitrum } from "../../../../src/catalogue/evm/arbitrum.ts"
import { avalanche } from "../../../../src/catalogue/evm/avalanche.ts"
import { base } from "../../../../src/catalogue/evm/base.ts"
import { bsc } from "../../../../src/catalogue/evm/bsc.ts"
import type { DataFee, EvmFacts } from "../../../../src/catalogue/evm/EvmFacts.ts"
import { ethereum } from "../../../../src/catalogue/evm/ethereum.ts"
import { optimism } from "../../../../src/catalogue/evm/optimism.ts"
import { polygon } from "../../../../src/catalogue/evm/polygon.ts"
import { feeOf } from "../../../../src/chains/evm/history/receipts.ts"
import { Explorers } from "../../../../src/chains/evm/providers/connect.ts"
import type { Receipt } from "../../../../src/chains/evm/providers/node/calls.ts"
import { height } from "../../../../src/domain/units.ts"
import { Upstreams } from "../../../../src/upstream/Upstreams.ts"
import { explorer, type Lists, network } from "../../../support/EvmHistory.ts"
import { type Exchange, fixture, recorded, replay, sample } from "../../../support/fixtures.ts"
import { rowOf } from "../../../support/histories.ts"
import { json, refused, simulatedClient } from "../../../support/http.ts"
import { settled } from "../../../support/settled.ts"
import { upstreamDependencies } from "../../../support/upstream.ts"
import { assert, describe, it } from "../../../support/vitest.ts"

const rowsIn = ({ response }: Exchange) =>
  (response.body as { readonly result: ReadonlyArray<Record<string, string>> }).result

const receiptIn = ({ response }: Exchange) =>
  (response.body as { readonly result: Receipt & { readonly from: string } }).result

const receiptOf = (name: string) => receiptIn(fixture("evm-rpc", name))

const keys = { ETHERSCAN_API_KEY: "secret-etherscan", ETHERSCAN_URL: "http://etherscan.test" }

const holder = `0x${"a1".repeat(20)}`
const stranger = `0x${"b2".repeat(20)}`
const contract = `0x${"c3".repeat(20)}`
const token = `0x${"d4".repeat(20)}`
const names = new Map(Object.entries({ stranger, contract, token }).map(([name, address]) => [address, name]))

const hash = (digit: number) => `0x${String(digit).repeat(64)}`

/** The history from Etherscan without other explorers; nodes return these receipts. */
const fromEtherscan = Effect.fnUntraced(function* (
  info: EvmFacts,
  address: string,
  lists: Lists,
  receipts: ReadonlyArray<unknown> = []
) {
  const answer = explorer(lists)
  const { requests, history } = yield* network(info, keys, (item) => {
    if (item.url.host === "etherscan.test") return answer(item)
    if (item.method !== "POST") return refused
    const calls = [JSON.parse(item.body)].flat() as ReadonlyArray<{ id: number; params: [string] }>
    const found = calls.map(({ id, params }) => ({
      jsonrpc: "2.0",
      id,
      result: receipts.find((row) => (row as Receipt).transactionHash === params[0]) ?? null
    }))
    return json(found.length === 1 ? found[0] : found)
  })
  const part = yield* settled(history({ address: address.toLowerCase(), limit: 50 }))
  const named = (text: string) => (text === address.toLowerCase() ? "me" : (names.get(text) ?? text))
  return { ...part, requests, rows: part.transactions.map(rowOf(named)) }
})

/** Asserts that the history fails with this reason instead of being empty. */
const assertFailure = Effect.fnUntraced(function* (
  exchange: Exchange,
  address: string,
  reason: string,
  detail: string
) {
  const no = replay(exchange)
  const lists = { txlist: no, txlistinternal: no, tokentx: no }
  const unread = yield* Effect.flip(fromEtherscan(bsc, address, lists))
  assert.deepStrictEqual(unread as unknown, { reason, message: `etherscan: ${detail}` })
})

/** Etherscan returns this response and Routescan these transactions: only the first history calls Etherscan. */
const assertFallback = Effect.fnUntraced(function* (
  exchange: Exchange,
  address: string,
  txlist: ReadonlyArray<Record<string, string>>
) {
  const no = replay(exchange)
  const routescan = explorer({ txlist })
  const { requests, history } = yield* network(
    avalanche,
    { ...keys, ROUTESCAN_URL: "http://routescan.test" },
    (item) => (item.method === "POST" ? refused : item.url.host === "etherscan.test" ? no : routescan(item))
  )
  const lookups = () => requests.filter(({ method }) => method === "GET")
  const part = yield* settled(history({ address, limit: 50 }))
  assert.deepStrictEqual([part.sources, part.transactions.length], [["routescan"], txlist.length])
  assert.lengthOf(lookups(), 6)
  yield* settled(history({ address, limit: 50 }))
  assert.lengthOf(lookups(), 9)
  assert.strictEqual(lookups()[3]?.url.pathname, "/43114/etherscan/api")
})

type Read = (provider: string, name: string) => Exchange

interface Case {
  readonly network: EvmFacts
  readonly holder?: string
  /** The response to each action, or the responses whose rows are joined; in the form `provider/name`. */
  readonly lists: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** Changes each row of the lists. */
  readonly change?: object
  readonly receipts?: () => ReadonlyArray<unknown>
  /** All rows, in which the holder is `me`. */
  readonly rows: ReadonlyArray<string>
  readonly orders?: ReadonlyArray<number>
  readonly nonces?: ReadonlyArray<number | undefined>
  readonly calls?: number
  readonly missing?: ReadonlyArray<string>
  readonly unavailable?: string
}

/** Declares a test per case: its lists give these rows. */
const histories = (of: Read, address: string, cases: Readonly<Record<string, Case>>) => {
  const exchange = (id: string) => of(...(id.split("/") as [string, string]))
  const listOf = (ids: string | ReadonlyArray<string>, change: object) => {
    const exchanges = [ids].flat().map(exchange)
    const [{ response } = assert.fail("no response")] = exchanges
    // A response without rows, or with another status, is returned unchanged.
    const { result, status } = response.body as { readonly status: string; readonly result: ReadonlyArray<unknown> }
    if (status !== "1" || result.length === 0) return replay(exchange([ids].flat()[0] ?? ""))
    return exchanges.flatMap(rowsIn).map((row) => ({ ...row, ...change }))
  }
  for (const [title, { change = {}, holder = address, lists, network, receipts, ...expected }] of Object.entries(cases))
    it(title, function* () {
      const byAction = Object.fromEntries(Object.entries(lists).map(([action, ids]) => [action, listOf(ids, change)]))
      const part = yield* fromEtherscan(network, holder, byAction, receipts?.())
      const { calls, missing = [], nonces, orders, rows, unavailable } = expected
      assert.deepStrictEqual(part.rows, rows)
      assert.deepStrictEqual([part.more, part.sources, part.missing], [false, ["etherscan"], missing])
      const found = part.transactions.map(({ order }) => order)
      assert.deepStrictEqual(found, orders ?? found.toSorted((one, other) => other - one))
      assert.deepStrictEqual(
        part.transactions.map(({ block }) => block),
        found.map((order) => (order === Number.MAX_SAFE_INTEGER ? undefined : height(Math.floor(order / 65_536))))
      )
      if (nonces !== undefined)
        assert.deepStrictEqual(
          part.transactions.map(({ nonce }) => nonce),
          nonces
        )
      if (calls !== undefined) assert.lengthOf(part.requests, calls)
      if (unavailable !== undefined) assert.include([...(part.unavailable ?? [])], unavailable)
    })
}

const genesis = { calls: 3, rows: [], unavailable: "coins allocated in the first block, without a transaction" }

/** No node has the receipts of this many of the rows. */
const withoutReceipts = (network: string, count: number) => [
  `fees and results of some transactions: ${network}-rpc: no node has ${count} of the receipts`
]

const partial = { rows: [], missing: ["internal transfers: etherscan: some are not processed yet"] }

/** The same response to all three actions. */
const everywhere = (id: string) => ({ txlist: id, txlistinternal: id, tokentx: id })

const rows = (provider: string, name: string) => rowsIn(sample(provider, name))

/** Checks the outcome of the health check of Etherscan with this response. */
const checked = Effect.fnUntraced(function* (exchange: Exchange, reason: string | undefined) {
  const outside = simulatedClient(() => replay(exchange))
  const tried = Effect.gen(function* () {
    yield* Explorers
    const trials = yield* Effect.flatMap(Upstreams, ({ trials }) => trials)
    const [address] = trials.find((trial) => trial.name === "etherscan")?.addresses ?? []
    return yield* settled(Effect.either(address?.try ?? Effect.void))
  })
  const outcome = yield* Effect.provide(tried, Layer.provideMerge(Explorers.layer, upstreamDependencies(outside, keys)))
  assert.strictEqual(Either.isLeft(outcome) ? outcome.left.reason : undefined, reason)
  const { query } = sample("etherscan", "balance").request
  assert.deepInclude(Object.fromEntries(outside.requests[0]?.url.searchParams ?? []), query)
})

describe("the responses of EVM explorers", () => {
  const first = `0x222222 Receive Success 1664000039 fee ${21_000n * 8_000_000_009n}: stranger:7100000000000001 -> me:7100000000000001`
  const [spam, nobody] = [`0x${"5a".repeat(20)}`, `0x${"00".repeat(20)}`]
  const bedrock = {
    ...receiptIn(sample("evm-rpc", "receipt-op-bedrock")),
    transactionHash: hash(4),
    gasUsed: "0xb3b0",
    effectiveGasPrice: "0x47"
  }
  const opRow = (fee: bigint | null) => [`0x444444 Send Success 1720000005 fee ${fee}: me:90 -> stranger:90`]
  const ofProvider = (provider: string): Case => ({
    network: ethereum,
    lists: {
      txlist: [`${provider}/txlist-contract-call`, "etherscan/txlist-first"],
      txlistinternal: `${provider}/txlistinternal-refund`
    },
    // Since blobs, only a receipt has the whole fee of a call.
    receipts: () => [
      { ...bedrock, l1Fee: null, transactionHash: hash(1), gasUsed: "0xee48", effectiveGasPrice: "0x9502f903" }
    ],
    orders: [20_100_007 * 65_536 + 12, 15_600_003 * 65_536 + 3],
    nonces: [4, 0],
    rows: [
      `0x111111 Contract Call Success 1720000087 fee ${61_000n * 2_500_000_003n}: me:5000000000000000 + contract:1200000000000007 -> contract:5000000000000000 + me:1200000000000007`,
      first
    ]
  })
  histories(sample, holder, {
    "contain the same transactions in the format of etherscan": ofProvider("etherscan"),
    "contain the same transactions in the format of blockscout": ofProvider("blockscout"),
    "contain no transaction for genesis coins, which are reported as unavailable": {
      network: ethereum,
      lists: { txlist: "etherscan/txlist-genesis" },
      ...genesis
    },
    ...Object.fromEntries(
      ["etherscan/txlist-none", "blockscout/txlistinternal-none", "blockscout/tokentx-none", "routescan/none"].map(
        (id) => [
          `without results are not errors, and take three calls: ${id}`,
          { network: ethereum, lists: everywhere(id), calls: 3, rows: [] }
        ]
      )
    ),
    "contain raw token amounts, the fee of the whole transaction and no call data; token names are ignored": {
      network: ethereum,
      lists: { tokentx: ["etherscan/tokentx-send", "etherscan/tokentx-advertisement"] },
      rows: [
        `0x444444 Receive Success 1720000147 fee ${900_000n * 1_500_000_000n}: ${nobody}:1000000000000000000 ${spam} -> me:1000000000000000000 ${spam}`,
        `0x333333 Send Success 1720000135 fee ${46_109n * 3_100_000_007n}: me:12345678900 token -> stranger:12345678900 token`
      ]
    },
    "contain system transactions of a validator with a zero fee, newest first within a block": {
      network: bsc,
      lists: { txlist: "etherscan/txlist-validator" },
      rows: [
        "0x888888 Contract Call Success 1626000001 fee 0: me:0 -> contract:0",
        "0x777777 Send Success 1626000001 fee 0: me:2100000000000000 -> contract:2100000000000000"
      ]
    },
    // Neither the explorer nor a node returns the data fee: a null fee is better than a wrong fee.
    "keep the parties of a failed call with zero amounts, and a created contract is the recipient": {
      network: base,
      lists: { txlist: "blockscout/txlist-failed-and-creation" },
      rows: [
        "0x777777 Contract Call Failed 1746000009 fee null: me:0 -> contract:0",
        "0x888888 Contract Call Success 1745999993 fee null: me:0 -> token:0"
      ],
      missing: withoutReceipts("base", 2)
    },
    "lack the L1 fee of an OP-stack transaction if no node has its receipt": {
      network: optimism,
      lists: { txlist: "blockscout/txlist-op-stack" },
      rows: opRow(null),
      missing: withoutReceipts("optimism", 1),
      calls: 3 + optimism.nodes.length
    },
    "lack the L1 fee of an OP-stack transaction, which is read from its receipt": {
      network: optimism,
      lists: { txlist: "blockscout/txlist-op-stack" },
      receipts: () => [bedrock],
      rows: opRow(46_000n * 71n + 0x5a0e2f1c3b4dn),
      calls: 4
    },
    "need no receipt if the row has the L1 fee of an OP-stack transaction": {
      network: optimism,
      lists: { txlist: "blockscout/txlist-op-stack-with-l1-fee" },
      rows: opRow(46_000n * 71n + 31_000_000_017n),
      calls: 3
    },
    // A call that creates a contract without coins is not a transaction of the address.
    "with partially processed internal transfers are accepted and reported as incomplete": {
      network: ethereum,
      lists: { txlistinternal: "blockscout/txlistinternal-partial" },
      ...partial
    },
    "need no receipts on Arbitrum": {
      network: arbitrum,
      lists: { txlist: "etherscan/txlist-first" },
      rows: [first],
      calls: 3
    }
  })

  it("count Polygon's native coin once", function* () {
    const [row] = rows("etherscan", "txlist-first")
    const mirror = { ...row, contractAddress: "0x0000000000000000000000000000000000001010", input: "deprecated" }
    const part = yield* fromEtherscan(polygon, holder, { txlist: [row], tokentx: [mirror] })
    assert.deepStrictEqual(part.rows, [first])
  })

  it("include receipts from which the fee is computed", () => {
    const fee = (name: string, dataFee?: DataFee, more: Partial<Receipt> = {}) =>
      feeOf({ ...receiptIn(sample("evm-rpc", name)), ...more }, dataFee, undefined)
    assert.strictEqual(fee("receipt-success"), 21_000n * 1_000_000_007n)
    assert.strictEqual(fee("receipt-failed"), 31_250n * 20_000_000_001n)
    assert.strictEqual(fee("receipt-before-byzantium"), 50_000n * 50_000_000_001n)
    assert.strictEqual(fee("receipt-polygon"), 0x88b8n * 0x9502f9001n)
    assert.strictEqual(fee("receipt-arbitrum", "always"), 0xf618n * 12_000_000n)
    const ecotone = 46_000n * 0x3938701n + 0x1234567891n
    assert.strictEqual(fee("receipt-op-ecotone", "always"), ecotone)
    const operator = { operatorFeeScalar: "0x1e8480", operatorFeeConstant: "0x9" }
    assert.strictEqual(fee("receipt-op-ecotone", "always", operator), ecotone + 92_000n + 9n)
    const jovian = { ...operator, operatorFeeScalar: "0x1", daFootprintGasScalar: "0x190" }
    assert.strictEqual(fee("receipt-op-ecotone", "always", jovian), ecotone + 4_600_000n + 9n)
    assert.strictEqual(fee("receipt-op-bedrock", "always"), 90_000n * 10_000_001n + 0x5a0e2f1c3b4dn)
    assert.strictEqual(fee("receipt-op-without-l1-fee", "always"), undefined)
    assert.strictEqual(fee("receipt-op-without-l1-fee", "perhaps"), 150_000n * 1_000_001n)
    assert.strictEqual(fee("receipt-op-deposit", "always"), 0n)
    const unpriced = { ...receiptIn(sample("evm-rpc", "receipt-success")), effectiveGasPrice: null }
    assert.strictEqual(feeOf(unpriced, undefined, 3n), 63_000n)
    assert.strictEqual(feeOf(unpriced, undefined, undefined), undefined)
  })

  for (const [provider, name, reason, detail] of [
    ["etherscan", "network-not-in-plan", "upstream_error", "does not serve this network"],
    ["etherscan", "node-not-in-plan", "upstream_error", "does not serve this network"],
    ["etherscan", "limit-of-a-second", "rate_limited", "rate limit reached"],
    ["etherscan", "limit-of-a-day", "rate_limited", "daily call limit reached"],
    ["etherscan", "key-missing", "upstream_error", "the API key is not accepted"],
    ["etherscan", "old-version", "bad_answer", "rejected the call"],
    ["blockscout", "went-wrong", "upstream_error", "returned an error"],
    ["routescan", "network-unsupported", "upstream_error", "does not serve this network"]
  ] as const)
    it.effect(`that report a failure never count as an empty history (${provider}/${name})`, () =>
      assertFailure(sample(provider, name), holder, reason, detail)
    )

  it("pass the health check with a balance of any size, and fail it with a rejection text", function* () {
    for (const [name, reason] of [
      ["balance", undefined],
      ["limit-of-a-second", "rate_limited"],
      ["key-missing", "upstream_error"],
      ["txlist-none", "bad_answer"]
    ] as const)
      yield* checked(sample("etherscan", name), reason)
  })

  it.effect("that reject a network end the calls to that explorer, and the next explorer is used", () =>
    assertFallback(sample("etherscan", "network-not-in-plan"), holder, rows("etherscan", "txlist-first"))
  )
})

recorded("the recorded responses of EVM explorers", () => {
  const holder = "0x706a70067be19bdadbea3600db0626859ff25d74"
  const registrar = "0x253553366da8546fc250f225fe3d25d0c782303b"
  const exchange = "0x267be1c1d684f78cb4f6a176c4911b741e4ffdc0"
  const usdt = "0xdac17f958d2ee523a2206206994597c13d831ec7"
  const rowsOf = (provider: string, name: string) => rowsIn(fixture(provider, name))
  const first = `0x94045a Receive Success 1723813415 fee ${21000n * 5781918924n}: ${exchange}:20049160000000000 -> me:20049160000000000`
  const positions = [
    [21065947, 51],
    [21065935, 126],
    [20542478, 18],
    [20542456, 197],
    [20542446, 125],
    [20541368, 45]
  ] as const
  const six = (txlist: string, txlistinternal: string): Case => ({
    network: ethereum,
    lists: { txlist, txlistinternal },
    // Since blobs, only a receipt has the whole fee of a call.
    receipts: () =>
      rowsOf(...(txlist.split("/") as [string, string])).map(({ gasPrice, gasUsed, hash }) => ({
        ...bedrock(),
        l1Fee: null,
        transactionHash: hash,
        gasUsed: `0x${BigInt(gasUsed ?? 0).toString(16)}`,
        effectiveGasPrice: `0x${BigInt(gasPrice ?? 0).toString(16)}`
      })),
    orders: positions.map(([block, index]) => block * 65536 + index),
    rows: [
      `0x7122b6 Contract Call Success 1730140427 fee ${467122n * 17630088123n}: me:0 -> 0x626fb210bf50e201ed62ca2705c16de2a53dc966:0`,
      `0x6cbb31 Receive Success 1730140283 fee ${21000n * 22280236579n}: ${exchange}:15693680000000000 -> me:15693680000000000`,
      `0xae57c6 Send Success 1723826819 fee ${21000n * 4294527457n}: me:9636000000000000 -> 0x56a1a34f0d33788eba53e2706854a37a5f275536:9636000000000000`,
      // The coins that the contract returns are listed next to the coins that it received.
      `0x0aa66c Contract Call Success 1723826543 fee ${413604n * 4097489782n}: me:3927431387104229 + ${registrar}:77008458570671 -> ${registrar}:3927431387104229 + me:77008458570671`,
      `0x34c7c8 Contract Call Success 1723826423 fee ${44194n * 4210506074n}: me:0 -> ${registrar}:0`,
      first
    ]
  })
  const op = "blockscout/v1-txlist-optimism-gasprice-66"
  const opRows = (...fees: ReadonlyArray<bigint | null>) => [
    `0x6eb136 Contract Call Success 1689113567 fee ${fees[0]}: me:0 -> 0xdef1abe32c034e558cdd535791643c58a13acc10:0`,
    `0x07797f Contract Call Success 1689113567 fee ${fees[1]}: me:0 -> 0x4200000000000000000000000000000000000042:0`
  ]
  const whole = () =>
    fixture("blockscout", "v2-transaction-optimism-with-l1-fee").response.body as {
      readonly fee: { readonly value: string }
    }
  const bedrock = () => ({
    ...receiptOf("receipt-optimism-bedrock-l1feescalar"),
    transactionHash: rowsOf("blockscout", "v1-txlist-optimism-gasprice-66")[0]?.hash,
    gasUsed: "0xb894",
    effectiveGasPrice: "0x42",
    l1Fee: `0x${(BigInt(whole().fee.value) - 47252n * 66n).toString(16)}`
  })
  histories(fixture, holder, {
    "contain the same transactions in the format of etherscan": six(
      "etherscan/txlist-mainnet-6",
      "etherscan/txlistinternal-mainnet-1"
    ),
    "contain the same transactions in the format of blockscout": six(
      "blockscout/v1-txlist-mainnet-6",
      "blockscout/v1-txlistinternal-mainnet-1"
    ),
    "contain no transaction for genesis coins, which are reported as unavailable": {
      network: ethereum,
      holder: "0x756f45e3fa69347a9a973a725e3c98bc4db0b5a0",
      lists: { txlist: "etherscan/txlist-genesis" },
      ...genesis
    },
    ...Object.fromEntries(
      ["etherscan/txlist-empty", "blockscout/v1-txlistinternal-empty", "routescan/empty-is-status-1"].map((id) => [
        `without results are not errors, and take three calls: ${id}`,
        { network: ethereum, lists: everywhere(id), calls: 3, rows: [] }
      ])
    ),
    "may lack `functionName`, like those of 2023": {
      network: ethereum,
      holder: "0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5",
      lists: { txlist: "etherscan/txlist-first-tx-offset-1" },
      rows: [
        `0xf97d03 Send Success 1665052355 fee ${21000n * 4835293352n}: me:58111783231682072 -> 0x0b3b161b8abeb6b04cb95c3e6047f80c120a0292:58111783231682072`
      ]
    },
    "contain raw token amounts, the fee of the whole transaction and no call data": {
      network: ethereum,
      holder: "0x6e15887e2cec81434c16d587709f64603b39b545",
      lists: { tokentx: "etherscan/tokentx-two-rows" },
      rows: [
        `0x38ed9c Send Success 1642802735 fee ${41309n * 428256230488n}: me:1166000000 ${usdt} -> 0xb5d85cbf7cb3ee0d56b3bb207d5fc4b82f43f511:1166000000 ${usdt}`,
        `0xccb6a4 Receive Success 1642802286 fee ${58409n * 455565462350n}: 0xe21c192cd270286dbbb0fba10a8b8d9957d431e5:1166000000 ${usdt} -> me:1166000000 ${usdt}`
      ]
    },
    // Neither the explorer nor a node returns the data fee: a null fee is better than a wrong fee.
    "keep the parties of a failed call with zero amounts, and a created contract is the recipient": {
      network: base,
      holder: "0xc37b40abdb939635068d3c5f13e7faf686f03b65",
      lists: { txlist: "blockscout/v1-txlist-base-failed-and-creation" },
      rows: [
        "0xa699c3 Contract Call Success 1774448869 fee null: me:0 -> 0x3f5ac2c27bbf08522bc1f5c92237e137356a8ac8:0",
        "0x564e7f Contract Call Success 1774448861 fee null: me:0 -> 0xba5ed0000e1ca9136a695f0a848012a16008b032:0",
        "0xe5366d Contract Call Success 1774448831 fee null: me:1000000000000000 -> 0x6ff5693b99212da76ad316178a184ab56d299b43:1000000000000000",
        "0xaaa1f1 Receive Success 1771330105 fee null: 0x14a096eace221a74cf564a4a6fdd61195137f3bd:1000000000 -> me:1000000000",
        "0x683cc4 Contract Call Success 1771330099 fee null: me:0 -> 0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf:0",
        "0xa04a4c Send Success 1768398997 fee null: me:20000000000000 -> 0xca80f0f1d434145ae240aba3065718a8a17393e2:20000000000000",
        "0x05faf7 Contract Call Failed 1716834817 fee null: me:0 -> 0x59c7c832e96d2568bea6db468c1aadcbbda08a52:0",
        "0xdf47a5 Contract Call Success 1696329201 fee null: me:0 -> 0x2d26d6b698f6494efdb908a2a4f11ae5fee86099:0"
      ],
      missing: withoutReceipts("base", 7)
    },
    "lack the L1 fee of an OP-stack transaction, which is read from its receipt": {
      network: optimism,
      holder: "0xd6ade875eec93a7aab7efb7dbf13d1457443f95b",
      lists: { txlist: op },
      receipts: () => [bedrock()],
      rows: opRows(null, 29750381660380n),
      missing: withoutReceipts("optimism", 1),
      calls: 3 + optimism.nodes.length
    },
    "need no receipt if Etherscan's rows contain the L1 fee": {
      network: optimism,
      holder: "0xd6ade875eec93a7aab7efb7dbf13d1457443f95b",
      lists: { txlist: op },
      change: { L1FeesPaid: "1000" },
      rows: opRows(322803n * 66n + 1000n, 47252n * 66n + 1000n),
      calls: 3
    },
    // A call that creates a contract without coins is not a transaction of the address.
    "with partially processed internal transfers are accepted and reported as incomplete": {
      network: ethereum,
      holder: "0x9d25AdBcffE28923E619f4Af88ECDe732c985b63",
      lists: { txlistinternal: "blockscout/v1-txlistinternal-status-2-partial" },
      ...partial
    }
  })

  it("may contain advertisements as token names, which are ignored", function* () {
    const tokentx = rowsOf("etherscan", "tokentx-gnosis-spam")
    const { rows } = yield* fromEtherscan(ethereum, "0xF5d90Ac6747CB3352F05BF61f48b991ACeaE28eB", { tokentx })
    assert.strictEqual(rows.length, tokentx.length)
    assert.notInclude(rows.join(), "COM")
  })

  it("contain system transactions of a validator with a zero fee, the later of a block first", function* () {
    const txlist = rowsOf("etherscan", "bscscan-txlist-validator-system-txs")
    const { rows } = yield* fromEtherscan(bsc, "0x35e7a025f4da968de7e4d7e4004197917f4070f1", { txlist })
    assert.strictEqual(rows.filter((row) => row.includes(" fee 0: ")).length, txlist.length)
    const [older, newer] = txlist.map(({ hash }) => hash?.slice(0, 8))
    assert.deepStrictEqual(
      rows.slice(-2).map((row) => row.split(" Success")[0]),
      [`${newer} Contract Call`, `${older} Send`]
    )
  })

  it("count Polygon's native coin once, and need no receipts on Arbitrum", function* () {
    const [row] = rowsOf("etherscan", "txlist-mainnet-6")
    const mirror = { ...row, contractAddress: "0x0000000000000000000000000000000000001010", input: "deprecated" }
    const part = yield* fromEtherscan(polygon, holder, { txlist: [row], tokentx: [mirror] })
    assert.deepStrictEqual(part.rows, [first])
    const { requests, rows } = yield* fromEtherscan(arbitrum, holder, { txlist: [row] })
    assert.deepStrictEqual([rows, requests.length], [[first], 3])
  })

  it("include receipts from which the fee is computed", () => {
    const fee = (name: string, dataFee?: DataFee) => feeOf(receiptOf(name), dataFee, undefined)
    assert.strictEqual(fee("receipt-mainnet-eip1559-success", undefined), 0x5208n * 0x111573477dn)
    assert.strictEqual(fee("receipt-failed-status-0x0", undefined), 0x8259n * 0x77359400n)
    assert.strictEqual(fee("receipt-pre-byzantium-root", undefined), 0x8f3dn * 0xd8364fc25n)
    assert.strictEqual(fee("receipt-polygon-with-fee-log", undefined), 0x8e30n * 0xa53d532f0n)
    assert.strictEqual(fee("receipt-optimism-ecotone", "always"), 0xaf42n * 0x3a12ae5n + 0x14a6f5e98bn)
    assert.strictEqual(fee("receipt-optimism-bedrock-l1feescalar", "always"), 0x668ecn * 0x9ad7f5n + 0x7834126de76fn)
    assert.strictEqual(fee("receipt-optimism-blockscout-without-l1fee", "always"), undefined)
    assert.strictEqual(fee("receipt-optimism-blockscout-without-l1fee", "perhaps"), 0x38966n * 0xf4567n)
    assert.strictEqual(fee("receipt-optimism-deposit-7e", "always"), 0n)
    assert.strictEqual(fee("receipt-arbitrum-timeboosted", "always"), 0xfd9dn * 0x989680n)
    const operator = {
      ...receiptOf("receipt-optimism-ecotone"),
      operatorFeeScalar: "0xf4240",
      operatorFeeConstant: "0x7"
    }
    assert.strictEqual(feeOf(operator, "always", undefined), 0xaf42n * 0x3a12ae5n + 0x14a6f5e98bn + 0xaf42n + 7n)
    assert.strictEqual(
      feeOf({ ...operator, operatorFeeScalar: "0x1", daFootprintGasScalar: "0x190" }, "always", undefined),
      0xaf42n * 0x3a12ae5n + 0x14a6f5e98bn + 0xaf42n * 100n + 7n
    )
    assert.strictEqual(
      feeOf({ ...receiptOf("receipt-mainnet-eip1559-success"), effectiveGasPrice: null }, undefined, 3n),
      0x5208n * 3n
    )
  })

  for (const [provider, name, reason, detail] of [
    ["etherscan", "notok-chain-not-free", "upstream_error", "does not serve this network"],
    ["etherscan", "rate-limit-per-second", "rate_limited", "rate limit reached"],
    ["etherscan", "missing-api-key", "upstream_error", "the API key is not accepted"],
    ["etherscan", "v1-deprecated", "bad_answer", "rejected the call"],
    ["etherscan", "proxy-notok-instead-of-jsonrpc", "upstream_error", "does not serve this network"],
    ["blockscout", "v1-something-went-wrong", "upstream_error", "returned an error"],
    ["routescan", "chain-not-supported", "upstream_error", "does not serve this network"]
  ] as const)
    it.effect(`that report a failure never count as an empty history (${provider}/${name})`, () =>
      assertFailure(fixture(provider, name), holder, reason, detail)
    )

  it.effect("that reject a network end the calls to that explorer, and the next explorer is used", () =>
    assertFallback(fixture("etherscan", "notok-chain-not-free"), holder, rowsOf("etherscan", "txlist-mainnet-6"))
  )

  it("pass the health check with a balance of any size", function* () {
    for (const name of ["balance", "bscscan-balance-huge"]) yield* checked(fixture("etherscan", name), undefined)
  })
})
