import * as Effect from "effect/Effect"
import { position, seconds } from "../../../src/domain/units.ts"
import { token } from "../../support/chains.ts"
import { actions, explorer, type Lists, network } from "../../support/EvmHistory.ts"
import { faults } from "../../support/faults.ts"
import { byHost, json, neverResponds, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import { Base, Bsc, Ethereum, Zkevm } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const address = (index: number) => `0x${index.toString(16).padStart(40, "0")}`
const hash = (index: number) => `0x${index.toString(16).padStart(64, "0")}`
const [alice, bob, carol, usd] = [address(1), address(2), address(3), address(0xa0)]
const begin = 1_700_000_000

/** A row that is valid in every list. A block takes one second. */
const row = (index: number, block: number, more: Readonly<Record<string, string>> = {}) => ({
  hash: hash(index),
  blockNumber: String(block),
  timeStamp: String(begin + block),
  transactionIndex: "0",
  nonce: String(index),
  from: alice,
  to: bob,
  value: "5",
  input: "0x",
  contractAddress: "",
  isError: "0",
  txreceipt_status: "1",
  gasUsed: "21000",
  gasPrice: "2",
  ...more
})

const many = (count: number, from = 0) => Array.from({ length: count }, (_, index) => row(from + index, from + index))

const urls = {
  ETHERSCAN_API_KEY: "secret-key",
  ETHERSCAN_URL: "http://etherscan.test",
  ETHEREUM_BLOCKSCOUT_URL: "http://blockscout.test",
  ROUTESCAN_URL: "http://routescan.test",
  ETHEREUM_RPC_URLS: "http://node.test"
}

const ethereum = (hosts: Readonly<Record<string, (request: SentRequest) => ReturnType<typeof json>>>) =>
  network(Ethereum.info, urls, byHost(hosts))

/** The history with these lists from Etherscan and no other explorer. */
const fromEtherscan = Effect.fnUntraced(function* (
  lists: Lists,
  question: { readonly limit?: number; readonly since?: number } = {}
) {
  const { requests, history } = yield* ethereum({ "etherscan.test": explorer(lists) })
  const { limit = 50, since } = question
  const part = yield* settled(
    history({ address: alice, limit, ...(since === undefined ? {} : { since: seconds(since) }) })
  )
  return { ...part, requests, one: part.transactions[0] }
})

describe("an entry of an EVM history", () => {
  it("is a Cancel for zero coins to the sender itself, and a Send for a positive amount", function* () {
    const { transactions } = yield* fromEtherscan({
      txlist: [row(1, 2, { to: alice, value: "0" }), row(2, 1, { to: alice })]
    })
    assert.deepStrictEqual(
      transactions.map(({ from, to, type }) => [type, from, to]),
      [
        ["Cancel", [{ address: alice, amount: 0n }], [{ address: alice, amount: 0n }]],
        ["Send", [{ address: alice, amount: 5n }], [{ address: alice, amount: 5n }]]
      ]
    )
  })

  it("is a Send without a native zero for a token transfer, and has the recipient even if the transfer failed", function* () {
    const input = `0xa9059cbb${bob.slice(2).padStart(64, "0")}${"7".padStart(64, "0")}`
    const call = { to: usd, value: "0", input }
    const token = row(1, 2, { contractAddress: usd, value: "7" })
    const { transactions } = yield* fromEtherscan({
      txlist: [row(1, 2, call), row(2, 1, { ...call, isError: "1", txreceipt_status: "0" })],
      tokentx: [token]
    })
    assert.deepStrictEqual(
      transactions.map(({ fee, from, status, to, type }) => [type, status, fee, from, to]),
      [
        [
          "Send",
          "Success",
          42_000n,
          [{ address: alice, amount: 7n, token: usd }],
          [{ address: bob, amount: 7n, token: usd }]
        ],
        [
          "Send",
          "Failed",
          42_000n,
          [{ address: alice, amount: 0n, token: usd }],
          [{ address: bob, amount: 0n, token: usd }]
        ]
      ]
    )
  })

  it("is a Send for the call of a token transfer if the list of token transfers may be incomplete", function* () {
    const input = `0xa9059cbb${bob.slice(2).padStart(64, "0")}${"7".padStart(64, "0")}`
    const txlist = [row(1, 2, { to: usd, value: "0", input })]
    const typesWith = Effect.fnUntraced(function* (lists: Parameters<typeof fromEtherscan>[0]) {
      return (yield* fromEtherscan({ txlist, ...lists })).transactions.map(({ type }) => type)
    })
    const unreadable = { ...row(1, 2, { contractAddress: usd }), value: "much" }
    assert.deepStrictEqual(yield* typesWith({ tokentx: [row(2, 1, { contractAddress: usd }), unreadable] }), [
      "Send",
      "Send"
    ])
    assert.deepStrictEqual(yield* typesWith({ tokentx: refused }), ["Send"])
    assert.deepStrictEqual(yield* typesWith({}), ["Contract Call"])
  })

  it("of another sender is a Receive or a Send, and a Contract Call if the holder both receives and sends", function* () {
    const gets = (index: number, block: number) => row(index, block, { from: carol, to: alice, contractAddress: usd })
    const gives = (index: number, block: number) => row(index, block, { contractAddress: address(0xa1) })
    const { transactions } = yield* fromEtherscan({ tokentx: [gets(1, 3), gives(2, 2), gets(3, 1), gives(3, 1)] })
    assert.deepStrictEqual(
      transactions.map(({ type }) => type),
      ["Receive", "Send", "Contract Call"]
    )
  })

  it("omits internal transfers of a failed transaction, and calls that only repeat the value of another call", function* () {
    const back = { from: bob, to: alice }
    const { transactions } = yield* fromEtherscan({
      txlist: [
        row(1, 2, { input: "0x12345678", isError: "1", txreceipt_status: "0" }),
        row(2, 1, { input: "0x12345678" })
      ],
      txlistinternal: [
        row(1, 2, back),
        row(2, 1, { ...back, value: "2", type: "call" }),
        row(2, 1, { ...back, callType: "delegatecall", type: "call" }),
        row(2, 1, { ...back, isError: "1" }),
        row(2, 1, { ...back, index: "0", type: "create" })
      ]
    })
    assert.deepStrictEqual(
      transactions.map(({ from, type }) => [type, from]),
      [
        ["Contract Call", [{ address: alice, amount: 0n }]],
        [
          "Contract Call",
          [
            { address: alice, amount: 5n },
            { address: bob, amount: 2n }
          ]
        ]
      ]
    )
  })

  for (const [contract, tokens] of [
    ["0x000000000000000000000000000000000000800A", {}],
    [usd, { ethereum: [token(usd, "ethereum", 18)] }]
  ] as const)
    it(`counts a transfer of the native coin as ${contract} once, and without a native row as one`, function* () {
      const rest = { contractAddress: contract, input: "deprecated" }
      const [node, gas] = [{ input: "0x12345678" }, address(0x8001)]
      const { history } = yield* network(
        Ethereum.info,
        urls,
        byHost({
          "etherscan.test": explorer({
            txlist: [row(1, 3), row(2, 2, node)],
            txlistinternal: [row(2, 2, { from: bob, to: alice, value: "2" })],
            tokentx: [
              row(1, 3, rest),
              row(1, 3, { ...rest, to: gas, value: "9" }),
              row(1, 3, { ...rest, from: gas, to: alice, value: "1" }),
              ...["1", "2", "3"].map((logIndex) => row(2, 2, { ...rest, from: bob, to: alice, value: "2", logIndex })),
              row(2, 2, rest),
              row(3, 1, { ...rest, from: carol, to: alice }),
              row(4, 0, { ...rest, to: gas, value: "9" })
            ]
          })
        }),
        tokens
      )
      const { transactions } = yield* settled(history({ address: alice, limit: 50 }))
      assert.deepStrictEqual(
        transactions.map(({ from, to, type }) => [type, from, to]),
        [
          ["Send", [{ address: alice, amount: 5n }], [{ address: bob, amount: 5n }]],
          [
            "Contract Call",
            [
              { address: alice, amount: 5n },
              { address: bob, amount: 6n }
            ],
            [
              { address: bob, amount: 5n },
              { address: alice, amount: 6n }
            ]
          ],
          ["Receive", [{ address: carol, amount: 5n }], [{ address: alice, amount: 5n }]],
          ["Send", [{ address: alice, amount: 9n }], [{ address: gas, amount: 9n }]]
        ]
      )
    })

  it("has the coins that the wrapping contract mints and burns, which no list contains, once", function* () {
    const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"
    const zero = address(0)
    const wraps = { to: weth, input: "0xd0e30db0" }
    const unwraps = { to: weth, value: "0", input: `0x2e1a7d4d${"5".padStart(64, "0")}` }
    const back = { from: weth, to: alice }
    const { transactions } = yield* fromEtherscan({
      txlist: [
        row(1, 9, wraps),
        row(2, 8, unwraps),
        row(3, 7, { to: weth, input: "0x" }),
        row(4, 6, { ...wraps, isError: "1", txreceipt_status: "0" }),
        row(5, 5, { ...wraps, from: bob, to: alice }),
        row(6, 4, wraps)
      ],
      txlistinternal: [row(2, 8, back), row(7, 3, { from: alice, to: weth, value: "3" })],
      tokentx: [row(6, 4, { from: zero, to: alice, contractAddress: weth })]
    })
    const native = (party: string, amount = 5n) => ({ address: party, amount })
    const coin = (party: string, amount = 5n) => ({ address: party, amount, token: weth })
    assert.deepStrictEqual(
      transactions.map(({ from, to }) => [from, to]),
      [
        [
          [native(alice), coin(zero)],
          [native(weth), coin(alice)]
        ],
        [
          [native(weth), coin(alice)],
          [native(alice), coin(zero)]
        ],
        [
          [native(alice), coin(zero)],
          [native(weth), coin(alice)]
        ],
        [[native(alice, 0n)], [native(weth, 0n)]],
        [[native(bob)], [native(alice)]],
        [
          [native(alice), coin(zero)],
          [native(weth), coin(alice)]
        ],
        [
          [native(alice, 3n), coin(zero, 3n)],
          [native(weth, 3n), coin(alice, 3n)]
        ]
      ]
    )
  })

  it("has status Unknown for a lone internal transfer if no node answers", function* () {
    const { one } = yield* fromEtherscan({ txlistinternal: [row(1, 1, { from: bob, to: alice })] })
    assert.deepStrictEqual([one?.status, one?.fee, one?.type], ["Unknown", null, "Receive"])
  })

  it("without a receipt status is a Success if the explorer reports no error, and Unknown without either", function* () {
    const { transactions } = yield* fromEtherscan({
      txlist: [row(1, 2, { txreceipt_status: "" }), row(2, 1, { txreceipt_status: "", isError: "" })]
    })
    assert.deepStrictEqual(
      transactions.map(({ status }) => status),
      ["Success", "Unknown"]
    )
  })

  it("is Pending while it waits for a block, and Failed with a zero fee if it was replaced", function* () {
    const waiting = { blockNumber: "", timeStamp: "", txreceipt_status: "", isError: "", gasUsed: "" }
    const { transactions } = yield* fromEtherscan({
      txlist: [row(9, 0, waiting), row(8, 0, { ...waiting, nonce: "1" }), row(1, 2, { to: alice, value: "0" })]
    })
    assert.deepStrictEqual(
      transactions.map(({ fee, hash, status, type }) => [hash, type, status, fee]),
      [
        [hash(1), "Cancel", "Success", 42_000n],
        [hash(9), "Send", "Pending", null],
        [hash(8), "Send", "Failed", 0n]
      ]
    )
  })

  it("is a Send of tokens to the recipient while a plain transfer of them is pending", function* () {
    const waiting = { blockNumber: "", timeStamp: "", txreceipt_status: "", isError: "", gasUsed: "" }
    const word = (hex: string) => hex.padStart(64, "0")
    const read = (input: string, more: object = {}) =>
      Effect.map(
        fromEtherscan({ txlist: [row(9, 0, { ...waiting, to: usd, value: "0", input, ...more })] }),
        ({ transactions }) => transactions.map(({ from, status, to, type }) => ({ from, status, to, type }))
      )
    const transfer = `0xa9059cbb${word(bob.slice(2))}${word("2625a0")}`
    const sent = { type: "Send", status: "Pending" }
    assert.deepStrictEqual(yield* read(transfer), [
      {
        ...sent,
        from: [{ address: alice, amount: 2_500_000n, token: usd }],
        to: [{ address: bob, amount: 2_500_000n, token: usd }]
      }
    ] as never)
    const call = {
      ...sent,
      type: "Contract Call",
      from: [{ address: alice, amount: 0n }],
      to: [{ address: usd, amount: 0n }]
    }
    for (const other of [`${transfer}00`, transfer.replace(/a0$/, "zz"), transfer.replace("a9", "b9")])
      assert.deepStrictEqual(yield* read(other), [call] as never)
  })

  it("is listed while it is pending, even if it was seen before the requested start time", function* () {
    const waiting = { blockNumber: "", timeStamp: String(begin), txreceipt_status: "", isError: "" }
    const { transactions } = yield* fromEtherscan({ txlist: [row(9, 0, waiting), row(1, 5)] }, { since: begin + 5 })
    assert.deepStrictEqual(
      transactions.map(({ hash, status }) => [hash, status]),
      [
        [hash(1), "Success"],
        [hash(9), "Pending"]
      ]
    )
  })

  it("is reported as incomplete if the node does not answer, so that a later request completes it", function* () {
    const internal = { txlistinternal: [row(1, 1, { from: bob, to: alice })] }
    const query = Effect.fnUntraced(function* (node: () => ReturnType<typeof json>) {
      const { history } = yield* ethereum({ "etherscan.test": explorer(internal), "node.test": node })
      return (yield* settled(history({ address: alice, limit: 50 }))).missing
    })
    assert.match((yield* query(() => refused))[0] ?? "", /^fees and results of some transactions: ethereum-rpc/)
    assert.deepStrictEqual(yield* query(() => json({ jsonrpc: "2.0", id: 1, result: null })), [
      "fees and results of some transactions: ethereum-rpc: no node has 1 of the receipts"
    ])
  })

  it("counts a token with an id as a piece of its contract, unless that moves an amount as well", function* () {
    const received = { from: bob, to: alice, contractAddress: usd, tokenID: "7", logIndex: "3" }
    const { value: _, ...nft } = row(1, 3, received)
    const several = [row(2, 2, { ...received, value: "4" }), row(2, 2, { ...received, tokenID: "8", value: "0" })]
    const both = [row(3, 1, received), row(3, 1, { ...received, tokenID: "", logIndex: "4" })]
    const { missing, transactions } = yield* fromEtherscan({ tokentx: [nft, ...several, ...both] })
    assert.deepStrictEqual(
      transactions.map(({ status, to, type }) => [type, status, to]),
      [1n, 5n, 5n].map((amount) => ["Receive", "Success", [{ address: alice, amount, token: usd }]])
    )
    assert.notInclude(missing, "transactions whose rows contradict each other")
  })

  it("is reported as missing if its row is unreadable, without affecting other rows", function* () {
    const { missing, transactions } = yield* fromEtherscan({ txlist: [row(1, 2), { ...row(2, 1), value: "much" }] })
    assert.lengthOf(transactions, 1)
    assert.deepStrictEqual(missing, ["transactions: etherscan: 1 could not be read"])
  })

  it("is reported as missing if rows at the same position differ, and counts equal ones once", function* () {
    const call = row(1, 3, { from: bob, to: alice, traceId: "0_1" })
    const token = row(2, 2, { contractAddress: usd, logIndex: "7" })
    const own = row(3, 1)
    const lists = { txlist: [own, own], txlistinternal: [call, call], tokentx: [token, token] }
    const { missing, transactions } = yield* fromEtherscan(lists)
    assert.deepStrictEqual(
      transactions.map(({ from }) => from),
      [[{ address: bob, amount: 5n }], [{ address: alice, amount: 5n, token: usd }], [{ address: alice, amount: 5n }]]
    )
    assert.notInclude(missing, "transactions whose rows contradict each other")
    const other = yield* fromEtherscan({
      txlist: [own, { ...own, value: "9" }],
      txlistinternal: [call, { ...call, value: "9" }],
      tokentx: [token, { ...token, to: bob, value: "9" }]
    })
    assert.deepStrictEqual([other.transactions, other.missing], [[], ["transactions whose rows contradict each other"]])
  })

  it("is provisional if an explorer that lists its fee fails, and not if it does not serve the network", function* () {
    const lists = { tokentx: [row(1, 1, { contractAddress: usd })] }
    const read = Effect.fnUntraced(function* (etherscan: (request: SentRequest) => Reply) {
      const { history } = yield* ethereum({ "etherscan.test": etherscan, "blockscout.test": explorer(lists) })
      const { provisional, transactions } = yield* settled(history({ address: alice, limit: 50 }))
      return [transactions.map(({ fee }) => fee), provisional]
    })
    assert.deepStrictEqual(yield* read(explorer(lists)), [[42_000n], false])
    assert.deepStrictEqual(yield* read(() => refused), [[null], true])
    const notServed = { status: "0", message: "NOTOK", result: "Please upgrade your api plan" }
    assert.deepStrictEqual(yield* read(() => json(notServed)), [[null], false])
  })

  it("is reported as missing if its rows are in different blocks", function* () {
    const token = row(1, 3, { contractAddress: usd })
    const mined = row(3, 4)
    const { missing, transactions } = yield* fromEtherscan({
      txlist: [mined, { ...mined, blockNumber: "" }, row(1, 2), row(2, 1)],
      tokentx: [token]
    })
    assert.deepStrictEqual(
      transactions.map((transaction) => transaction.hash),
      [hash(3), hash(2)]
    )
    assert.deepStrictEqual(missing, ["transactions whose rows contradict each other"])
  })
})

describe("the lists of an EVM history", () => {
  it("take one call each for a small address, and for a large address up to the limit", function* () {
    const small = yield* fromEtherscan({ txlist: many(3) })
    assert.deepStrictEqual([small.more, actions(small.requests)], [false, ["txlist", "txlistinternal", "tokentx"]])
    const large = yield* fromEtherscan({ txlist: many(5_000) })
    assert.deepStrictEqual([large.more, large.transactions.length, large.requests.length], [true, 50, 3])
    const most = yield* fromEtherscan({ txlist: many(5_000) }, { limit: 500 })
    assert.deepStrictEqual([most.more, most.transactions.length, most.requests.length], [true, 500, 3])
    assert.deepStrictEqual(most.transactions[499]?.hash, hash(4_500))
  })

  it("are read on if they do not reach as far back as the others, so that the history has no gap", function* () {
    // A page of 100 token rows covers five transactions.
    const tokens = Array.from({ length: 400 }, (_, index) =>
      row(10_000 + Math.floor(index / 20), 120 + Math.floor(index / 20) * 2, { contractAddress: usd })
    )
    const own = many(160)
    const part = yield* fromEtherscan({ txlist: own, tokentx: tokens }, { limit: 50 })
    const newest = [...own, ...new Map(tokens.map((token) => [token.hash, token])).values()]
      .sort((a, b) => Number(b.blockNumber) - Number(a.blockNumber))
      .slice(0, 50)
    assert.deepStrictEqual(new Set(part.transactions.map((transaction) => transaction.hash)).size, 50)
    assert.deepStrictEqual(
      part.transactions.map((transaction) => transaction.timestamp),
      newest.map((listed) => seconds(Number(listed.timeStamp)))
    )
    assert.isTrue(part.more)
    const [first, second, third, ...further] = actions(part.requests)
    assert.deepStrictEqual([first, second, third], ["txlist", "txlistinternal", "tokentx"])
    assert.isTrue(further.length > 0 && further.every((action) => action === "tokentx"))
  })

  it("are read by page number if a block has more rows than a page", function* () {
    const drop = Array.from({ length: 250 }, (_, index) => row(index, 100))
    const part = yield* fromEtherscan(
      { txlist: [...drop, ...many(5).map((listed, index) => ({ ...listed, hash: hash(900 + index) }))] },
      { limit: 500 }
    )
    assert.deepStrictEqual([part.transactions.length, part.more], [255, false])
    const few = yield* fromEtherscan({ txlist: [...drop, ...many(99)] }, { limit: 20 })
    assert.deepStrictEqual([few.transactions.length, few.more], [20, true])
  })

  it("are requested again with smaller pages if a page is too large", function* () {
    const large = text(`[${"0".repeat(17 * 1024 * 1024)}]`)
    const sizes: Array<string | null> = []
    /** Returns rows that are so large that a page has room for ten rows. */
    const small =
      (lists: Lists) =>
      (request: SentRequest): Reply => {
        const size = request.url.searchParams.get("offset")
        if (request.url.searchParams.get("action") === "txlist") sizes.push(size)
        return Number(size) > 10 && request.url.searchParams.get("action") === "txlist"
          ? large
          : explorer(lists)(request)
      }
    const drop = Array.from({ length: 33 }, (_, index) => row(index, 100))
    const own = [...drop, ...many(25).map((listed, index) => ({ ...listed, hash: hash(900 + index) }))]
    const { history } = yield* ethereum({ "etherscan.test": small({ txlist: own }) })
    const part = yield* settled(history({ address: alice, limit: 500 }))
    assert.deepStrictEqual(
      part.transactions.map((transaction) => transaction.hash).sort(),
      own.map((transaction) => transaction.hash).sort()
    )
    assert.deepStrictEqual([part.more, part.missing, part.sources] as unknown, [false, [], ["etherscan"]])
    assert.deepStrictEqual(sizes.slice(0, 4), ["600", "60", "6", "6"])
  })

  it("end at the requested start time, and no more rows are reported before it", function* () {
    const part = yield* fromEtherscan({ txlist: many(5_000) }, { limit: 500, since: begin + 4_900 })
    assert.deepStrictEqual([part.transactions.length, part.more, part.requests.length], [100, false, 3])
    const longer = yield* fromEtherscan({ txlist: many(5_000) }, { limit: 500, since: begin + 3_000 })
    assert.deepStrictEqual([longer.transactions.length, longer.more], [500, true])
    const tokens = Array.from({ length: 300 }, (_, index) => row(index, 1_000, { contractAddress: usd }))
    const all = yield* fromEtherscan({ txlist: many(900), tokentx: tokens }, { limit: 50, since: begin + 1_000 })
    assert.deepStrictEqual([all.transactions.length, all.more], [50, true])
  })

  it("are read from the next source if a source reports an error with an empty list", function* () {
    const wrong = json({ status: "0", message: "Something went wrong.", result: [] })
    const { history } = yield* ethereum({
      "etherscan.test": () => wrong,
      "blockscout.test": explorer({ txlist: [row(1, 1)] })
    })
    const part = yield* settled(history({ address: alice, limit: 50 }))
    assert.deepStrictEqual([part.transactions.length, part.sources], [1, ["ethereum-blockscout"]])
  })

  it("are read from the next source if a source ignores the requested order", function* () {
    const ascending = () => json({ status: "1", message: "OK", result: many(3) })
    const { history } = yield* ethereum({
      "etherscan.test": ascending,
      "blockscout.test": explorer({ txlist: many(3) })
    })
    const part = yield* settled(history({ address: alice, limit: 50 }))
    assert.deepStrictEqual([part.sources, part.transactions.length], [["ethereum-blockscout"], 3])
  })

  it("are named as missing if they cannot be read, and the other lists are returned", function* () {
    const failing = text("<html>down</html>", { status: 502 })
    const part = yield* fromEtherscan({ txlist: many(3), txlistinternal: failing })
    assert.strictEqual(part.transactions.length, 3)
    assert.lengthOf(part.missing, 1)
    assert.match(part.missing[0] ?? "", /^internal transfers: /)
  })

  it("end before a page that fails, and report it", function* () {
    const answer = explorer({
      tokentx: Array.from({ length: 500 }, (_, i) =>
        row(Math.floor(i / 10), Math.floor(i / 10), { contractAddress: usd })
      )
    })
    let requested = 0
    const { history } = yield* ethereum({
      "etherscan.test": (one) =>
        one.url.searchParams.get("action") === "tokentx" && requested++ > 0 ? json({}, { status: 500 }) : answer(one)
    })
    const part = yield* settled(history({ address: alice, limit: 50 }))
    assert.deepStrictEqual([part.transactions.length, part.more], [14, true])
    assert.match(part.missing.join(), /^older token transfers: /)
  })

  it("fall back to the next source independently of each other", function* () {
    const { history } = yield* ethereum({
      "etherscan.test": (one) =>
        one.url.searchParams.get("action") === "tokentx"
          ? json({
              status: "0",
              message: "NOTOK",
              result: "Max daily rate limit reached. 110000 (100%) of 100000 day/limit"
            })
          : explorer({ txlist: many(3) })(one),
      "blockscout.test": () => json({ message: "payment required" }, { status: 402 }),
      "routescan.test": explorer({ tokentx: [row(77, 10, { contractAddress: usd })] })
    })
    const part = yield* settled(history({ address: alice, limit: 50 }))
    assert.deepStrictEqual(
      [part.sources, part.missing, part.transactions.map((one) => one.hash)],
      [["etherscan", "routescan"], [], [hash(77), hash(2), hash(1), hash(0)]]
    )
  })

  for (const [what, reply, reason] of [
    ...Object.entries(faults).map(([fault, [reply, reason]]) => [fault, reply, reason] as const),
    [
      "reports an error with HTTP 200",
      json({ status: "0", message: "NOTOK", result: "Query Timeout occured" }),
      "timeout"
    ]
  ] as const)
    it(`fail with the matching reason if every source ${what}`, function* () {
      const all = () => reply
      const { history } = yield* ethereum({ "etherscan.test": all, "blockscout.test": all, "routescan.test": all })
      const failure = yield* settled(Effect.flip(history({ address: alice, limit: 50 })))
      assert.strictEqual(failure.reason, reason)
      assert.notMatch(failure.message, /http|secret|test/)
    })

  it("contain the rows that were read before the deadline", function* () {
    const { history } = yield* network(
      Ethereum.info,
      { ...urls, REQUEST_DEADLINE_MS: "1000" },
      byHost({
        "etherscan.test": (one) =>
          one.url.searchParams.get("action") === "txlist" ? explorer({ txlist: many(3) })(one) : neverResponds
      })
    )
    const part = yield* settled(history({ address: alice, limit: 50 }), "100 millis")
    assert.deepStrictEqual(
      [part.transactions.length, part.missing],
      [3, ["internal transfers: timed out", "token transfers: timed out"]]
    )
  })
})

describe("EVM networks without a source of transactions", () => {
  it("return the reason `sunset` if they were shut down, unless the operator configures a Blockscout", function* () {
    const none = yield* network(Zkevm.info, { ETHERSCAN_API_KEY: "k", BLOCKSCOUT_API_KEY: "k" }, () => refused)
    const failure = yield* Effect.flip(none.history({ address: alice, limit: 50 }))
    assert.deepStrictEqual([failure.reason, none.requests.length], ["sunset", 0])
    const own = yield* network(Zkevm.info, { ZKEVM_BLOCKSCOUT_URL: "http://own.test" }, explorer({ txlist: many(2) }))
    assert.lengthOf((yield* settled(own.history({ address: alice, limit: 50 }))).transactions, 2)
  })

  it("name the missing variables if every source needs a key", function* () {
    const none = yield* network(Bsc.info, {}, () => refused)
    assert.deepStrictEqual(yield* Effect.flip(none.history({ address: alice, limit: 50 })), {
      reason: "not_configured",
      message: "BNB Smart Chain has no source of transactions: set ETHERSCAN_API_KEY or BSC_BLOCKSCOUT_URL"
    })
  })

  it("use Blockscout's PRO API if its key is set, and the key is sent to no other host", function* () {
    const { abilities, requests, history } = yield* network(
      Base.info,
      { BLOCKSCOUT_API_KEY: "proapi_secret" },
      explorer({ txlist: [row(1, 1, { from: carol, to: alice })] })
    )
    yield* settled(history({ address: alice, limit: 50 }))
    assert.deepStrictEqual(
      requests.map(({ url }) => [url.host, url.pathname, url.searchParams.get("apikey")]),
      Array.from({ length: 3 }, () => ["api.blockscout.com", "/8453/api", "proapi_secret"])
    )
    const { history: served } = yield* abilities
    assert.deepStrictEqual(JSON.parse(JSON.stringify(served)).right, ["base-blockscout"])
  })
})

describe("a list that only one explorer returns", () => {
  for (const host of ["etherscan", "blockscout", "routescan"])
    it(`has the rows of all lists of ${host}, also the oldest ones`, function* () {
      const lists = {
        txlist: [row(5, 9), row(1, 4)],
        txlistinternal: [row(4, 8, { from: carol, to: alice, value: "4" })],
        tokentx: [row(3, 7, { contractAddress: usd }), row(2, 6, { contractAddress: usd })]
      }
      const { history } = yield* ethereum({ [`${host}.test`]: explorer(lists) })
      const { transactions } = yield* settled(history({ address: alice, limit: 50 }))
      assert.sameMembers(
        transactions.map((transaction) => transaction.hash),
        [1, 2, 3, 4, 5].map(hash)
      )
    })
})

describe("an implausible row from an explorer", () => {
  const missingRows = (count: number) => [`transactions: etherscan: ${count} could not be read`]
  const good = row(1, 9)

  for (const [name, more] of [
    ["of other accounts", { from: carol, to: bob }],
    ["with a malformed hash", { hash: "\ufffd".repeat(66) }],
    ["with a hash that is too long", { hash: `${hash(7)}00` }],
    ["with more coins than the supply", { value: String(2n ** 128n + 1n) }],
    ["with an amount of 90 digits", { value: "9".repeat(90) }],
    ["in a block without a time", { timeStamp: "" }],
    ["in a block that no network has", { blockNumber: String(2n ** 64n) }],
    ["at a time of 90 digits", { timeStamp: "9".repeat(90) }],
    ["at a position that no block has", { transactionIndex: "65536" }],
    ["without a nonce", { nonce: "" }],
    ["with a nonce that no account has", { nonce: String(2n ** 64n) }],
    ["without a recipient or a new contract", { to: "", contractAddress: "" }]
  ] as const)
    it(`${name} is omitted and reported as missing`, function* () {
      const { missing, transactions } = yield* fromEtherscan({ txlist: [good, row(2, 8, more)] })
      assert.deepStrictEqual(
        transactions.map((transaction) => transaction.hash),
        [hash(1)]
      )
      assert.deepStrictEqual(missing, missingRows(1))
    })

  it("leads to the next explorer if the list contains no other rows", function* () {
    const strangers = { txlist: [row(1, 9, { from: carol, to: bob })] }
    const { history } = yield* ethereum({
      "etherscan.test": explorer(strangers),
      "blockscout.test": explorer({ txlist: [good] }),
      "node.test": () => refused
    })
    const { sources, transactions } = yield* settled(history({ address: alice, limit: 50 }))
    assert.deepStrictEqual(
      transactions.map((transaction) => transaction.hash),
      [hash(1)]
    )
    assert.include(sources, "ethereum-blockscout")
  })

  it("is not the creation of a contract, which has its creator and the contract as parties", function* () {
    const made = row(1, 9, { from: carol, to: "", contractAddress: alice.toUpperCase().replace("0X", "0x") })
    assert.strictEqual((yield* fromEtherscan({ txlist: [made] })).transactions.length, 1)
  })

  it("is omitted if its token amount exceeds 256 bits", function* () {
    const token = (value: bigint) => row(2, 8, { contractAddress: usd, value: String(value) })
    const most = yield* fromEtherscan({ txlist: [good], tokentx: [token(2n ** 256n - 1n)] })
    assert.strictEqual(most.transactions[1]?.to[0]?.amount, 2n ** 256n - 1n)
    const beyond = yield* fromEtherscan({ txlist: [good], tokentx: [good, token(2n ** 256n)] })
    assert.deepStrictEqual(beyond.missing, ["token transfers: etherscan: 1 could not be read"])
  })

  it("has an unknown fee if the fee exceeds the coin supply", function* () {
    const huge = { gasUsed: "9".repeat(30), gasPrice: "9".repeat(30) }
    assert.isNull((yield* fromEtherscan({ txlist: [row(1, 9, huge)] })).transactions[0]?.fee)
  })

  for (const [list, parties] of [
    ["txlist", {}],
    ["txlist", { from: carol, to: alice }],
    ["tokentx", { from: carol, to: alice, contractAddress: usd }]
  ] as const)
    for (const part of ["gasUsed", "gasPrice"])
      it(`of ${list} has an unknown fee with a reason if ${part} is impossible, even ${JSON.stringify(parties)}`, function* () {
        const odd = row(1, 9, { value: "4", ...parties, [part]: String(2n ** 64n) })
        const { missing, transactions } = yield* fromEtherscan({ [list]: [odd] })
        assert.deepStrictEqual(
          transactions.map(({ fee, hash }) => [fee, hash]),
          [[null, hash(1)]]
        )
        assert.match(missing.join(), /^fees and results of some transactions: /)
      })

  it("is counted once if the position of its call or event is repeated", function* () {
    const inside = (traceId: string) => row(1, 9, { from: carol, to: alice, value: "4", traceId })
    const token = (more: Readonly<Record<string, string>>) =>
      row(2, 8, { from: carol, to: alice, contractAddress: usd, value: "3", ...more })
    const { transactions } = yield* fromEtherscan({
      txlistinternal: [inside("0_1"), inside("0_1"), inside("0_2")],
      tokentx: [token({ logIndex: "7" }), token({ logIndex: "7" }), token({ logIndex: "8" })]
    })
    assert.deepStrictEqual(
      transactions.map(({ to }) => to[0]?.amount),
      [8n, 6n]
    )
    // Equal rows from Etherscan have no position and may be separate transfers, so each of them counts.
    const same = yield* fromEtherscan({ tokentx: [token({}), token({})] })
    assert.strictEqual(same.transactions[0]?.to[0]?.amount, 6n)
  })

  it("has the status of its receipt if the explorer reports another status", function* () {
    const receipt = (status: string) => ({
      transactionHash: hash(1),
      blockNumber: "0x9",
      transactionIndex: "0x0",
      status,
      gasUsed: "0x5208",
      effectiveGasPrice: "0x2"
    })
    const failed = row(1, 9, { isError: "1", txreceipt_status: "0" })
    for (const [listed, status, expected] of [
      [failed, "0x1", "Success"],
      [good, "0x0", "Failed"],
      [good, "0x2", "Unknown"],
      [good, "0xff", "Unknown"]
    ] as const) {
      const { history } = yield* ethereum({
        "blockscout.test": explorer({ txlist: [listed] }),
        "node.test": (request) => {
          const calls = JSON.parse(request.body) as unknown
          const answer = ({ id }: { readonly id: unknown }) => ({ jsonrpc: "2.0", id, result: receipt(status) })
          return json(Array.isArray(calls) ? calls.map(answer) : answer(calls as { readonly id: unknown }))
        }
      })
      const { transactions } = yield* settled(history({ address: alice, limit: 50 }))
      assert.strictEqual(transactions[0]?.status, expected)
    }
  })

  it("reports the lists that it read to their end, and does not read them again for later pages", function* () {
    const lists = { txlist: many(250, 1), tokentx: [row(300, 240, { contractAddress: usd })] }
    const { history, requests } = yield* ethereum({ "etherscan.test": explorer(lists) })
    const first = yield* settled(history({ address: alice, limit: 50 }))
    assert.deepStrictEqual(
      first.ended,
      new Map([
        ["txlistinternal", position(Number.POSITIVE_INFINITY)],
        ["tokentx", position(240)]
      ])
    )
    const calls = requests.length
    const before = { height: position(200), last: hash(200), returned: 51, ended: ["tokentx", "txlistinternal"] }
    const next = yield* settled(history({ address: alice, limit: 50, before }))
    assert.deepStrictEqual(actions(requests.slice(calls)), ["txlist"])
    assert.deepStrictEqual([next.transactions.length, next.more, next.missing], [50, true, []])
  })
})
