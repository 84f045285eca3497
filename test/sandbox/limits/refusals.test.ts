import * as Limits from "../../../src/sandbox/limits/Limits.ts"
import { fixture, recorded } from "../../support/fixtures.ts"
import { callTo, infuraError, methodError, parts, type Refusal, rpc, textOf } from "../../support/limits.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** Forms of refusals, of a provider or an upstream, as in `fault(upstream, { limited })`. */
const forms: ReadonlyArray<readonly [upstream: string, form: "body" | "header", refusal: Refusal, body?: unknown]> = [
  ["tonapi", "header", { status: 429, headers: {}, body: { error: "rate limit: free tier" } }],
  [
    "trongrid",
    "body",
    {
      status: 200,
      headers: {},
      body: { Error: "class java.lang.IllegalAccessException : lack of computing resources" }
    }
  ],
  ["defillama", "header", { status: 429, headers: { "retry-after": "30" }, body: "error code: 1015" }],
  ["frankfurter", "body", { status: 429, headers: { "retry-after": "30" }, body: "error code: 1015" }],
  ["bitcoin-rpc", "header", { status: 503, headers: {}, body: "Work queue depth exceeded" }],
  ["ripple-rpc", "header", { status: 503, headers: {}, body: "Server is overloaded" }],
  [
    "ripple-rpc",
    "body",
    {
      status: 200,
      headers: {},
      body: {
        result: {
          error: "slowDown",
          error_code: 10,
          error_message: "You are placing too much load on the server.",
          request: { command: "account_info", account: "r" },
          status: "error"
        }
      }
    },
    { method: "account_info", params: [{ account: "r" }] }
  ],
  [
    "polkadot-rpc",
    "header",
    {
      status: 429,
      headers: { "retry-after": "30" },
      body: {
        jsonrpc: "2.0",
        error: {
          code: -32029,
          message: "Too Many Requests, Please apply an OnFinality API key or contact us to receive a higher rate limit"
        },
        id: 7
      }
    },
    rpc("system_health")
  ],
  [
    "polkadot-rpc",
    "body",
    {
      status: 200,
      headers: {},
      body: [
        { jsonrpc: "2.0", id: 1, error: { code: -32999, message: "RPC rate limit exceeded" } },
        { jsonrpc: "2.0", id: 2, error: { code: -32999, message: "RPC rate limit exceeded" } }
      ]
    },
    [rpc("system_health", 1), rpc("system_chain", 2)]
  ],
  [
    "ethereum-rpc",
    "body",
    { status: 200, headers: {}, body: { jsonrpc: "2.0", id: 7, error: infuraError } },
    rpc("eth_call")
  ],
  [
    "solana-rpc",
    "body",
    { status: 429, headers: {}, body: { jsonrpc: "2.0", error: { code: 429, message: methodError }, id: null } },
    [rpc("getSlot", 1), rpc("getSlot", 2)]
  ],
  [
    "bitcoin-esplora",
    "body",
    {
      status: 429,
      headers: {},
      body: '<html>\n<head><title>429 Too Many Requests</title></head>\n<body>\n<center><h1>429 Too Many Requests</h1></center>\n<center><h2>Sign Up for <a href="https://mempool.space/enterprise">Mempool Enterprise</a> to get increased API limits</h2></center>\n</body>\n</html>\n'
    }
  ],
  [
    "tenderly",
    "body",
    {
      status: 429,
      headers: {},
      body: {
        error: {
          id: "00000000-0000-0000-0000-000000000000",
          slug: "too_many_requests",
          message: "Too many requests"
        }
      }
    }
  ]
]

describe("a refusal", () => {
  for (const [upstream, form, { body, headers, status }, request] of forms)
    it.effect(`of ${upstream} by its ${form} has the words of the provider`, function* () {
      const refused = Limits.refusal(upstream, form, { ...callTo(), body: JSON.stringify(request) ?? "" })
      assert(refused !== undefined)
      assert.deepStrictEqual(yield* parts(refused), { status, headers, text: textOf(body) })
    })
})

/** The same with 0 for each number in its texts, and for numbers, which are those of a plan. */
const shape = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === "string" ? member.replaceAll(/\d+/g, "0") : typeof member === "number" ? 0 : member
  )

/** Recorded or documented refusals, and the form that returns them. */
const recordings: ReadonlyArray<readonly [provider: string, name: string, upstream: string, form: "body" | "header"]> =
  [
    ["etherscan", "rate-limit-per-second", "etherscan", "body"],
    ["etherscan", "rate-limit-per-second", "etherscan", "header"],
    ["coingecko", "rate-limit-429-json", "coingecko", "header"],
    ["solana", "error-429-rpc-call", "solana-rpc", "header"],
    ["evm-rpc", "rate-limit-32005-infura", "ethereum-rpc", "header"],
    ["trongrid", "node-rate-limited-http-200", "trongrid", "body"],
    ["blockfrost", "error-429", "blockfrost", "header"],
    ["subscan", "doc-rate-limited", "subscan", "header"]
  ]

recorded("a recorded refusal", () => {
  for (const [provider, name, upstream, form] of recordings)
    it.effect(`of ${provider} (${name}) is that of the sandbox by its ${form}`, function* () {
      const { request, response } = fixture(provider, name)
      const call = { ...callTo(request.path), body: JSON.stringify(request.body) }
      const refused = Limits.refusal(upstream, form, call)
      assert(refused !== undefined)
      const { headers, status, text } = yield* parts(refused)
      assert.strictEqual(status, response.status)
      assert.deepStrictEqual(shape(JSON.parse(text)), shape(response.body))
      const { "content-type": _, date: __, ...fields } = response.headers ?? {}
      assert.deepStrictEqual(shape({ ...headers, ...fields }), shape(headers))
    })

  it("names the headers that explorers send with every response", () => {
    const names = (refused: Response | undefined) => [...(refused?.headers.keys() ?? [])]
    const isLimit = (name: string) => name.startsWith("x-ratelimit")
    const { response } = fixture("blockscout", "v1-txlist-mainnet-6")
    assert.includeMembers(
      names(Limits.refusal("base-blockscout", "header", callTo())),
      Object.keys(response.headers).filter(isLimit)
    )
    const perMinute = Object.keys(fixture("routescan", "chain-not-supported").response.headers).filter((name) =>
      name.startsWith("x-ratelimit-rpm")
    )
    assert.includeMembers(names(Limits.refusal("routescan", "header", callTo())), perMinute)
  })
})
