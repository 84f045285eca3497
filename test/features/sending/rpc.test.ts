import { Cell } from "@ton/core"
import * as Effect from "effect/Effect"
import { privateKeyToAccount } from "viem/accounts"
import { keccak256 } from "viem/utils"
import { body, Service } from "../../support/app.ts"
import { sandboxExcept } from "../../support/beside.ts"
import { byHost, json, type SentRequest, simulatedClient } from "../../support/http.ts"
import { signers } from "../../support/signers.ts"
import { node, tonHead } from "../../support/statuses.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const account = privateKeyToAccount(`0x${"77".repeat(32)}`)

const paid = (network: string, context: object) =>
  Effect.promise(async () => (await signers[network]?.())?.pay({ balance: "0", ...context } as never)).pipe(
    Effect.flatMap(Effect.fromNullable)
  )

const seconds = () => Math.floor(Date.now() / 1000)

/** Nodes that take every call that sends, and have no transaction. */
const ethereum = node(({ method }) => {
  if (method.includes("_send")) return { bundleHash: "0x5" }
  const head = { hash: `0x${"d4".repeat(32)}`, number: "0x1800000", timestamp: `0x${seconds().toString(16)}` }
  return { eth_chainId: "0x1", eth_getBlockByNumber: head, eth_getTransactionCount: "0x0" }[method]
})
const sui = node(() => ({ digest: "another" }))
const ton = ({ url }: SentRequest) => {
  if (url.pathname.endsWith("jsonRPC")) return json({ ok: true, jsonrpc: "2.0", id: "1", result: { "@type": "ok" } })
  const empty = url.pathname.startsWith("/api/v3") ? json({ transactions: [] }) : undefined
  return tonHead(url, seconds()) ?? empty ?? json({ error: "entity not found" }, { status: 404 })
}

const hosts = { "ethereum.test": ethereum, "sui.test": sui, "toncenter.test": ton, "tonapi.test": ton }

const environment = {
  ETHEREUM_RPC_URLS: "http://ethereum.test",
  SUI_RPC_URLS: "http://sui.test",
  TONCENTER_URL: "http://toncenter.test",
  TONAPI_URL: "http://tonapi.test"
}

const statusOf = Effect.fnUntraced(function* (network: string, hash: string) {
  const { post } = yield* Service
  const response = yield* post("/transactions/status", { networks: { [network]: [hash] } })
  const statuses = yield* body<Record<string, Record<string, { readonly status: string | null }>>>(response)
  return statuses[network]?.[hash]?.status
})

const called = Effect.fnUntraced(function* (network: string, method: string, params: unknown) {
  const { post } = yield* Service
  const response = yield* post(`/utils/rpc/${network}`, { jsonrpc: "2.0", id: 1, method, params })
  assert.strictEqual(response.status, 200)
})

const outside = simulatedClient(byHost(hosts))

const service = Service.layer(environment, sandboxExcept(/^(ethereum-rpc|sui-rpc|ton.*)$/, outside.layer))

describe("a transaction that a client sends with a call to a node", () => {
  it.live("is pending, whatever the call that sends it", () =>
    Effect.gen(function* () {
      const calls: Readonly<Record<string, (raw: string) => unknown>> = {
        eth_sendRawTransaction: (raw) => [raw],
        eth_sendRawTransactionConditional: (raw) => [raw, { blockNumberMax: "0x5" }],
        eth_sendRawTransactionSync: (raw) => [raw, 5],
        eth_sendPrivateTransaction: (raw) => [{ tx: raw, maxBlockNumber: "0x5" }],
        eth_sendPrivateRawTransaction: (raw) => [raw],
        eth_sendBundle: (raw) => [{ txs: ["0x02", raw], blockNumber: "0x5" }],
        eth_getBalance: (raw) => [raw, "latest"]
      }
      for (const [nonce, [method, params]] of Object.entries(calls).entries()) {
        const transaction = { chainId: 1, nonce, to: `0x${"11".repeat(20)}`, gas: 21_000n, gasPrice: 1n } as const
        const raw = yield* Effect.promise(() => account.signTransaction(transaction))
        yield* called("ethereum", method, params(raw))
        const expected = method === "eth_getBalance" ? "not_found" : "pending"
        assert.strictEqual(yield* statusOf("ethereum", keccak256(raw)), expected, method)
      }
      for (const [seqno, method] of ["sendBoc", "sendBocReturnHash", "sendBocReturnHashNoError"].entries()) {
        const { hash, raw } = yield* paid("ton", { seqno })
        yield* called("ton", method, { boc: raw })
        assert.strictEqual(yield* statusOf("ton", hash), "pending", method)
        // Nodes return the hash of the message that they got, which is not normalized.
        const encoded = Cell.fromBase64(raw).hash().toString("hex")
        assert.notStrictEqual(encoded, hash)
        assert.strictEqual(yield* statusOf("ton", encoded), "pending", method)
      }
      const digest = "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi"
      for (const [version, isNamed] of [false, true].entries()) {
        const { hash, raw } = yield* paid("sui", {
          gasCoins: [{ objectId: `0x${"5".repeat(64)}`, version: String(version), digest }],
          referenceGasPrice: "1000"
        })
        const [bytes, signatures] = JSON.parse(raw) as readonly [string, ReadonlyArray<string>]
        const params = isNamed ? { tx_bytes: bytes, signatures, options: {} } : [bytes, signatures, {}]
        yield* called("sui", "sui_executeTransactionBlock", params)
        assert.strictEqual(yield* statusOf("sui", hash), "pending", String(isNamed))
      }
    }).pipe(Effect.provide(service))
  )
})
