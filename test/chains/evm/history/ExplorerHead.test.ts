import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import type { HistoryQuery } from "../../../../src/domain/Transaction.ts"
import { position } from "../../../../src/domain/units.ts"
import { explorer, type Lists, network } from "../../../support/EvmHistory.ts"
import { byHost, json, type Reply, refused, type SentRequest } from "../../../support/http.ts"
import { Ethereum } from "../../../support/networks.ts"
import { settled } from "../../../support/settled.ts"
import { assert, describe, it } from "../../../support/vitest.ts"

const [alice, bob] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`]
const environment = {
  ETHERSCAN_API_KEY: "secret-key",
  ETHERSCAN_URL: "http://etherscan.test",
  ETHEREUM_BLOCKSCOUT_URL: "http://blockscout.test",
  ROUTESCAN_URL: "http://routescan.test",
  ETHEREUM_RPC_URLS: "http://node.test"
}

/** The newest block after a day. */
const newest = 7_200
const hour = 300

const node = ({ body }: SentRequest): Reply => {
  const calls: ReadonlyArray<{ readonly id: number; readonly method: string }> = JSON.parse(body)
  const block = { number: `0x${newest.toString(16)}`, timestamp: `0x${(86_400).toString(16)}` }
  return json(
    calls.map(({ id, method }) => ({
      jsonrpc: "2.0",
      id,
      result: { eth_chainId: "0x1", eth_getBlockByNumber: block }[method] ?? null
    }))
  )
}

/** A row of a list at an explorer that has this newest block. */
const row = (head: number, more: object = {}) => ({
  hash: `0x${"1".repeat(64)}`,
  blockNumber: "100",
  timeStamp: "1200",
  confirmations: String(head - 100),
  transactionIndex: "0",
  nonce: "1",
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

/** The explorers, in order of preference, by the number of their newest block. */
const names = ["etherscan", "blockscout", "routescan"] as const
type Name = (typeof names)[number]
type Hosts = Readonly<Partial<Record<Name, Lists>>>

/** The sources of a history, or its failure, and the explorers that were called for their newest block. */
const read = Effect.fnUntraced(function* (
  hosts: Hosts,
  heads: Readonly<Partial<Record<Name, unknown>>> = {},
  query: Partial<HistoryQuery> = {},
  nodes: (request: SentRequest) => Reply = node
) {
  const called: Array<string> = []
  const nameOf = ({ url }: SentRequest) => names.find((name) => url.host === `${name}.test`) ?? "etherscan"
  const { history } = yield* network(
    Ethereum.info,
    environment,
    byHost({
      ...Object.fromEntries(Object.entries(hosts).map(([name, lists]) => [`${name}.test`, explorer(lists)])),
      "node.test": nodes
    }),
    {},
    (request) => {
      const name = nameOf(request)
      called.push(name)
      return name in heads ? json({ status: "1", message: "OK", result: heads[name] }) : refused
    }
  )
  const sources = yield* settled(
    Effect.match(history({ address: alice, limit: 50, ...query }), {
      onFailure: ({ message }) => message,
      onSuccess: (part) => part.sources.join()
    })
  )
  return [sources, called.join()]
})

const own = (head: number): Lists => ({ txlist: [row(head)] })
const behind = "routescan: the node is behind the network"

describe("the first page of an EVM history", () => {
  it("comes from an explorer whose confirmations reach the newest blocks, without a further call", function* () {
    yield* TestClock.adjust("1 day")
    for (const lists of [
      own(newest),
      own(newest - 20),
      { ...own(newest), txlistinternal: [row(0, { confirmations: undefined, type: "call" })] },
      { tokentx: [row(newest + 3)] }
    ])
      assert.deepStrictEqual(yield* read({ etherscan: lists, blockscout: own(newest) }), ["etherscan", ""])
  })

  it("comes from the next explorer if the index of one is behind, and fails if all are", function* () {
    yield* TestClock.adjust("1 day")
    const old = own(newest - hour)
    const head = String(newest - hour)
    const blockscout = { blockNumber: String(newest) }
    for (const [hosts, heads, source] of [
      [{ etherscan: old, blockscout: own(newest) }, { etherscan: head, blockscout }, "ethereum-blockscout"],
      [
        { etherscan: old, blockscout: old, routescan: own(newest) },
        { etherscan: head, blockscout: { blockNumber: head }, routescan: String(newest) },
        "routescan"
      ],
      [
        { etherscan: old, blockscout: old, routescan: old },
        { etherscan: head, blockscout: { blockNumber: head }, routescan: head },
        behind
      ]
    ] as const)
      assert.strictEqual((yield* read(hosts, heads))[0], source)
    // Wrong confirmations alone exclude nothing.
    assert.deepStrictEqual(yield* read({ etherscan: old }, { etherscan: String(newest) }), ["etherscan", "etherscan"])
    // Older pages need no current index.
    const later = { before: { height: position(200), last: `0x${"1".repeat(64)}`, returned: 1 } }
    assert.deepStrictEqual(yield* read({ etherscan: old }, {}, later), ["etherscan", ""])
  })

  it("takes one call if no row has confirmations", function* () {
    yield* TestClock.adjust("1 day")
    const silent: Lists = { txlist: [row(0, { confirmations: undefined })] }
    for (const lists of [{}, silent]) {
      const hosts = { etherscan: lists, blockscout: lists }
      assert.deepStrictEqual(yield* read(hosts, { etherscan: String(newest) }), ["etherscan", "etherscan"])
      const old = { etherscan: String(newest - hour), blockscout: { blockNumber: String(newest - 1) } }
      assert.deepStrictEqual(yield* read(hosts, old), ["ethereum-blockscout", "etherscan,blockscout"])
      const all = { ...old, blockscout: { blockNumber: "0" }, routescan: "0" }
      assert.strictEqual((yield* read({ ...hosts, routescan: lists }, all))[0], behind)
    }
  })

  it("is not rejected if a newest block cannot be read", function* () {
    yield* TestClock.adjust("1 day")
    for (const head of [null, "", "x", "-5", {}, [], "9".repeat(11)])
      assert.strictEqual((yield* read({ etherscan: {} }, { etherscan: head }))[0], "etherscan")
    assert.strictEqual((yield* read({ etherscan: {} }))[0], "etherscan")
  })
})
