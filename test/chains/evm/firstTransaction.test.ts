import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { base } from "../../../src/catalogue/evm/base.ts"
import { bsc } from "../../../src/catalogue/evm/bsc.ts"
import type { EvmFacts } from "../../../src/catalogue/evm/EvmFacts.ts"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import { sonic } from "../../../src/catalogue/evm/sonic.ts"
import { zkevm } from "../../../src/catalogue/evm/zkevm.ts"
import { seconds } from "../../../src/domain/units.ts"
import * as EvmHistory from "../../support/EvmHistory.ts"
import { faultyReplies } from "../../support/faults.ts"
import {
  address,
  at,
  begin,
  exactly,
  explorer,
  found,
  type Lists,
  node,
  none,
  prepared,
  row
} from "../../support/firstTransactions.ts"
import { byHost, json, neverResponds, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const fromBlockscout = (lists: Lists, info: EvmFacts = base, numbers: Parameters<typeof node>[0] = {}) =>
  found(info, { "blockscout.test": explorer(lists), "node.test": node(numbers) })

const many = (count: number, from: number, more: Readonly<Record<string, string>> = {}) =>
  Array.from({ length: count }, (_, index) => row(from + index, more))

describe("the first transaction on an EVM network", () => {
  it("is the oldest of the address's transactions, internal transfers and token transfers", function* () {
    assert.deepStrictEqual(
      yield* fromBlockscout({ txlist: many(60, 9), txlistinternal: [row(12)], tokentx: [row(10)] }),
      at(9)
    )
    assert.deepStrictEqual(
      yield* fromBlockscout({ txlist: [row(9)], txlistinternal: many(30, 7), tokentx: many(3, 8) }),
      at(7)
    )
    assert.deepStrictEqual(yield* fromBlockscout({ txlist: [row(9)], tokentx: [row(4)] }), at(4))
    assert.deepStrictEqual(yield* fromBlockscout({ txlistinternal: [row(5)] }), at(5))
    assert.deepStrictEqual(yield* fromBlockscout({ tokentx: [row(6)] }), at(6))
  })

  it("may have failed, but failed internal transfers and token transfers of zero do not count", function* () {
    assert.deepStrictEqual(yield* fromBlockscout({ txlist: [row(3, { isError: "1" }), row(5)] }), at(3))
    const failed = many(45, 1, { isError: "1" })
    assert.deepStrictEqual(yield* fromBlockscout({ txlist: [row(90)], txlistinternal: [...failed, row(80)] }), at(80))
    const empty = many(25, 1, { value: "0" })
    assert.deepStrictEqual(yield* fromBlockscout({ txlist: [row(90)], tokentx: [...empty, row(70)] }), at(70))
    assert.deepStrictEqual(yield* fromBlockscout({ tokentx: [row(2, { value: "0", tokenID: "7" })] }), at(2))
    assert.deepStrictEqual(yield* fromBlockscout({ txlistinternal: failed, tokentx: empty }), none)
  })

  it("may be an NFT transfer, for which every separate list of Etherscan must be readable", function* () {
    const read = (lists: Parameters<typeof explorer>[0]) =>
      found(base, { "etherscan.test": explorer(lists), "node.test": node({}) }, { ETHERSCAN_API_KEY: "k" })
    const { value: _, ...nft } = row(4, { tokenID: "7" })
    assert.deepStrictEqual(yield* read({ txlist: [row(9)], tokentx: [row(8)] }), at(8))
    assert.deepStrictEqual(yield* read({ txlist: [row(9)], tokentx: [row(8)], tokennfttx: [nft] }), at(4))
    assert.deepStrictEqual(yield* read({ token1155tx: [{ ...nft, tokenValue: "3" }] }), at(4))
    const failed = text("oops", { status: 500 })
    assert.isTrue(Either.isLeft(yield* read({ txlist: [row(9)], token1155tx: failed })))
  })

  it("is not a pending transaction", function* () {
    const waiting = { ...row(0), blockNumber: "", timeStamp: "" }
    assert.deepStrictEqual(yield* fromBlockscout({ txlist: [waiting] }), none)
  })

  it("is read oldest first, and the other lists are read only before the block that was found", function* () {
    const { read, requests: all } = yield* prepared(base, { "blockscout.test": explorer({ txlist: [row(9)] }) })
    assert.deepStrictEqual(yield* read, at(9))
    const queries = all.map(({ url }) => Object.fromEntries(url.searchParams))
    assert.deepStrictEqual(
      queries.map(({ action, endblock, page, sort }) => [action, page, sort, endblock]),
      [
        ["txlist", "1", "asc", undefined],
        ["txlistinternal", "1", "asc", "8"],
        ["tokentx", "1", "asc", "8"]
      ]
    )
  })

  it("is never the newest row of a source that ignores the order", function* () {
    const rows = many(30, 1).reverse()
    const newestFirst = () => json({ status: "1", message: "OK", result: rows.slice(0, 20) })
    const failed = yield* found(base, { "blockscout.test": newestFirst })
    assert.match(Either.isLeft(failed) ? failed.left.message : "", /unexpected format/)
    const few = () => json({ status: "1", message: "OK", result: rows.slice(27) })
    assert.deepStrictEqual(yield* found(base, { "blockscout.test": few }), at(1))
  })

  it("is not read from a row with an impossible time or amount, or beside one with a time but no block", function* () {
    for (const timeStamp of ["", "0", "1600000000000"]) {
      const failed = yield* fromBlockscout({ txlist: [row(5, { timeStamp })] })
      assert.match(Either.isLeft(failed) ? failed.left.message : "", /unexpected format/, timeStamp)
    }
    for (const odd of [row(6, { value: "5 ETH" }), row(4, { blockNumber: "" })])
      assert.isTrue(Either.isLeft(yield* fromBlockscout({ txlist: [row(5), odd] })))
  })
})

describe("an address that no explorer lists", () => {
  it("is unused if the node reports no coins and no transactions, or does not answer", function* () {
    assert.deepStrictEqual(yield* fromBlockscout({}), none)
    for (const reply of [refused, neverResponds, text("<html></html>"), json({ error: "no" })])
      assert.deepStrictEqual(yield* found(base, { "blockscout.test": explorer({}), "node.test": () => reply }), none)
  })

  it("is looked up elsewhere if it has coins or transactions, and fails if no explorer lists it", function* () {
    for (const numbers of [{ sent: 1 }, { balance: 1 }]) {
      const failed = yield* fromBlockscout({}, base, numbers)
      assert.match(Either.isLeft(failed) ? failed.left.message : "", /returned no transactions of an address that has/)
      const hosts = {
        "etherscan.test": explorer({}),
        "blockscout.test": explorer({ txlist: [row(8)] }),
        "node.test": node(numbers)
      }
      assert.deepStrictEqual(yield* found(base, hosts, { ETHERSCAN_API_KEY: "k" }), at(8))
    }
  })
})

describe("coins of the genesis block", () => {
  const genesis = exactly(1_438_269_973)
  const given = row(0, { hash: "GENESIS_00000000000000000000000000000000000000aa", from: "GENESIS", to: address })

  it("are as old as the network, regardless of the time of the row", function* () {
    for (const timeStamp of ["1438269973", "0", ""]) {
      const hosts = { "etherscan.test": explorer({ txlist: [{ ...given, timeStamp }, row(3)] }) }
      const { read, requests: all } = yield* prepared(ethereum, hosts, { ETHERSCAN_API_KEY: "k" })
      assert.deepStrictEqual(yield* read, genesis)
      assert.strictEqual(all.length, 1)
    }
  })

  it("are read from a node with the old state if the explorer does not list them", function* () {
    const nodes = { ETHEREUM_RPC_URLS: "http://node.test,http://archive.test" }
    const hosts = (atFirst: number) => ({
      "blockscout.test": explorer({ txlist: [row(3)] }),
      "node.test": node({ atFirst: "forgotten" }),
      "archive.test": node({ atFirst })
    })
    assert.deepStrictEqual(yield* found(ethereum, hosts(7), nodes), genesis)
    assert.deepStrictEqual(yield* found(ethereum, hosts(0), nodes), at(3))
    assert.deepStrictEqual(yield* fromBlockscout({}, ethereum, { atFirst: 7, balance: 7 }), genesis)
  })

  it("are not read from a response with another id", function* () {
    const other = () => json({ jsonrpc: "2.0", id: 424_242, result: "0x7" })
    const hosts = { "blockscout.test": explorer({ txlist: [row(3)] }), "node.test": other }
    const answered = Either.getOrThrow(yield* found(ethereum, hosts))
    assert.deepStrictEqual(
      Option.map(answered, ({ at }) => at),
      Option.some(seconds(begin + 3))
    )
  })

  it("make the result uncertain if no node has the old state; such a node is not skipped", function* () {
    const hosts = {
      "blockscout.test": explorer({ txlist: [row(3)] }),
      "node.test": node({ atFirst: "forgotten", balance: 7 })
    }
    const { read, requests: all } = yield* prepared(ethereum, hosts)
    for (let times = 0; times < 10; times++) {
      const firstTransaction = Option.getOrThrow(Either.getOrThrow(yield* read))
      assert.strictEqual(firstTransaction.at, seconds(begin + 3))
      assert.match(firstTransaction.uncertainty ?? "", /first block/)
    }
    assert.strictEqual(all.filter(({ url }) => url.host === "node.test").length, 10)
  })

  it("are not looked up if the network has no such coins or the explorer lists them", function* () {
    for (const [info, more] of [
      [base, {}],
      [ethereum, { ETHERSCAN_API_KEY: "k" }]
    ] as const) {
      const hosts = {
        "etherscan.test": explorer({ txlist: [row(3)] }),
        "blockscout.test": explorer({ txlist: [row(3)] })
      }
      const { read, requests: all } = yield* prepared(info, hosts, more)
      assert.deepStrictEqual(yield* read, at(3))
      assert.isTrue(all.every(({ url }) => url.host !== "node.test"))
    }
  })
})

describe("internal transfers that are only partially processed", () => {
  it("make the result uncertain only if they are older than the block that was found", function* () {
    assert.deepStrictEqual(yield* fromBlockscout({ txlist: [row(9)], unprocessed: 9 }), at(9))
    const doubted = Option.getOrThrow(Either.getOrThrow(yield* fromBlockscout({ txlist: [row(9)], unprocessed: 8 })))
    assert.strictEqual(doubted.at, seconds(begin + 9))
    assert.match(doubted.uncertainty ?? "", /not all internal transfers/)
    assert.isTrue(Either.isLeft(yield* fromBlockscout({ unprocessed: 8 })))
  })

  it("are read from the next explorer", function* () {
    const hosts = (second: (request: SentRequest) => Reply) => ({
      "blockscout.test": explorer({ txlist: [row(9)], unprocessed: 8 }),
      "routescan.test": second,
      "node.test": node({})
    })
    const better = explorer({ txlist: [row(9)], txlistinternal: [row(2)] })
    assert.deepStrictEqual(yield* found(ethereum, hosts(better)), at(2))
    const down = Option.getOrThrow(
      Either.getOrThrow(
        yield* found(
          ethereum,
          hosts(() => refused)
        )
      )
    )
    assert.strictEqual(down.at, seconds(begin + 9))
    assert.isDefined(down.uncertainty)
  })
})

const faults = {
  ...faultyReplies,
  "returns a rate limit with HTTP 200": json({
    status: "0",
    message: "NOTOK",
    result: "Max calls per sec rate limit reached (5/sec)"
  }),
  "reports an error with HTTP 200": json({ status: "0", message: "Something went wrong.", result: null })
}

describe("an explorer that", () => {
  for (const [fault, reply] of Object.entries(faults)) {
    it(`${fault} is replaced by the next explorer`, function* () {
      const hosts = { "etherscan.test": () => reply, "blockscout.test": explorer({ txlist: [row(4)] }) }
      assert.deepStrictEqual(yield* found(base, hosts, { ETHERSCAN_API_KEY: "k" }), at(4))
    })

    it(`${fault} for any of the lists makes the result unknown if there is no other explorer`, function* () {
      for (const list of ["txlist", "txlistinternal", "tokentx"]) {
        const failed = yield* fromBlockscout({ txlist: [row(4)], [list]: reply })
        assert.isTrue(Either.isLeft(failed), list)
        if (Either.isLeft(failed)) assert.notMatch(failed.left.message, /https?:|test\b/)
      }
    })

    it(`${fault} makes the result unknown if the next explorer does the same`, function* () {
      const hosts = { "etherscan.test": () => reply, "blockscout.test": () => reply }
      assert.isTrue(Either.isLeft(yield* found(base, hosts, { ETHERSCAN_API_KEY: "k" })))
    })
  }

  it("fails once is called again", function* () {
    const good = explorer({ txlist: [row(4)] })
    let times = 0
    const host = (sent: SentRequest) => (times++ === 0 ? text("", { status: 503 }) : good(sent))
    assert.deepStrictEqual(yield* found(base, { "blockscout.test": host }), at(4))
  })
})

describe("networks without explorers", () => {
  it("fail without a call if they were shut down or need a key", function* () {
    for (const [info, reason] of [
      [zkevm, "sunset"],
      [bsc, "not_configured"]
    ] as const) {
      const urls = { [`${info.id.toUpperCase()}_BLOCKSCOUT_URL`]: "" }
      const { abilities, read, requests: all } = yield* prepared(info, {}, urls)
      const failed = yield* read
      assert.deepInclude(Either.isLeft(failed) ? { ...failed.left } : {}, { reason })
      assert.isTrue(Either.isLeft((yield* abilities).firstTransaction ?? Either.right([])))
      assert.deepStrictEqual(all, [])
    }
  })

  it("use the explorer that the operator configures", function* () {
    const { abilities, read } = yield* prepared(zkevm, { "blockscout.test": explorer({ txlist: [row(4)] }) })
    assert.deepStrictEqual(yield* read, at(4))
    assert.deepStrictEqual((yield* abilities).firstTransaction, Either.right(["zkevm-blockscout"]))
  })

  it("have no first transaction if the API does not list them", function* () {
    const made = yield* EvmHistory.network(sonic, { ETHERSCAN_API_KEY: "k" }, byHost({}))
    assert.isUndefined(made.firstTransaction)
    assert.isTrue(Either.isLeft((yield* made.abilities).firstTransaction ?? Either.right([])))
  })
})
