import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { actions, explorer, type Lists, network } from "../../../support/EvmHistory.ts"
import { byHost, hang, json, type Reply, refused, type SentRequest, text } from "../../../support/http.ts"
import { Base, Bsc, Ethereum, Zkevm } from "../../../support/networks.ts"
import { settled } from "../../../support/settled.ts"

const address = (index: number) => `0x${index.toString(16).padStart(40, "0")}`
const hash = (index: number) => `0x${index.toString(16).padStart(64, "0")}`
const [alice, bob, carol, usd] = [address(1), address(2), address(3), address(0xa0)]
const begin = 1_700_000_000

/** A row of every list; each block is a second. */
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

/** Etherscan alone has these lists. */
const told = (lists: Lists, question: { readonly limit?: number; readonly since?: number } = {}) =>
  Effect.gen(function* () {
    const { requests, history } = yield* ethereum({ "etherscan.test": explorer(lists) })
    const part = yield* settled(history({ address: alice, limit: 50, ...question }))
    return { ...part, requests, one: part.transactions[0] }
  })

describe("one entry of an EVM network", () => {
  it.effect("nothing to oneself is a Cancel, something to oneself a Send", () =>
    Effect.gen(function* () {
      const { transactions } = yield* told({ txlist: [row(1, 2, { to: alice, value: "0" }), row(2, 1, { to: alice })] })
      assert.deepStrictEqual(
        transactions.map(({ from, to, type }) => [type, from, to]),
        [
          ["Cancel", [{ address: alice, amount: 0n }], [{ address: alice, amount: 0n }]],
          ["Send", [{ address: alice, amount: 5n }], [{ address: alice, amount: 5n }]]
        ]
      )
    })
  )

  it.effect(
    "a plain transfer of a token is a Send without a native zero; one that failed shows whom it concerned",
    () =>
      Effect.gen(function* () {
        const input = `0xa9059cbb${bob.slice(2).padStart(64, "0")}${"7".padStart(64, "0")}`
        const call = { to: usd, value: "0", input }
        const token = row(1, 2, { contractAddress: usd, value: "7" })
        const { transactions } = yield* told({
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
  )

  it.effect("other people's transactions are what the holder gets or gives, and both is a Contract Call", () =>
    Effect.gen(function* () {
      const gets = (index: number, block: number) => row(index, block, { from: carol, to: alice, contractAddress: usd })
      const gives = (index: number, block: number) => row(index, block, { contractAddress: address(0xa1) })
      const { transactions } = yield* told({ tokentx: [gets(1, 3), gives(2, 2), gets(3, 1), gives(3, 1)] })
      assert.deepStrictEqual(
        transactions.map(({ type }) => type),
        ["Receive", "Send", "Contract Call"]
      )
    })
  )

  it.effect(
    "internal transfers of a failed transaction move nothing, nor does a call that repeats another's value",
    () =>
      Effect.gen(function* () {
        const back = { from: bob, to: alice }
        const { transactions } = yield* told({
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
  )

  it.effect("without a node it is unknown how the transaction of a mere internal transfer ended", () =>
    Effect.gen(function* () {
      const { one } = yield* told({ txlistinternal: [row(1, 1, { from: bob, to: alice })] })
      assert.deepStrictEqual([one?.status, one?.fee, one?.type], ["Unknown", null, "Receive"])
    })
  )

  it.effect(
    "what has no status of before Byzantium succeeded, as the explorer ran it; without a word it is unknown",
    () =>
      Effect.gen(function* () {
        const { transactions } = yield* told({
          txlist: [row(1, 2, { txreceipt_status: "" }), row(2, 1, { txreceipt_status: "", isError: "" })]
        })
        assert.deepStrictEqual(
          transactions.map(({ status }) => status),
          ["Success", "Unknown"]
        )
      })
  )

  it.effect("what waits for a block is first and pending; what was replaced failed and cost nothing", () =>
    Effect.gen(function* () {
      const waiting = { blockNumber: "", timeStamp: "", txreceipt_status: "", isError: "", gasUsed: "" }
      const { transactions } = yield* told({
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
  )

  it.effect("what waits is told whatever it was asked since, also where it has been seen before that", () =>
    Effect.gen(function* () {
      const waiting = { blockNumber: "", timeStamp: String(begin), txreceipt_status: "", isError: "" }
      const { transactions } = yield* told({ txlist: [row(9, 0, waiting), row(1, 5)] }, { since: begin + 5 })
      assert.deepStrictEqual(
        transactions.map(({ hash, status }) => [hash, status]),
        [
          [hash(1), "Success"],
          [hash(9), "Pending"]
        ]
      )
    })
  )

  it.effect("a node that does not answer is said, so that what only it knows is asked for again", () =>
    Effect.gen(function* () {
      const internal = { txlistinternal: [row(1, 1, { from: bob, to: alice })] }
      const ask = (node: () => ReturnType<typeof json>) =>
        Effect.gen(function* () {
          const { history } = yield* ethereum({ "etherscan.test": explorer(internal), "node.test": node })
          return (yield* settled(history({ address: alice, limit: 50 }))).missing
        })
      assert.match((yield* ask(() => refused))[0] ?? "", /^fees and results of some transactions: ethereum-rpc/)
      assert.deepStrictEqual(yield* ask(() => json({ jsonrpc: "2.0", id: 1, result: null })), [])
    })
  )

  it.effect("tokens with an id are no amounts", () =>
    Effect.gen(function* () {
      const { value: _, ...nft } = row(1, 1, { contractAddress: usd, tokenID: "7" })
      assert.deepStrictEqual((yield* told({ tokentx: [nft] })).transactions, [])
    })
  )

  it.effect("a row that is not understood is told as missing and costs the others nothing", () =>
    Effect.gen(function* () {
      const { missing, transactions } = yield* told({ txlist: [row(1, 2), { ...row(2, 1), value: "much" }] })
      assert.lengthOf(transactions, 1)
      assert.deepStrictEqual(missing, ["transactions: etherscan: 1 could not be read"])
    })
  )
})

describe("the lists of an EVM network", () => {
  it.effect("a small address takes one call a list, and so does a large one at a small limit", () =>
    Effect.gen(function* () {
      const small = yield* told({ txlist: many(3) })
      assert.deepStrictEqual([small.more, actions(small.requests)], [false, ["txlist", "txlistinternal", "tokentx"]])
      const large = yield* told({ txlist: many(5_000) })
      assert.deepStrictEqual([large.more, large.transactions.length, large.requests.length], [true, 50, 3])
      const most = yield* told({ txlist: many(5_000) }, { limit: 500 })
      assert.deepStrictEqual([most.more, most.transactions.length, most.requests.length], [true, 500, 3])
      assert.deepStrictEqual(most.transactions[499]?.hash, hash(4_500))
    })
  )

  it.effect("of lists that are cut off elsewhere nothing is told that may have a gap", () =>
    Effect.gen(function* () {
      // A page of a hundred rows of tokens is of five transactions.
      const tokens = Array.from({ length: 400 }, (_, index) =>
        row(10_000 + Math.floor(index / 20), 120 + Math.floor(index / 20) * 2, { contractAddress: usd })
      )
      const own = many(160)
      const part = yield* told({ txlist: own, tokentx: tokens }, { limit: 50 })
      const newest = [...own, ...new Map(tokens.map((token) => [token.hash, token])).values()]
        .sort((a, b) => Number(b.blockNumber) - Number(a.blockNumber))
        .slice(0, 50)
      assert.deepStrictEqual(new Set(part.transactions.map((transaction) => transaction.hash)).size, 50)
      assert.deepStrictEqual(
        part.transactions.map((item) => item.timestamp),
        newest.map((element) => Number(element.timeStamp))
      )
      assert.isTrue(part.more)
      const [first, second, third, ...further] = actions(part.requests)
      assert.deepStrictEqual([first, second, third], ["txlist", "txlistinternal", "tokentx"])
      assert.isTrue(further.length > 0 && further.every((action) => action === "tokentx"))
    })
  )

  it.effect("more than a page in one block is asked for by pages", () =>
    Effect.gen(function* () {
      const drop = Array.from({ length: 250 }, (_, index) => row(index, 100))
      const part = yield* told(
        { txlist: [...drop, ...many(5).map((current, index) => ({ ...current, hash: hash(900 + index) }))] },
        { limit: 500 }
      )
      assert.deepStrictEqual([part.transactions.length, part.more], [255, false])
      const few = yield* told({ txlist: [...drop, ...many(99)] }, { limit: 20 })
      assert.deepStrictEqual([few.transactions.length, few.more], [20, true])
    })
  )

  it.effect("a page that is too large is requested again as a smaller one", () =>
    Effect.gen(function* () {
      const large = text(`[${"0".repeat(17 * 1024 * 1024)}]`)
      const sizes: Array<string | null> = []
      /** Rows of so much data that a page has room for ten of them. */
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
      const own = [...drop, ...many(25).map((current, index) => ({ ...current, hash: hash(900 + index) }))]
      const { history } = yield* ethereum({ "etherscan.test": small({ txlist: own }) })
      const part = yield* settled(history({ address: alice, limit: 500 }))
      assert.deepStrictEqual(
        part.transactions.map((transaction) => transaction.hash).sort(),
        own.map((transaction) => transaction.hash).sort()
      )
      assert.deepStrictEqual([part.more, part.missing, part.sources] as unknown, [false, [], ["etherscan"]])
      assert.deepStrictEqual(sizes.slice(0, 4), ["1000", "100", "10", "10"])
    })
  )

  it.effect("asked since a time, it stops there and says that nothing is missing before", () =>
    Effect.gen(function* () {
      const part = yield* told({ txlist: many(5_000) }, { limit: 500, since: begin + 4_900 })
      assert.deepStrictEqual([part.transactions.length, part.more, part.requests.length], [100, false, 3])
      const longer = yield* told({ txlist: many(5_000) }, { limit: 500, since: begin + 3_000 })
      assert.deepStrictEqual([longer.transactions.length, longer.more], [500, true])
      const tokens = Array.from({ length: 300 }, (_, index) => row(index, 1_000, { contractAddress: usd }))
      const all = yield* told({ txlist: many(900), tokentx: tokens }, { limit: 50, since: begin + 1_000 })
      assert.deepStrictEqual([all.transactions.length, all.more], [50, true])
    })
  )

  it.effect("an empty list is only one where the source does not say that something went wrong", () =>
    Effect.gen(function* () {
      const wrong = json({ status: "0", message: "Something went wrong.", result: [] })
      const { history } = yield* ethereum({
        "etherscan.test": () => wrong,
        "blockscout.test": explorer({ txlist: [row(1, 1)] })
      })
      const part = yield* settled(history({ address: alice, limit: 50 }))
      assert.deepStrictEqual([part.transactions.length, part.sources], [1, ["ethereum-blockscout"]])
    })
  )

  it.effect("a source that ignores what it is asked for is not believed", () =>
    Effect.gen(function* () {
      const ascending = () => json({ status: "1", message: "OK", result: many(3) })
      const { history } = yield* ethereum({
        "etherscan.test": ascending,
        "blockscout.test": explorer({ txlist: many(3) })
      })
      const part = yield* settled(history({ address: alice, limit: 50 }))
      assert.deepStrictEqual([part.sources, part.transactions.length], [["ethereum-blockscout"], 3])
    })
  )

  it.effect("one list that cannot be had is named, and the rest is told", () =>
    Effect.gen(function* () {
      const failing = text("<html>down</html>", { status: 502 })
      const part = yield* told({ txlist: many(3), txlistinternal: failing })
      assert.strictEqual(part.transactions.length, 3)
      assert.lengthOf(part.missing, 1)
      assert.match(part.missing[0] ?? "", /^internal transfers: /)
    })
  )

  it.effect("what fails amid the pages ends the list there, and says so", () =>
    Effect.gen(function* () {
      const answer = explorer({
        tokentx: Array.from({ length: 500 }, (_, i) => row(Math.floor(i / 10), i, { contractAddress: usd }))
      })
      let asked = 0
      const { history } = yield* ethereum({
        "etherscan.test": (one) =>
          one.url.searchParams.get("action") === "tokentx" && asked++ > 0 ? json({}, { status: 500 }) : answer(one)
      })
      const part = yield* settled(history({ address: alice, limit: 50 }))
      assert.deepStrictEqual([part.transactions.length, part.more], [10, true])
      assert.match(part.missing.join(), /^older token transfers: /)
    })
  )

  it.effect("each source takes over where the one before fails, for its list alone", () =>
    Effect.gen(function* () {
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
  )

  for (const [what, reply, reason] of [
    ["429", json({}, { status: 429 }), "rate_limited"],
    ["an HTML page", text("<html></html>"), "bad_answer"],
    ["no connection", refused, "upstream_error"],
    ["no answer", hang, "timeout"],
    ["a refusal with 200", json({ status: "0", message: "NOTOK", result: "Query Timeout occured" }), "timeout"]
  ] as const)
    it.effect(`nothing at all (${what}) is a failure with its reason`, () =>
      Effect.gen(function* () {
        const all = () => reply
        const { history } = yield* ethereum({ "etherscan.test": all, "blockscout.test": all, "routescan.test": all })
        const failure = yield* settled(Effect.flip(history({ address: alice, limit: 50 })))
        assert.strictEqual(failure.reason, reason)
        assert.notMatch(failure.message, /http|secret|test/)
      })
    )

  it.effect("what is there before the deadline is told", () =>
    Effect.gen(function* () {
      const { history } = yield* network(
        Ethereum.info,
        { ...urls, REQUEST_DEADLINE_MS: "1000" },
        byHost({
          "etherscan.test": (one) =>
            one.url.searchParams.get("action") === "txlist" ? explorer({ txlist: many(3) })(one) : hang
        })
      )
      const part = yield* settled(history({ address: alice, limit: 50 }), "100 millis")
      assert.deepStrictEqual(
        [part.transactions.length, part.missing],
        [3, ["internal transfers: timed out", "token transfers: timed out"]]
      )
    })
  )
})

describe("networks without a source", () => {
  it.effect("one that was shut down says so at once, unless the operator has a Blockscout of it", () =>
    Effect.gen(function* () {
      const none = yield* network(Zkevm.info, { ETHERSCAN_API_KEY: "k", BLOCKSCOUT_API_KEY: "k" }, () => refused)
      const failure = yield* Effect.flip(none.history({ address: alice, limit: 50 }))
      assert.deepStrictEqual([failure.reason, none.requests.length], ["sunset", 0])
      const own = yield* network(Zkevm.info, { ZKEVM_BLOCKSCOUT_URL: "http://own.test" }, explorer({ txlist: many(2) }))
      assert.lengthOf((yield* settled(own.history({ address: alice, limit: 50 }))).transactions, 2)
    })
  )

  it.effect("one that nobody serves without a key names the variables", () =>
    Effect.gen(function* () {
      const none = yield* network(Bsc.info, {}, () => refused)
      assert.deepStrictEqual(yield* Effect.flip(none.history({ address: alice, limit: 50 })), {
        reason: "not_configured",
        message: "BNB Smart Chain has no source of transactions: set ETHERSCAN_API_KEY or BSC_BLOCKSCOUT_URL"
      })
    })
  )

  it.effect(
    "a key of Blockscout opens its PRO API, which is named with the network, and the key goes nowhere else",
    () =>
      Effect.gen(function* () {
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
  )
})

describe("what explorers list and cannot be so", () => {
  const said = (count: number) => [`transactions: etherscan: ${count} could not be read`]
  const good = row(1, 9)

  for (const [name, more] of [
    ["of others", { from: carol, to: bob }],
    ["with a hash that is none", { hash: "\ufffd".repeat(66) }],
    ["with a hash that is too long", { hash: `${hash(7)}00` }],
    ["with more than there is", { value: String(2n ** 128n + 1n) }],
    ["with more digits than any amount", { value: "9".repeat(90) }]
  ] as const)
    it.effect(`a row ${name} is left out, and the answer says so`, () =>
      Effect.gen(function* () {
        const { missing, transactions } = yield* told({ txlist: [good, row(2, 8, more)] })
        assert.deepStrictEqual(
          transactions.map((transaction) => transaction.hash),
          [hash(1)]
        )
        assert.deepStrictEqual(missing, said(1))
      })
    )

  it.effect("a list of others alone is no answer: the next explorer is asked", () =>
    Effect.gen(function* () {
      const strangers = { txlist: [row(1, 9, { from: carol, to: bob })] }
      const { history } = yield* ethereum({
        "etherscan.test": explorer(strangers),
        "blockscout.test": explorer({ txlist: [good] }),
        "node.test": () => refused
      })
      const { sources, transactions } = yield* settled(history({ address: alice, limit: 50 }))
      assert.deepStrictEqual(
        transactions.map((item) => item.hash),
        [hash(1)]
      )
      assert.include(sources, "ethereum-blockscout")
    })
  )

  it.effect("whoever made a contract, and the contract, are parties of it", () =>
    Effect.gen(function* () {
      const made = row(1, 9, { from: carol, to: "", contractAddress: alice.toUpperCase().replace("0X", "0x") })
      assert.strictEqual((yield* told({ txlist: [made] })).transactions.length, 1)
    })
  )

  it.effect("a token amount beyond 256 bits is left out", () =>
    Effect.gen(function* () {
      const token = (value: bigint) => row(2, 8, { contractAddress: usd, value: String(value) })
      const most = yield* told({ txlist: [good], tokentx: [token(2n ** 256n - 1n)] })
      assert.strictEqual(most.transactions[1]?.to[0]?.amount, 2n ** 256n - 1n)
      const beyond = yield* told({ txlist: [good], tokentx: [good, token(2n ** 256n)] })
      assert.deepStrictEqual(beyond.missing, ["token transfers: etherscan: 1 could not be read"])
    })
  )

  it.effect("a fee that is more than there is is not known", () =>
    Effect.gen(function* () {
      const huge = { gasUsed: "9".repeat(30), gasPrice: "9".repeat(30) }
      assert.isNull((yield* told({ txlist: [row(1, 9, huge)] })).transactions[0]?.fee)
    })
  )

  it.effect("a row that comes twice is one, by the place of the call or of the event", () =>
    Effect.gen(function* () {
      const inside = (traceId: string) => row(1, 9, { from: carol, to: alice, value: "4", traceId })
      const token = (more: Readonly<Record<string, string>>) =>
        row(2, 8, { from: carol, to: alice, contractAddress: usd, value: "3", ...more })
      const { transactions } = yield* told({
        txlistinternal: [inside("0_1"), inside("0_1"), inside("0_2")],
        tokentx: [token({ logIndex: "7" }), token({ logIndex: "7" }), token({ logIndex: "8" })]
      })
      assert.deepStrictEqual(
        transactions.map(({ to }) => to[0]?.amount),
        [8n, 6n]
      )
      // Etherscan's equal rows may be several transfers of the same: nothing says that they are not.
      const same = yield* told({ tokentx: [token({}), token({})] })
      assert.strictEqual(same.transactions[0]?.to[0]?.amount, 6n)
    })
  )

  it.effect("an explorer's failure yields to a receipt that says success, and the other way round", () =>
    Effect.gen(function* () {
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
  )

  it.effect("reports the lists that it read to their end, and does not read them again for later pages", () =>
    Effect.gen(function* () {
      const lists = { txlist: many(250, 1), tokentx: [row(300, 240, { contractAddress: usd })] }
      const { history, requests } = yield* ethereum({ "etherscan.test": explorer(lists) })
      const first = yield* settled(history({ address: alice, limit: 50 }))
      assert.deepStrictEqual(
        first.ended,
        new Map([
          ["txlistinternal", Number.POSITIVE_INFINITY],
          ["tokentx", 240]
        ])
      )
      const calls = requests.length
      const before = { height: 200, last: hash(200), returned: 51, ended: ["tokentx", "txlistinternal"] }
      const next = yield* settled(history({ address: alice, limit: 50, before }))
      assert.deepStrictEqual(actions(requests.slice(calls)), ["txlist"])
      assert.deepStrictEqual([next.transactions.length, next.more, next.missing], [50, true, []])
    })
  )
})
