import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { manta, scroll } from "viem/chains"
import { arbitrum } from "../../../../src/catalogue/evm/arbitrum.ts"
import { avalanche } from "../../../../src/catalogue/evm/avalanche.ts"
import type { EvmFacts } from "../../../../src/catalogue/evm/EvmFacts.ts"
import { ethereum } from "../../../../src/catalogue/evm/ethereum.ts"
import { ethereumClassic } from "../../../../src/catalogue/evm/ethereumClassic.ts"
import { optimism } from "../../../../src/catalogue/evm/optimism.ts"
import { facts } from "../../../../src/chains/evm/ExtraNetworks.ts"
import { feeOf } from "../../../../src/chains/evm/history/receipts.ts"
import { NetworkId } from "../../../../src/domain/NetworkId.ts"
import { position, seconds } from "../../../../src/domain/units.ts"
import { actions, explorer, network } from "../../../support/EvmHistory.ts"
import { byHost, json, type Reply, refused, type SentRequest } from "../../../support/http.ts"
import { settled } from "../../../support/settled.ts"
import { assert, describe, it } from "../../../support/vitest.ts"

const address = (index: number) => `0x${index.toString(16).padStart(40, "0")}`
const hash = (index: number) => `0x${index.toString(16).padStart(64, "0")}`
const [alice, bob, carol] = [address(1), address(2), address(3)]
const begin = 1_700_000_000

/** A row of a list. A block takes one second. Its gas values differ from those of the receipt. */
const row = (index: number, more: Readonly<Record<string, string>> = {}) => ({
  hash: hash(index),
  blockNumber: String(index + 10),
  timeStamp: String(begin + index),
  transactionIndex: "0",
  nonce: String(index),
  from: alice,
  to: bob,
  value: "5",
  input: "0x",
  contractAddress: "",
  isError: "0",
  txreceipt_status: "1",
  gasUsed: "263316",
  gasPrice: "37",
  ...more
})

const quantity = (value: bigint) => `0x${value.toString(16)}`

const receipt = (index: number, more: object = {}) => ({
  transactionHash: hash(index),
  blockNumber: quantity(BigInt(index + 10)),
  status: "0x1",
  type: "0x2",
  gasUsed: quantity(279_040n),
  effectiveGasPrice: quantity(36n),
  ...more
})

/** Receipts and transactions that nodes return by hash. */
interface NodeData {
  readonly receipts?: ReadonlyArray<{ readonly transactionHash: string }>
  readonly transactions?: ReadonlyArray<{ readonly hash: string }>
}

const node =
  ({ receipts = [], transactions = [] }: NodeData) =>
  ({ body }: SentRequest): Reply => {
    const calls: unknown = JSON.parse(body)
    const answers = [calls].flat().map((call) => {
      const { id, method, params } = call as { id: number; method: string; params: [string] }
      const found =
        method === "eth_getTransactionReceipt"
          ? receipts.find(({ transactionHash }) => transactionHash === params[0])
          : transactions.find((transaction) => transaction.hash === params[0])
      return { jsonrpc: "2.0", id, result: found ?? null }
    })
    return json(Array.isArray(calls) ? answers : answers[0])
  }

const environment = {
  ETHERSCAN_API_KEY: "secret-key",
  ETHERSCAN_URL: "http://explorer.test",
  ROUTESCAN_URL: "http://explorer.test"
}

const explorers = {
  etherscan: { etherscan: true },
  blockscout: { blockscout: "http://explorer.test" },
  routescan: { routescan: true }
}

/** A network with one explorer that lists these transactions; the nodes answer all other requests. */
const listing = (
  of: keyof typeof explorers,
  rows: ReadonlyArray<unknown>,
  nodes: (request: SentRequest) => Reply,
  info: EvmFacts = ethereum
) =>
  network({ ...info, explorers: explorers[of] }, environment, (request) =>
    request.url.host === "explorer.test" ? explorer({ txlist: rows })(request) : nodes(request)
  )

const readListed = Effect.fnUntraced(function* (...given: Parameters<typeof listing>) {
  const { requests, history } = yield* listing(...given)
  const part = yield* settled(history({ address: alice, limit: 500 }))
  return { ...part, posts: requests.filter(({ method }) => method === "POST") }
})

const fees = ({ transactions }: { readonly transactions: ReadonlyArray<{ readonly fee: bigint | null }> }) =>
  transactions.map(({ fee }) => fee)

describe("the fees in an EVM history", () => {
  it("do not depend on a receipt that no node can look up; every node is called for it", function* () {
    const [good, bad] = [receipt(2), receipt(1)]
    const failing = (request: SentRequest): Reply => {
      const calls = [JSON.parse(request.body)].flat() as ReadonlyArray<{ id: number; params: [string] }>
      const error = { code: -32603, message: "internal error" }
      const answers = calls.map(({ id, params }) =>
        params[0] === bad.transactionHash ? { jsonrpc: "2.0", id, error } : { jsonrpc: "2.0", id, result: good }
      )
      return json(answers.length === 1 ? answers[0] : answers)
    }
    const { posts, ...part } = yield* readListed("routescan", [row(2), row(1)], failing)
    assert.deepStrictEqual(
      fees(part).map((fee) => fee !== null),
      [true, false]
    )
    assert.strictEqual(new Set(posts.map(({ url }) => url.host)).size, ethereum.nodes.length)
  })

  for (const of of ["blockscout", "routescan"] as const)
    it(`that the holder paid come from receipts in one call if ${of} lists the bid`, function* () {
      const rows = [row(3), row(2), row(1, { isError: "1", txreceipt_status: "0" })]
      const all = [receipt(3), receipt(2), receipt(1, { status: "0x0" })]
      const part = yield* readListed(of, rows, node({ receipts: all }))
      assert.deepStrictEqual(fees(part), [279_040n * 36n, 279_040n * 36n, 279_040n * 36n])
      assert.deepStrictEqual([part.missing, part.posts.length], [[], 1])
    })

  it("come from the next node if one has lost the receipts, and are missing if no node has them", function* () {
    const [lost, whole] = [node({}), node({ receipts: [receipt(1)] })]
    const [first, ...others] = ethereum.nodes.map((url) => new URL(url).host)
    const over = (pruned: (host: string) => boolean) =>
      readListed("blockscout", [row(1)], (request) => (pruned(request.url.host) ? lost : whole)(request))
    const part = yield* over((host) => host === first)
    assert.deepStrictEqual([fees(part), part.missing, part.posts.length], [[279_040n * 36n], [], 2])
    const none = yield* over(() => true)
    assert.deepStrictEqual([fees(none), none.missing, none.posts.length] as unknown, [
      [null],
      ["fees and results of some transactions: ethereum-rpc: no node has 1 of the receipts"],
      1 + others.length
    ])
  })

  it("that others paid are null if the explorer lists the bid, and are not looked up", function* () {
    const rows = [row(1, { from: carol, to: alice })]
    const part = yield* readListed("blockscout", rows, node({ receipts: [receipt(1)] }))
    assert.deepStrictEqual([fees(part), part.posts.length], [[null], 0])
    assert.deepStrictEqual(fees(yield* readListed("etherscan", rows, () => refused)), [263_316n * 37n])
  })

  it("need no further call if the explorer takes them from receipts", function* () {
    for (const info of [ethereum, arbitrum]) {
      const part = yield* readListed("etherscan", [row(1)], () => refused, info)
      assert.deepStrictEqual([fees(part), part.missing, part.posts.length], [[263_316n * 37n], [], 0])
    }
  })

  it("are null and reported as missing if no node answers", function* () {
    const part = yield* readListed("blockscout", [row(1)], () => refused)
    assert.deepStrictEqual(fees(part), [null])
    assert.match(part.missing.join(), /^fees and results of some transactions: ethereum-rpc/)
  })

  it("are null and reported as missing if a receipt has impossible numbers, or lacks a part of the fee", function* () {
    for (const more of [
      { effectiveGasPrice: quantity(2n ** 64n) },
      { effectiveGasPrice: "-0x7" },
      { effectiveGasPrice: null },
      { gasUsed: quantity(2n ** 64n) },
      { operatorFeeScalar: quantity(2n ** 32n), operatorFeeConstant: "0x5" },
      { operatorFeeConstant: "0x5" }
    ]) {
      const receipts = [receipt(2), receipt(1, more)]
      const part = yield* readListed("blockscout", [row(2), row(1)], node({ receipts }))
      assert.deepStrictEqual([fees(part).at(-1), part.missing.length], [null, 1])
    }
  })

  it("come from a receipt for every row, with 100 receipts per call", function* () {
    const rows = Array.from({ length: 250 }, (_, index) => row(index + 1))
    const receipts = rows.map((_, index) => receipt(index + 1))
    const part = yield* readListed("blockscout", rows, node({ receipts }))
    assert.deepStrictEqual(
      [part.transactions.length, fees(part).filter((fee) => fee === null).length, part.posts.length],
      [250, 0, 3]
    )
  })

  it("are not read again once they are final", function* () {
    yield* TestClock.setTime((begin + ethereum.finality + 100) * 1000)
    const receipts = [receipt(1), receipt(400)]
    const { requests, history } = yield* listing("blockscout", [row(400), row(1)], node({ receipts }))
    const posts = () => requests.filter(({ method }) => method === "POST").map(({ body }) => body)
    for (const since of [undefined, seconds(begin + 1)]) {
      const question = { address: alice, limit: 50, ...(since === undefined ? {} : { since }) }
      assert.deepStrictEqual(fees(yield* settled(history(question))), [279_040n * 36n, 279_040n * 36n])
    }
    const [first = "", second = "", ...more] = posts()
    assert.include(first, hash(1))
    assert.notInclude(second, hash(1))
    assert.include(second, hash(400), "the block may still be reorganised")
    assert.isEmpty(more)
  })

  it("use the listed gas price if an old receipt has no price and the listed price cannot be a bid", function* () {
    const old = { effectiveGasPrice: null }
    const receipts = [receipt(2, { ...old, type: "0x0" }), receipt(1, old)]
    assert.deepStrictEqual(fees(yield* readListed("blockscout", [row(2), row(1)], node({ receipts }))), [
      279_040n * 37n,
      null
    ])
  })

  it("contain the data fee on networks that are not known to charge it", function* () {
    for (const chain of [scroll, manta]) {
      const info = facts({ id: NetworkId.make(chain.name.toLowerCase().replaceAll(" ", "-")), chain })
      const receipts = [receipt(2, { l1Fee: quantity(170_758_232_110_225n) }), receipt(1)]
      const rows = [row(2), row(1, { L1FeesPaid: "7" })]
      const part = yield* readListed("etherscan", rows, node({ receipts }), info)
      assert.deepStrictEqual(fees(part), [279_040n * 36n + 170_758_232_110_225n, 279_040n * 36n])
      assert.lengthOf(part.posts, 1)
    }
  })

  it("contain other fees of a receipt on any network, and are unknown if the gas may already contain them", () => {
    const of = (more: object, dataFee?: "always" | "perhaps") => feeOf(receipt(1, more), dataFee, undefined)
    const gas = 279_040n * 36n
    assert.strictEqual(of({}), gas)
    assert.strictEqual(of({ l1Fee: "0x5" }), gas + 5n)
    assert.strictEqual(of({ l1Fee: "0x5", operatorFeeScalar: "0xf4240", operatorFeeConstant: "0x7" }), gas + 279_052n)
    assert.strictEqual(of({ l1Fee: "0x5", gasUsedForL1: "0x1" }), gas)
    assert.strictEqual(of({}, "always"), undefined)
    assert.strictEqual(of({ l1Fee: quantity(2n ** 64n) }, "always"), undefined)
    assert.strictEqual(of({ l1Fee: "0x5", tokenRatio: "0x1388" }, "perhaps"), undefined)
    assert.strictEqual(of({ type: "0x7b" }, "perhaps"), undefined)
    assert.strictEqual(of({ type: "0x7e" }, "perhaps"), 0n)
    assert.strictEqual(feeOf(receipt(1), undefined, 37n), gas)
    assert.strictEqual(feeOf(receipt(1), undefined, 35n), undefined)
  })
})

describe("deposits from the parent chain", () => {
  const free = { effectiveGasPrice: "0x0", type: "0x7e" }
  const deposit = (index: number, more: object = {}) => ({ hash: hash(index), type: "0x7e", mint: "0x5", ...more })
  const own = (more: Readonly<Record<string, string>>) => row(1, { gasPrice: "0", ...more })

  for (const [name, list, minted, type, from, to] of [
    ["to the sender itself are a Receive", { to: alice }, {}, "Receive", [], [[alice, 5n]]],
    [
      "to the sender itself bring the sent amount if a node omits the minted amount",
      { to: alice },
      { mint: undefined },
      "Receive",
      [],
      [[alice, 5n]]
    ],
    ["without a value bring the minted amount", { to: alice, value: "0" }, {}, "Receive", [], [[alice, 5n]]],
    [
      "to another account are minted and sent on",
      {},
      {},
      "Send",
      [[alice, 5n]],
      [
        [bob, 5n],
        [alice, 5n]
      ]
    ],
    [
      "without a minted amount send existing coins and are a Send",
      { to: alice },
      { mint: null },
      "Send",
      [[alice, 5n]],
      [[alice, 5n]]
    ],
    [
      "that fail still bring the coins to their sender",
      { isError: "1", txreceipt_status: "0" },
      {},
      "Send",
      [[alice, 0n]],
      [
        [bob, 0n],
        [alice, 5n]
      ]
    ]
  ] as const)
    it(name, function* () {
      const status = "isError" in list ? "0x0" : "0x1"
      const nodeData = { receipts: [receipt(1, { ...free, status })], transactions: [deposit(1, minted)] }
      for (const of of ["etherscan", "blockscout"] as const) {
        const part = yield* readListed(of, [own({ ...list, L1FeesPaid: "0" })], node(nodeData), optimism)
        const [item] = part.transactions
        const short = (all: (typeof part.transactions)[number]["from"] = []) =>
          all.map((party) => [party.address, party.amount])
        assert.deepStrictEqual([item?.type, short(item?.from), short(item?.to), item?.fee], [
          type,
          from,
          to,
          0n
        ] as unknown)
        assert.lengthOf(part.posts, 1)
      }
    })

  it("to the sender itself bring the sent amount if nodes return only the receipt", function* () {
    const rows = [own({ to: alice })]
    const part = yield* readListed("blockscout", rows, node({ receipts: [receipt(1, free)] }), optimism)
    const [element] = part.transactions
    assert.deepStrictEqual(
      [element?.type, element?.from, element?.to],
      ["Receive", [], [{ address: alice, amount: 5n }]]
    )
  })

  it("of others have the sent amount, and other transactions with a zero gas price are not deposits", function* () {
    const rows = [row(2, { gasPrice: "0", from: carol, to: alice }), row(1, { gasPrice: "0", to: alice })]
    const part = yield* readListed("etherscan", rows, node({ receipts: [receipt(1, { l1Fee: "0x0" })] }), optimism)
    assert.deepStrictEqual(
      part.transactions.map(({ from, type }) => [type, from]),
      [
        ["Receive", [{ address: carol, amount: 5n }]],
        ["Send", [{ address: alice, amount: 5n }]]
      ]
    )
  })
})

describe("balance changes without a transaction", () => {
  const nfts = "NFT transfers: etherscan has them on lists that are not read"
  const genesis = { blockNumber: "0", hash: `GENESIS_${alice.slice(2)}`, from: "GENESIS", to: alice }

  it("are not listed: genesis coins are reported as unavailable, and the history can still be stored", function* () {
    for (const given of [genesis, { ...genesis, hash: "" }]) {
      const part = yield* readListed("etherscan", [row(1), row(0, given)], () => refused, arbitrum)
      assert.deepStrictEqual(
        part.transactions.map((transaction) => transaction.hash),
        [hash(1)]
      )
      assert.deepStrictEqual(
        [part.missing, part.unavailable],
        [[], ["coins allocated in the first block, without a transaction", nfts]]
      )
    }
  })

  it("are NFT transfers on lists that are not read, on each page", function* () {
    const rows = [1, 2, 3].map((index) => row(index))
    const { history, requests } = yield* listing("etherscan", rows, () => refused, arbitrum)
    const before = { height: position(12), last: hash(2), returned: 2 }
    for (const ended of [["tokentx"], ["tokentx", "txlistinternal"], ["tokentx", "txlist"]]) {
      requests.splice(0)
      const part = yield* settled(history({ address: alice, limit: 500, before: { ...before, ended } }))
      assert.deepStrictEqual(part.unavailable, [nfts], ended.join())
      assert.notInclude(actions(requests), "tokentx")
    }
  })

  it("do not affect other rows: a row without a hash is reported as missing", function* () {
    const part = yield* readListed("etherscan", [row(1), row(2, { hash: "" })], () => refused, arbitrum)
    assert.lengthOf(part.transactions, 1)
    assert.deepStrictEqual(part.missing, ["transactions: etherscan: 1 could not be read"])
  })

  it("include movements that no list of a network contains", function* () {
    const of = (info: EvmFacts, explorer: keyof typeof explorers = "etherscan") =>
      Effect.map(
        readListed(explorer, [row(1)], () => refused, info),
        (part) => part.unavailable
      )
    assert.deepStrictEqual(yield* of(ethereum), [nfts, "beacon chain withdrawals and tips of block proposers"])
    assert.deepStrictEqual(yield* of(avalanche), [nfts, "imports from and exports to the P-Chain and the X-Chain"])
    assert.deepStrictEqual(yield* of(ethereumClassic, "blockscout"), ["rewards of miners"])
    assert.deepStrictEqual(yield* of(arbitrum), [nfts])
    // It lists NFTs among tokens.
    assert.isUndefined(yield* of(arbitrum, "blockscout"))
  })
})

describe("the fee of a transaction with blobs", () => {
  const dencun = 1_710_338_135
  const calls = (more: object = {}) => ({ value: "0", input: "0xdeadbeef", timeStamp: String(dencun + 1), ...more })
  const blobs = { type: "0x3", blobGasUsed: quantity(393_216n), blobGasPrice: quantity(1_000_000_000n) }

  it("includes the blob fee for type 3 only, and is unknown without a blob gas price", () => {
    const of = (more: object) => feeOf(receipt(1, more), undefined, undefined)
    assert.strictEqual(of(blobs), 279_040n * 36n + 393_216_000_000_000n)
    assert.strictEqual(of({ ...blobs, type: "0x2" }), 279_040n * 36n)
    assert.strictEqual(of({ ...blobs, blobGasPrice: null }), undefined)
  })

  it("is read from a receipt, because no list contains it", function* () {
    const read = Effect.fnUntraced(function* (receipts: NodeData["receipts"], more: object = {}) {
      const outside = byHost({
        "blockscout.test": explorer({ txlist: [row(1, calls(more))] }),
        "node.test": node({ receipts: receipts ?? [] })
      })
      const environment = {
        ETHEREUM_BLOCKSCOUT_URL: "http://blockscout.test",
        ETHEREUM_RPC_URLS: "http://node.test"
      }
      const { history } = yield* network(ethereum, environment, outside)
      return (yield* settled(history({ address: alice, limit: 50 }))).transactions[0]?.fee
    })
    assert.strictEqual(yield* read([receipt(1, blobs)]), 279_040n * 36n + 393_216_000_000_000n)
    assert.strictEqual(yield* read([receipt(1)]), 279_040n * 36n)
    for (const more of [{}, { value: "1" }, { input: "0x" }, { input: `0xa9059cbb${"0".repeat(192)}` }])
      assert.strictEqual(yield* read([], more), null)
  })

  it("is looked up only if the transaction may carry blobs", function* () {
    const plain = [
      row(1, calls({ timeStamp: String(dencun - 1) })),
      row(2, calls({ value: "1", input: "0x" })),
      row(3, calls({ to: "", contractAddress: carol })),
      row(4, calls({ input: `0xa9059cbb${"0".repeat(128)}` })),
      row(5, calls({ input: `0x095ea7b3${"0".repeat(128)}` })),
      row(6, calls({ input: `0x23b872dd${"0".repeat(192)}` }))
    ]
    const { history, requests } = yield* network(
      ethereum,
      { ETHERSCAN_API_KEY: "key", ETHERSCAN_URL: "http://etherscan.test", ETHEREUM_RPC_URLS: "http://node.test" },
      byHost({ "etherscan.test": explorer({ txlist: plain }), "node.test": node({}) })
    )
    const { missing, transactions } = yield* settled(history({ address: alice, limit: 50 }))
    assert.deepStrictEqual(missing as unknown, [])
    assert.isTrue(transactions.every(({ fee }) => fee === 263_316n * 37n))
    assert.isTrue(requests.every(({ url }) => url.host !== "node.test"))
  })
})
