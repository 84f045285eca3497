import * as Effect from "effect/Effect"
import type { TransactionByHash } from "../../../src/contract/transactions/ByHashApi.ts"
import { body, Service } from "../../support/app.ts"
import { byHost, json, simulatedClient } from "../../support/http.ts"
import { node } from "../../support/statuses.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const hash = `0x${"ab".repeat(32)}`
const blockHash = `0x${"d4".repeat(32)}`
const [from, to] = ["a1", "b2"].map((byte) => `0x${byte.repeat(20)}`)
const seen = { hash, from, to, value: "0x5", nonce: "0x7", input: "0x", gasPrice: "0x2", blockNumber: "0x15ff000" }
const receipt = {
  transactionHash: hash,
  blockHash,
  blockNumber: "0x15ff000",
  transactionIndex: "0x3",
  status: "0x1",
  gasUsed: "0x5208",
  effectiveGasPrice: "0x2",
  contractAddress: null,
  from,
  logs: []
}
const pending = { ...seen, blockNumber: null }
const second = (ago: number) => `0x${(Math.floor(Date.now() / 1000) - ago).toString(16)}`

/** A node of Ethereum with these results by method. */
const ethereum = (over: Readonly<Record<string, unknown>>) =>
  node(
    ({ method }) =>
      ({
        eth_chainId: "0x1",
        eth_getBlockByNumber: { hash: `0x${"ee".repeat(32)}`, number: "0x1600000", timestamp: second(0) },
        eth_getTransactionByHash: seen,
        eth_getTransactionReceipt: receipt,
        eth_getBlockByHash: { hash: blockHash, number: "0x15ff000", timestamp: second(4096 * 12) },
        eth_getTransactionCount: "0x8",
        ...over
      })[method]
  )

/** The response about the transaction with these nodes. */
const answered = (first: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>) =>
  Effect.gen(function* () {
    const hosts = {
      "a.test": ethereum(first),
      "b.test": ethereum(other),
      "explorer.test": () => json({ status: "0", message: "No transactions found", result: [] })
    }
    const environment = {
      UPSTREAMS: "live",
      ETHEREUM_RPC_URLS: "http://a.test,http://b.test",
      ETHEREUM_BLOCKSCOUT_URL: "http://explorer.test",
      ROUTESCAN_URL: "http://explorer.test"
    }
    const response = yield* Effect.flatMap(Service, ({ get }) => get(`/transactions/ethereum/${hash}`)).pipe(
      Effect.provide(Service.layerSimulated(environment, simulatedClient(byHost(hosts)).layer))
    )
    assert.strictEqual(response.status, 200)
    return yield* body<TransactionByHash>(response)
  })

const lost = { eth_getTransactionReceipt: null, eth_getTransactionCount: "0x9" }

describe("a transaction by its hash at sources that differ", () => {
  it("has the result of its block, also if a node has lost its receipt", function* () {
    const answer = yield* answered(lost, {})
    assert.deepInclude(answer, { status: "Success", final: true, block: 0x15ff000 })
    assert.deepInclude(answer.to, { address: to ?? "", amount: "5" })
  })

  it("has no parties of a node that has it in no block, if another has", function* () {
    const answer = yield* answered({ ...lost, eth_getTransactionByHash: pending }, {})
    assert.deepInclude(answer, { status: "Success", final: true, block: 0x15ff000, from: [], to: [], sources: [] })
    assert.deepStrictEqual(answer.missing, ["its parties: the sources differ about its result or block"])
  })
})
