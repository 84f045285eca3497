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
import { Explorers } from "../../../../src/chains/evm/history/Explorers.ts"
import { feeOf, type Receipt } from "../../../../src/chains/evm/history/receipts.ts"
import type { Transaction } from "../../../../src/domain/Transaction.ts"
import { Upstreams } from "../../../../src/upstream/Upstreams.ts"
import { explorer, type Lists, network } from "../../../support/EvmHistory.ts"
import { type Exchange, fixture, recorded, replay, sample } from "../../../support/fixtures.ts"
import { json, refused, simulatedClient } from "../../../support/http.ts"
import { settled } from "../../../support/settled.ts"
import { upstreamDependencies } from "../../../support/upstream.ts"
import { assert, describe, it } from "../../../support/vitest.ts"

const rowsIn = ({ response }: Exchange) =>
  (response.body as { readonly result: ReadonlyArray<Record<string, string>> }).result

const receiptIn = ({ response }: Exchange) =>
  (response.body as { readonly result: Receipt & { readonly from: string } }).result

const rowsOf = (provider: string, name: string) => rowsIn(fixture(provider, name))

const receiptOf = (name: string) => receiptIn(fixture("evm-rpc", name))

const keys = { ETHERSCAN_API_KEY: "secret-etherscan", ETHERSCAN_URL: "http://etherscan.test" }

/** The history from Etherscan without other explorers; nodes return these receipts. */
const fromEtherscan = (info: EvmFacts, address: string, lists: Lists, receipts: ReadonlyArray<unknown> = []) =>
  Effect.gen(function* () {
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
    return { ...part, requests }
  })

const only = (transactions: ReadonlyArray<Transaction>): Transaction => {
  const [item, ...others] = transactions
  assert.isEmpty(others)
  assert.isDefined(item)
  return item as Transaction
}

/** Asserts that the history fails with this reason instead of being empty. */
const assertFailure = (exchange: Exchange, address: string, reason: string, detail: string) =>
  Effect.gen(function* () {
    const no = replay(exchange)
    const lists = { txlist: no, txlistinternal: no, tokentx: no }
    const unread = yield* Effect.flip(fromEtherscan(bsc, address, lists))
    assert.deepStrictEqual(unread as unknown, { reason, message: `etherscan: ${detail}` })
  })

/** Etherscan returns this response and Routescan these transactions: only the first history calls Etherscan. */
const assertFallback = (exchange: Exchange, address: string, txlist: ReadonlyArray<Record<string, string>>) =>
  Effect.gen(function* () {
    const no = replay(exchange)
    const routescan = explorer({ txlist })
    const { requests, history } = yield* network(
      avalanche,
      { ...keys, ROUTESCAN_URL: "http://routescan.test" },
      (item) => (item.method === "POST" ? refused : item.url.host === "etherscan.test" ? no : routescan(item))
    )
    const asking = () => requests.filter(({ method }) => method === "GET")
    const part = yield* settled(history({ address, limit: 50 }))
    assert.deepStrictEqual([part.sources, part.transactions.length], [["routescan"], txlist.length])
    assert.lengthOf(asking(), 6)
    yield* settled(history({ address, limit: 50 }))
    assert.lengthOf(asking(), 9)
    assert.strictEqual(asking()[3]?.url.pathname, "/43114/etherscan/api")
  })

const holder = `0x${"a1".repeat(20)}`
const stranger = `0x${"b2".repeat(20)}`
const contract = `0x${"c3".repeat(20)}`
const token = `0x${"d4".repeat(20)}`

const hash = (digit: number) => `0x${String(digit).repeat(64)}`

const rows = (provider: string, name: string) => rowsIn(sample(provider, name))

/** A contract call that returns a part of the coins, and the older first transaction. */
const callAndReceipt: ReadonlyArray<Transaction> = [
  {
    hash: hash(1),
    type: "Contract Call",
    fee: 61_000n * 2_500_000_003n,
    status: "Success",
    timestamp: 1_720_000_087,
    order: 20_100_007 * 65_536 + 12,
    from: [
      { address: holder, amount: 5_000_000_000_000_000n },
      { address: contract, amount: 1_200_000_000_000_007n }
    ],
    to: [
      { address: contract, amount: 5_000_000_000_000_000n },
      { address: holder, amount: 1_200_000_000_000_007n }
    ]
  },
  {
    hash: hash(2),
    type: "Receive",
    fee: 21_000n * 8_000_000_009n,
    status: "Success",
    timestamp: 1_664_000_039,
    order: 15_600_003 * 65_536 + 3,
    from: [{ address: stranger, amount: 7_100_000_000_000_001n }],
    to: [{ address: holder, amount: 7_100_000_000_000_001n }]
  }
]

describe("the responses of EVM explorers", () => {
  for (const provider of ["etherscan", "blockscout"])
    it(`contain the same transactions in the format of ${provider}`, function* () {
      const part = yield* fromEtherscan(ethereum, holder, {
        txlist: [...rows(provider, "txlist-contract-call"), ...rows("etherscan", "txlist-first")],
        txlistinternal: rows(provider, "txlistinternal-refund")
      })
      assert.deepStrictEqual(part.transactions, callAndReceipt)
      assert.deepStrictEqual([part.more, part.sources, part.missing], [false, ["etherscan"], []])
    })

  it("contain no transaction for genesis coins, which are reported as unavailable", function* () {
    const { requests, missing, transactions, unavailable } = yield* fromEtherscan(ethereum, holder, {
      txlist: rows("etherscan", "txlist-genesis")
    })
    assert.deepStrictEqual([transactions, missing], [[], []])
    assert.include([...(unavailable ?? [])], "coins allocated in the first block, without a transaction")
    assert.lengthOf(requests, 3)
  })

  it("without results are not errors in any wording, and take three calls", function* () {
    for (const [provider, name] of [
      ["etherscan", "txlist-none"],
      ["blockscout", "txlistinternal-none"],
      ["blockscout", "tokentx-none"],
      ["routescan", "none"]
    ] as const) {
      const empty = replay(sample(provider, name))
      const part = yield* fromEtherscan(ethereum, holder, { txlist: empty, txlistinternal: empty, tokentx: empty })
      assert.deepStrictEqual([part.transactions, part.more, part.missing, part.requests.length], [[], false, [], 3])
    }
  })

  it("contain raw token amounts, the fee of the whole transaction and no call data; token names are ignored", function* () {
    const tokentx = [...rows("etherscan", "tokentx-send"), ...rows("etherscan", "tokentx-advertisement")]
    const { transactions } = yield* fromEtherscan(ethereum, holder, { tokentx })
    const spam = `0x${"5a".repeat(20)}`
    const nobody = `0x${"00".repeat(20)}`
    assert.deepStrictEqual(
      transactions.map(({ fee, from, hash, to, type }) => ({ fee, from, hash, to, type })),
      [
        {
          hash: hash(4),
          type: "Receive",
          fee: 900_000n * 1_500_000_000n,
          from: [{ address: nobody, amount: 1_000_000_000_000_000_000n, token: spam }],
          to: [{ address: holder, amount: 1_000_000_000_000_000_000n, token: spam }]
        },
        {
          hash: hash(3),
          type: "Send",
          fee: 46_109n * 3_100_000_007n,
          from: [{ address: holder, amount: 12_345_678_900n, token }],
          to: [{ address: stranger, amount: 12_345_678_900n, token }]
        }
      ]
    )
  })

  it("contain system transactions of a validator with a zero fee, newest first within a block", function* () {
    const { transactions } = yield* fromEtherscan(bsc, holder, { txlist: rows("etherscan", "txlist-validator") })
    assert.deepStrictEqual(
      transactions.map(({ fee, from, hash, status, type }) => [hash, type, status, fee, from[0]?.amount]),
      [
        [hash(8), "Contract Call", "Success", 0n, 0n],
        [hash(7), "Send", "Success", 0n, 2_100_000_000_000_000n]
      ]
    )
  })

  it("keep the parties of a failed call with zero amounts, and a created contract is the recipient", function* () {
    const txlist = rows("blockscout", "txlist-failed-and-creation")
    const { transactions } = yield* fromEtherscan(base, holder, { txlist })
    assert.deepStrictEqual(
      transactions.map(({ fee, from, status, to, type }) => ({ fee, from, status, to, type })),
      // Neither the explorer nor a node returns the data fee: a null fee is better than a wrong fee.
      [
        ["Failed", contract],
        ["Success", token]
      ].map(([status, address]) => ({
        fee: null,
        from: [{ address: holder, amount: 0n }],
        status: status as Transaction["status"],
        to: [{ address: address ?? "", amount: 0n }],
        type: "Contract Call"
      }))
    )
  })

  it("lack the L1 fee of an OP-stack transaction, which is read from its receipt unless the row has it", function* () {
    const receipt = {
      ...receiptIn(sample("evm-rpc", "receipt-op-bedrock")),
      transactionHash: hash(4),
      gasUsed: "0xb3b0",
      effectiveGasPrice: "0x47"
    }
    const txlist = rows("blockscout", "txlist-op-stack")
    for (const [lists, receipts, fee, calls] of [
      [{ txlist }, [], null, 4],
      [{ txlist }, [receipt], 46_000n * 71n + 0x5a0e2f1c3b4dn, 4],
      [{ txlist: rows("blockscout", "txlist-op-stack-with-l1-fee") }, [], 46_000n * 71n + 31_000_000_017n, 3]
    ] as const) {
      const part = yield* fromEtherscan(optimism, holder, lists, receipts)
      assert.strictEqual(only(part.transactions).fee, fee)
      assert.lengthOf(part.requests, calls)
    }
  })

  it("with partially processed internal transfers are accepted and reported as incomplete", function* () {
    const part = yield* fromEtherscan(ethereum, holder, {
      txlistinternal: replay(sample("blockscout", "txlistinternal-partial"))
    })
    // A call that creates a contract without coins is not a transaction of the address.
    assert.deepStrictEqual(part.transactions, [])
    assert.deepStrictEqual(part.missing, ["internal transfers: etherscan: some are not processed yet"])
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
    ] as const) {
      const outside = simulatedClient(() => replay(sample("etherscan", name)))
      const tried = Effect.gen(function* () {
        yield* Explorers
        const trials = yield* Effect.flatMap(Upstreams, ({ trials }) => trials)
        const [address] = trials.find((trial) => trial.name === "etherscan")?.addresses ?? []
        return yield* settled(Effect.either(address?.try ?? Effect.void))
      })
      const outcome = yield* Effect.provide(
        tried,
        Layer.provideMerge(Explorers.layer, upstreamDependencies(outside, keys))
      )
      assert.strictEqual(Either.isLeft(outcome) ? outcome.left.reason : undefined, reason, name)
      const { query } = sample("etherscan", "balance").request
      assert.deepInclude(Object.fromEntries(outside.requests[0]?.url.searchParams ?? []), query)
    }
  })

  it.effect("that reject a network end the calls to that explorer, and the next explorer is used", () =>
    assertFallback(sample("etherscan", "network-not-in-plan"), holder, rows("etherscan", "txlist-first"))
  )

  it("count Polygon's native coin once, and need no receipts on Arbitrum", function* () {
    const [row] = rows("etherscan", "txlist-first")
    const mirror = { ...row, contractAddress: "0x0000000000000000000000000000000000001010", input: "deprecated" }
    const { transactions } = yield* fromEtherscan(polygon, holder, { txlist: [row], tokentx: [mirror] })
    assert.deepStrictEqual(only(transactions).from, [{ address: stranger, amount: 7_100_000_000_000_001n }])
    const part = yield* fromEtherscan(arbitrum, holder, { txlist: [row] })
    assert.deepStrictEqual([part.transactions[0]?.fee, part.requests.length], [21_000n * 8_000_000_009n, 3])
  })
})

recorded("the recorded responses of EVM explorers", () => {
  const holder = "0x706a70067be19bdadbea3600db0626859ff25d74"
  const registrar = "0x253553366da8546fc250f225fe3d25d0c782303b"
  const exchange = "0x267be1c1d684f78cb4f6a176c4911b741e4ffdc0"
  const expected: ReadonlyArray<Omit<Transaction, "hash">> = [
    {
      type: "Contract Call",
      fee: 467122n * 17630088123n,
      status: "Success",
      timestamp: 1730140427,
      order: 21065947 * 65536 + 51,
      from: [{ address: holder, amount: 0n }],
      to: [{ address: "0x626fb210bf50e201ed62ca2705c16de2a53dc966", amount: 0n }]
    },
    {
      type: "Receive",
      fee: 21000n * 22280236579n,
      status: "Success",
      timestamp: 1730140283,
      order: 21065935 * 65536 + 126,
      from: [{ address: exchange, amount: 15693680000000000n }],
      to: [{ address: holder, amount: 15693680000000000n }]
    },
    {
      type: "Send",
      fee: 21000n * 4294527457n,
      status: "Success",
      timestamp: 1723826819,
      order: 20542478 * 65536 + 18,
      from: [{ address: holder, amount: 9636000000000000n }],
      to: [{ address: "0x56a1a34f0d33788eba53e2706854a37a5f275536", amount: 9636000000000000n }]
    },
    {
      // The coins that the contract returns are listed next to the coins that it received.
      type: "Contract Call",
      fee: 413604n * 4097489782n,
      status: "Success",
      timestamp: 1723826543,
      order: 20542456 * 65536 + 197,
      from: [
        { address: holder, amount: 3927431387104229n },
        { address: registrar, amount: 77008458570671n }
      ],
      to: [
        { address: registrar, amount: 3927431387104229n },
        { address: holder, amount: 77008458570671n }
      ]
    },
    {
      type: "Contract Call",
      fee: 44194n * 4210506074n,
      status: "Success",
      timestamp: 1723826423,
      order: 20542446 * 65536 + 125,
      from: [{ address: holder, amount: 0n }],
      to: [{ address: registrar, amount: 0n }]
    },
    {
      type: "Receive",
      fee: 21000n * 5781918924n,
      status: "Success",
      timestamp: 1723813415,
      order: 20541368 * 65536 + 45,
      from: [{ address: exchange, amount: 20049160000000000n }],
      to: [{ address: holder, amount: 20049160000000000n }]
    }
  ]

  for (const [provider, own, internal] of [
    ["etherscan", "txlist-mainnet-6", "txlistinternal-mainnet-1"],
    ["blockscout", "v1-txlist-mainnet-6", "v1-txlistinternal-mainnet-1"]
  ] as const)
    it(`contain the same transactions in the format of ${provider}`, function* () {
      const part = yield* fromEtherscan(ethereum, holder, {
        txlist: rowsOf(provider, own),
        txlistinternal: rowsOf(provider, internal)
      })
      const hashes = rowsOf("etherscan", "txlist-mainnet-6").map(({ hash }) => hash)
      assert.deepStrictEqual(
        part.transactions,
        expected.map((omit, index) => ({ hash: hashes[5 - index] ?? "", ...omit }))
      )
      assert.deepStrictEqual([part.more, part.sources, part.missing], [false, ["etherscan"], []])
    })

  it("contain no transaction for genesis coins, which are reported as unavailable", function* () {
    const address = "0x756f45e3fa69347a9a973a725e3c98bc4db0b5a0"
    const { requests, missing, transactions, unavailable } = yield* fromEtherscan(ethereum, address, {
      txlist: rowsOf("etherscan", "txlist-genesis")
    })
    assert.deepStrictEqual([transactions, missing], [[], []])
    assert.include([...(unavailable ?? [])], "coins allocated in the first block, without a transaction")
    assert.lengthOf(requests, 3)
  })

  it("without results are not errors in any wording, and take three calls", function* () {
    for (const [provider, name] of [
      ["etherscan", "txlist-empty"],
      ["blockscout", "v1-txlistinternal-empty"],
      ["routescan", "empty-is-status-1"]
    ] as const) {
      const empty = replay(fixture(provider, name))
      const part = yield* fromEtherscan(ethereum, holder, { txlist: empty, txlistinternal: empty, tokentx: empty })
      assert.deepStrictEqual([part.transactions, part.more, part.missing, part.requests.length], [[], false, [], 3])
    }
  })

  it("may lack `functionName`, like those of 2023", function* () {
    const address = "0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5"
    const { transactions } = yield* fromEtherscan(ethereum, address, {
      txlist: rowsOf("etherscan", "txlist-first-tx-offset-1")
    })
    const { fee, from, type } = only(transactions)
    assert.deepStrictEqual([type, fee, from], ["Send", 21000n * 4835293352n, [{ address, amount: 58111783231682072n }]])
  })

  it("contain raw token amounts, the fee of the whole transaction and no call data", function* () {
    const address = "0x6e15887e2cec81434c16d587709f64603b39b545"
    const token = "0xdac17f958d2ee523a2206206994597c13d831ec7"
    const { transactions } = yield* fromEtherscan(ethereum, address, {
      tokentx: rowsOf("etherscan", "tokentx-two-rows")
    })
    assert.deepStrictEqual(
      transactions.map(({ fee, from, to, type }) => ({ fee, from, to, type })),
      [
        {
          type: "Send",
          fee: 41309n * 428256230488n,
          from: [{ address, amount: 1166000000n, token }],
          to: [{ address: "0xb5d85cbf7cb3ee0d56b3bb207d5fc4b82f43f511", amount: 1166000000n, token }]
        },
        {
          type: "Receive",
          fee: 58409n * 455565462350n,
          from: [{ address: "0xe21c192cd270286dbbb0fba10a8b8d9957d431e5", amount: 1166000000n, token }],
          to: [{ address, amount: 1166000000n, token }]
        }
      ]
    )
  })

  it("may contain advertisements as token names, which are ignored", function* () {
    const rows = rowsOf("etherscan", "tokentx-gnosis-spam")
    const part = yield* fromEtherscan(ethereum, "0xF5d90Ac6747CB3352F05BF61f48b991ACeaE28eB", { tokentx: rows })
    assert.strictEqual(part.transactions.length, rows.length)
    assert.isFalse(part.transactions.some(({ from }) => JSON.stringify(from, (_, v) => String(v)).includes("COM")))
  })

  it("contain system transactions of a validator with a zero fee", function* () {
    const rows = rowsOf("etherscan", "bscscan-txlist-validator-system-txs")
    const { transactions } = yield* fromEtherscan(bsc, "0x35e7a025f4da968de7e4d7e4004197917f4070f1", { txlist: rows })
    assert.strictEqual(transactions.length, rows.length)
    assert.isTrue(transactions.every(({ fee }) => fee === 0n))
    // Two transactions of the same block: the later is listed first.
    assert.deepStrictEqual(
      transactions.slice(-2).map(({ hash, type }) => [hash, type]),
      [
        [rows[1]?.hash, "Contract Call"],
        [rows[0]?.hash, "Send"]
      ]
    )
  })

  it("keep the parties of a failed call with zero amounts, and a created contract is the recipient", function* () {
    const rows = rowsOf("blockscout", "v1-txlist-base-failed-and-creation")
    const address = "0xc37b40abdb939635068d3c5f13e7faf686f03b65"
    const { transactions } = yield* fromEtherscan(base, address, { txlist: rows })
    const by = (status: Transaction["status"]) => transactions.filter((transaction) => transaction.status === status)
    const failed = only(by("Failed"))
    assert.deepStrictEqual(
      [failed.type, failed.from, failed.to],
      [
        "Contract Call",
        [{ address, amount: 0n }],
        [{ address: "0x59c7c832e96d2568bea6db468c1aadcbbda08a52", amount: 0n }]
      ]
    )
    const made = transactions.at(-1)
    assert.deepStrictEqual(
      [made?.type, made?.to],
      ["Contract Call", [{ address: "0x2d26d6b698f6494efdb908a2a4f11ae5fee86099", amount: 0n }]]
    )
    // Neither the explorer nor a node returns the data fee: a null fee is better than a wrong fee.
    assert.isTrue(transactions.every(({ fee }) => fee === null))
  })

  it("lack the L1 fee of an OP-stack transaction, which is read from its receipt", function* () {
    const rows = rowsOf("blockscout", "v1-txlist-optimism-gasprice-66")
    const hash = rows[0]?.hash ?? ""
    const whole = fixture("blockscout", "v2-transaction-optimism-with-l1-fee").response.body as {
      readonly fee: { readonly value: string }
    }
    const l1Fee = BigInt(whole.fee.value) - 47252n * 66n
    const receipt = {
      ...receiptOf("receipt-optimism-bedrock-l1feescalar"),
      transactionHash: hash,
      gasUsed: "0xb894",
      effectiveGasPrice: "0x42",
      l1Fee: `0x${l1Fee.toString(16)}`
    }
    const part = yield* fromEtherscan(optimism, rows[0]?.from ?? "", { txlist: rows }, [receipt])
    assert.deepStrictEqual(
      part.transactions.map(({ fee }) => fee),
      [null, 29750381660380n]
    )
    assert.lengthOf(part.requests, 4)
  })

  it("need no receipt if Etherscan's rows contain the L1 fee", function* () {
    const rows = rowsOf("blockscout", "v1-txlist-optimism-gasprice-66").map((row) => ({ ...row, L1FeesPaid: "1000" }))
    const part = yield* fromEtherscan(optimism, "0xd6ade875eec93a7aab7efb7dbf13d1457443f95b", { txlist: rows })
    assert.deepStrictEqual(
      part.transactions.map(({ fee }) => fee),
      [322803n * 66n + 1000n, 47252n * 66n + 1000n]
    )
    assert.lengthOf(part.requests, 3)
  })

  it("with partially processed internal transfers are accepted and reported as incomplete", function* () {
    const part = yield* fromEtherscan(ethereum, "0x9d25AdBcffE28923E619f4Af88ECDe732c985b63", {
      txlistinternal: replay(fixture("blockscout", "v1-txlistinternal-status-2-partial"))
    })
    // A call that creates a contract without coins is not a transaction of the address.
    assert.deepStrictEqual(part.transactions, [])
    assert.deepStrictEqual(part.missing, ["internal transfers: etherscan: some are not processed yet"])
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

  it("count Polygon's native coin once, and need no receipts on Arbitrum", function* () {
    const [row] = rowsOf("etherscan", "txlist-mainnet-6")
    const mirror = { ...row, contractAddress: "0x0000000000000000000000000000000000001010", input: "deprecated" }
    const { transactions } = yield* fromEtherscan(polygon, holder, { txlist: [row], tokentx: [mirror] })
    assert.deepStrictEqual(only(transactions).from, [{ address: exchange, amount: 20049160000000000n }])
    const part = yield* fromEtherscan(arbitrum, holder, { txlist: [row] })
    assert.deepStrictEqual([part.transactions[0]?.fee, part.requests.length], [21000n * 5781918924n, 3])
  })
})
