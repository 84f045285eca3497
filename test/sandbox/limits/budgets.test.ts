import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import * as Limits from "../../../src/sandbox/limits/Limits.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { infuraError, methodError, type Refusal, rpc, send, textOf } from "../../support/limits.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const second = 1_000
const minute = 60 * second

const get = (path: string, headers = {}) => HttpClientRequest.get(`https://host.example${path}`, { headers })

const post = (body: unknown) => HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("https://host.example/"), body)

interface Budget {
  readonly upstream: string
  readonly request: HttpClientRequest.HttpClientRequest
  /** Requests that the free plan allows at once. */
  readonly allowed: number
  readonly refusal: Refusal
  /** Time until the next request is accepted, ms. */
  readonly wait: number
}

const explorer = "/api?module=account&action=balance&address=0x"

const binance = {
  code: -1003,
  msg: "Too much request weight used; current limit is 6000 request weight per 1 MINUTE. Please use WebSocket Streams for live updates to avoid polling the API."
}

const subscan: Pick<Budget, "request" | "allowed" | "refusal" | "wait"> = {
  request: get("/api/scan/metadata"),
  allowed: 5,
  refusal: {
    status: 429,
    headers: { "retry-after": "1", "ratelimit-limit": "5", "ratelimit-remaining": "0", "ratelimit-reset": "1" },
    body: { message: "API rate limit exceeded" }
  },
  wait: second
}

const blockscout = (limit: number, wait: number): Pick<Budget, "allowed" | "refusal" | "wait"> => ({
  allowed: limit,
  refusal: {
    status: 429,
    headers: {
      "bypass-429-option": "no_bypass",
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(wait)
    },
    body: { message: "429 Too Many Requests", result: null, status: "0" }
  },
  wait
})

const routescan = (limit: number): Pick<Budget, "allowed" | "refusal" | "wait"> => ({
  allowed: limit,
  refusal: {
    status: 429,
    headers: {
      "x-ratelimit-rpm-limit": String(limit),
      "x-ratelimit-rpm-remaining": "0",
      "x-ratelimit-rpm-reset": "60"
    },
    body: { status: "0", message: "Too Many Requests", result: null }
  },
  wait: minute
})

const trongridError = "The key exceeds the frequency limit(15), and the query server is suspended for 30s"

const toncenter = { ok: false, result: "Ratelimit exceed", code: 429 }

/** The first limit of every provider that publishes a number. */
const budgets: Readonly<Record<string, Budget>> = {
  coingecko: {
    upstream: "coingecko",
    request: get("/ping"),
    allowed: 30,
    refusal: {
      status: 429,
      headers: { "retry-after": "60" },
      body: {
        status: {
          error_code: 429,
          error_message:
            "You've exceeded the Rate Limit. Please visit https://www.coingecko.com/en/api/pricing to subscribe to our API plans for higher rate limits."
        }
      }
    },
    wait: minute
  },
  "binance, whose requests have weights": {
    upstream: "binance",
    request: get("/api/v3/ticker/24hr"),
    allowed: 75,
    refusal: { status: 429, headers: { "retry-after": "60", "x-mbx-used-weight-1m": "6000" }, body: binance },
    wait: minute
  },
  "binance with few symbols": {
    upstream: "binance",
    request: get(`/api/v3/ticker/24hr?symbols=${Array.from({ length: 21 }, () => "BTCUSDT").join(",")}`),
    allowed: 150,
    refusal: { status: 429, headers: { "retry-after": "60", "x-mbx-used-weight-1m": "6000" }, body: binance },
    wait: minute
  },
  etherscan: {
    upstream: "etherscan",
    request: get(`/v2${explorer}&chainid=1`),
    allowed: 3,
    refusal: {
      status: 200,
      headers: {},
      body: { status: "0", message: "NOTOK", result: "Max calls per sec rate limit reached (3/sec)" }
    },
    wait: second
  },
  blockscout: { upstream: "base-blockscout", request: get(explorer), ...blockscout(300, minute) },
  "blockscout with a key": {
    upstream: "base-blockscout",
    request: get(`${explorer}&apikey=free`),
    ...blockscout(5, second)
  },
  routescan: { upstream: "routescan", request: get(`/43114/etherscan${explorer}`), ...routescan(120) },
  "routescan with a key": {
    upstream: "routescan",
    request: get(`/43114/etherscan${explorer}&apikey=free`),
    ...routescan(300)
  },
  subscan: { upstream: "subscan", ...subscan },
  "subscan of the relay chain": { upstream: "subscan-relay", ...subscan },
  toncenter: {
    upstream: "toncenter",
    request: get("/api/v3/masterchainInfo"),
    allowed: 1,
    refusal: { status: 429, headers: {}, body: toncenter },
    wait: second
  },
  "toncenter with a key": {
    upstream: "toncenter",
    request: get("/api/v3/masterchainInfo", { "X-API-Key": "free" }),
    allowed: 10,
    refusal: { status: 429, headers: {}, body: toncenter },
    wait: second
  },
  "toncenter's test network": {
    upstream: "ton-testnet-rpc",
    request: post(rpc("getMasterchainInfo")),
    allowed: 1,
    refusal: { status: 429, headers: {}, body: toncenter },
    wait: second
  },
  "trongrid without a key": {
    upstream: "trongrid",
    request: get("/wallet/getnowblock"),
    allowed: 15,
    refusal: {
      status: 429,
      headers: {},
      body: {
        Error:
          "request rate exceeded the allowed_rps(15), and the query server is suspended for 30 s. To obtain higher request quotas and a more stable service, it is recommended to authenticate with an API Key. Please refer to the documentation: https://developers.tron.network/reference/select-network#how-to-get-an-api-key"
      }
    },
    wait: 30 * second
  },
  "trongrid's nodes": {
    upstream: "trongrid",
    request: get("/wallet/getnowblock", { "TRON-PRO-API-KEY": "free" }),
    allowed: 15,
    refusal: { status: 403, headers: {}, body: { Error: trongridError } },
    wait: 30 * second
  },
  "trongrid's index": {
    upstream: "trongrid",
    request: get("/v1/accounts/T", { "TRON-PRO-API-KEY": "free" }),
    allowed: 15,
    refusal: { status: 403, headers: {}, body: { Success: false, Error: trongridError, StatusCode: 403 } },
    wait: 30 * second
  },
  blockfrost: {
    upstream: "blockfrost",
    request: get("/api/v0/blocks/latest"),
    allowed: 500,
    refusal: {
      status: 429,
      headers: {},
      body: { status_code: 429, error: "Project Over Limit", message: "Usage is over limit." }
    },
    wait: 100
  },
  koios: {
    upstream: "koios",
    request: get("/api/v1/tip"),
    allowed: 100,
    refusal: {
      status: 429,
      headers: { "cache-control": "no-cache" },
      body: "<html><body><h1>429 Too Many Requests</h1>\nYou have sent too many requests in a given amount of time.\n</body></html>\n"
    },
    wait: minute
  },
  "a node of an EVM network": {
    upstream: "base-rpc",
    request: post(rpc("eth_chainId")),
    allowed: 30,
    refusal: { status: 429, headers: { "retry-after": "1" }, body: { jsonrpc: "2.0", id: 7, error: infuraError } },
    wait: second
  },
  "a node of an EVM network by calls of a batch": {
    upstream: "testnet-rpc",
    request: post([rpc("eth_chainId"), rpc("eth_blockNumber"), rpc("eth_gasPrice")]),
    allowed: 10,
    refusal: { status: 429, headers: { "retry-after": "1" }, body: { jsonrpc: "2.0", id: null, error: infuraError } },
    wait: second
  },
  "solana by method": {
    upstream: "solana-rpc",
    request: post(rpc("getSlot")),
    allowed: 40,
    refusal: {
      status: 429,
      headers: { "retry-after": "10", "x-ratelimit-method-limit": "40", "x-ratelimit-method-remaining": "0" },
      body: { jsonrpc: "2.0", error: { code: 429, message: methodError }, id: 7 }
    },
    wait: 10 * second
  },
  "solana by address": {
    upstream: "solana-testnet-rpc",
    request: post(["getSlot", "getHealth", "getEpochInfo", "getVersion"].map((method) => rpc(method))),
    allowed: 25,
    refusal: {
      status: 429,
      headers: { "retry-after": "10", "x-ratelimit-rps-limit": "100", "x-ratelimit-rps-remaining": "0" },
      body: {
        jsonrpc: "2.0",
        error: {
          code: 429,
          message: "Too many requests from your IP, contact your app developer or support@rpcpool.com."
        },
        id: null
      }
    },
    wait: 10 * second
  },
  sui: {
    upstream: "sui-graphql",
    request: post({ query: "{ chainIdentifier }" }),
    allowed: 100,
    refusal: { status: 429, headers: {}, body: "Too Many Requests" },
    wait: 30 * second
  },
  blockbook: {
    upstream: "litecoin-blockbook",
    request: get("/api/v2"),
    allowed: 20,
    refusal: { status: 429, headers: { "retry-after": "3" }, body: { error: "rate limit exceeded" } },
    wait: 3 * second
  },
  "blockcypher by addresses of a batch": {
    upstream: "dogecoin-blockcypher",
    request: get("/v1/doge/main/addrs/D1;D2;D3/balance"),
    allowed: 1,
    refusal: {
      status: 429,
      headers: { "x-ratelimit-remaining": "0" },
      body: {
        error:
          "API calls limits have been reached. To extend your limits please upgrade your plan on BlockCypher accounts page."
      }
    },
    wait: second
  }
}

/** Texts of refusals differ only by their numbers. */
const masked = (text: string) => text.trimEnd().replaceAll(/\d+/g, "0")

const networks = Catalogue.all.filter(({ id }) => ["base", "litecoin", "dogecoin"].includes(id))
const families = Catalogue.all.filter(({ family }) => family !== "evm" && family !== "utxo")

const limited = Sandbox.layer([...networks, ...families], { limits: true })

describe("a sandbox with limits", () => {
  for (const [name, { allowed, refusal, request, upstream, wait }] of Object.entries(budgets))
    it.effect(`refuses calls beyond the free plan of ${name}, in its words`, () =>
      Effect.gen(function* () {
        const { body, headers, status } = refusal
        const isRefused = Effect.map(send(upstream, request), ({ text }) => masked(text) === masked(textOf(body)))
        for (let call = 0; call < allowed; call++) assert.isFalse(yield* isRefused, `call ${call}`)
        const { type = "", ...refused } = yield* send(upstream, request)
        assert.deepStrictEqual(refused, { status, headers, text: textOf(body).trimEnd() })
        assert.match(type, typeof body === "string" ? /^text\// : /^application\/json/)
        yield* TestClock.adjust(wait - 1)
        assert.isTrue(yield* isRefused)
        yield* TestClock.adjust(1)
        assert.isFalse(yield* isRefused)
      }).pipe(Effect.provide(limited))
    )

  it.effect("counts nothing by default", () =>
    Effect.gen(function* () {
      const texts = yield* Effect.replicateEffect(send("etherscan", get(`/v2${explorer}&chainid=1`)), 20)
      assert.lengthOf(new Set(texts.map(({ text }) => text)), 1)
    }).pipe(Effect.provide(Sandbox.layer(networks)))
  )

  it("has limits for each simulated upstream", () => {
    const unknown = Sandbox.namesOf(Catalogue.all).filter((name) => Limits.of(name) === undefined)
    assert.deepStrictEqual(unknown, [])
    assert.isUndefined(Limits.of("nowhere"))
  })
})
