import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Service, textOf } from "../../support/app.ts"
import { faultyReplies } from "../../support/faults.ts"
import { json, type Reply, simulatedClient } from "../../support/http.ts"
import { simulated } from "../../support/simulated.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const key = "secret-of-the-operator"

/** Two endpoints in each variable that accepts several, and a key in each that accepts a key. */
const environment = {
  UPSTREAM_TIMEOUT_MS: "200",
  ETHEREUM_RPC_URLS: `https://one.example/v3/${key},https://two.example/v3/${key}`,
  BASE_TESTNET_RPC_URLS: `https://one.example/${key},https://two.example/${key}`,
  SOLANA_RPC_URLS: `https://one.example/?api-key=${key},https://two.example/?api-key=${key}`,
  BITCOIN_RPC_URLS: `https://user:${key}@one.example,https://user:${key}@two.example`,
  BLOCKFROST_PROJECT_ID: key,
  TONCENTER_API_KEY: key,
  ETHERSCAN_API_KEY: key,
  TENDERLY_ACCOUNT: "account",
  TENDERLY_PROJECT: "project",
  TENDERLY_ACCESS_KEY: key,
  TESTNET_RPC_URL: `https://one.example/${key}`,
  TESTNET_FUNDER_PRIVATE_KEY: `0x${"5".repeat(64)}`
}

const address = `0x${"a".repeat(40)}`

const rpc = (network: string, method: string, params: unknown = []) =>
  [`/utils/rpc/${network}`, { jsonrpc: "2.0", id: 1, method, params }] as const

/** Minimal raw transactions of both families. */
const bitcoin = `0100000001${"11".repeat(32)}00000000000000000001e803000000000000015100000000`
const cardano = `84a3008182582011${"11".repeat(31)}000181825839${"01"}${"22".repeat(56)}1a000f424002190100a0f5f6`

const routes: ReadonlyArray<readonly [path: string, body?: unknown]> = [
  rpc("ethereum", "eth_getBalance", [address, "latest"]),
  rpc("base/testnet", "eth_getBalance", [address, "latest"]),
  rpc("ethereum", "eth_sendRawTransaction", ["0x02f8"]),
  rpc("solana", "getSlot"),
  rpc("solana", "sendTransaction", ["AQ=="]),
  rpc("ton", "getMasterchainInfo", {}),
  rpc("sui", "sui_getChainIdentifier"),
  ["/utils/rpc/ethereum", [rpc("", "eth_gasPrice")[1], rpc("", "eth_call", [{}, "latest"])[1]]],
  ["/utils/sendrawtransaction", { chain: "bitcoin", tx: bitcoin }],
  ["/utils/sendrawtransaction", { chain: "dogecoin", tx: bitcoin }],
  ["/utils/sendrawtransaction", { chain: "cardano", tx: cardano }],
  ["/utils/getrawtransaction", { chain: "bitcoin", tx: "1".repeat(64) }],
  ["/utils/getrawtransaction", { chain: "ton", tx: "1".repeat(64) }],
  ["/utils/protocol-parameters"],
  ["/utils/simulate-tx", { chain: "1", input: { from: address, to: address, input: "0x" } }],
  ["/utils/first-tx", { networkIds: ["ethereum", "base"], address }],
  [`/utils/fund-testnet-account/${address}`]
]

const faults: Readonly<Record<string, Reply>> = {
  ...faultyReplies,
  "returns another id": json({ jsonrpc: "2.0", id: 999, result: "0x1" }),
  "returns an error that contains the key": json(
    { error: `no such thing: https://one.example/v3/${key}` },
    { status: 502 }
  )
}

/** Asserts that a route returned 502 or 504 with the reason and without internals. */
const assertAnswered = (path: string, response: Response) =>
  Effect.map(textOf(response), (content) => {
    const what = `${path}: ${content}`
    assert.oneOf(response.status, [502, 504], what)
    const { detail, error, ...others } = [JSON.parse(content)].flat()[0] as {
      readonly detail?: string
      readonly error?: { readonly code: number; readonly message: string }
    }
    if (path.includes("/rpc/")) {
      assert.deepStrictEqual(others, { jsonrpc: "2.0", id: 1 } as object, what)
      assert.strictEqual(error?.code, -32000, what)
      assert.isAbove(error?.message.length ?? 0, 10, what)
    } else {
      assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/, what)
      assert.isAbove(detail?.length ?? 0, 10, what)
    }
    assert.notMatch(content, /https?:|\.example|secret|Error:|node_modules/)
  })

describe("if each upstream", () => {
  for (const [fault, reply] of Object.entries(faults))
    it(`${fault}, every route returns 502 or 504 with the reason`, function* () {
      const { finish, live } = simulated(Date.UTC(2026, 10, 1))
      const service = yield* live(Layer.build(Service.layer(environment, simulatedClient(() => reply).layer)))
      const { get, post } = Context.get(service, Service)
      const { outcome } = yield* finish(
        Effect.forEach(
          routes,
          ([path, payload]) =>
            Effect.flatMap(payload === undefined ? get(path) : post(path, payload), (response) =>
              assertAnswered(path, response)
            ),
          { concurrency: "unbounded" }
        )
      )
      yield* outcome
    })
})
