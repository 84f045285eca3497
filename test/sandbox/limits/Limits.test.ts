import * as Limits from "../../../src/sandbox/limits/Limits.ts"
import type { CountedCall } from "../../../src/sandbox/limits/Provider.ts"
import { callTo, parts, type Refusal } from "../../support/limits.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const second = 1_000
const day = 24 * 3_600 * second

const start = Date.UTC(2026, 10, 25)

/** The limits of a day or a month, which the shorter limits also allow. */
const quotas: Readonly<
  Record<
    string,
    { readonly call: CountedCall; readonly calls: number; readonly every: number; readonly refusal: Refusal }
  >
> = {
  etherscan: {
    call: callTo(),
    calls: 100_000,
    every: 400,
    refusal: {
      status: 200,
      headers: {},
      body: {
        status: "0",
        message: "NOTOK",
        result: "Max daily rate limit reached. 100000 (100%) of 100000 day/limit"
      }
    }
  },
  routescan: {
    call: callTo(),
    calls: 10_000,
    every: 1_000,
    refusal: {
      status: 429,
      headers: {
        "x-ratelimit-rpd-limit": "10000",
        "x-ratelimit-rpd-remaining": "0",
        "x-ratelimit-rpd-reset": "76400"
      },
      body: { status: "0", message: "Too Many Requests", result: null }
    }
  },
  "base-blockscout": {
    call: callTo("/api?apikey=free"),
    calls: 5_000,
    every: 1_000,
    refusal: {
      status: 429,
      headers: {
        "bypass-429-option": "no_bypass",
        "x-ratelimit-limit": "5000",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": "81400000"
      },
      body: { message: "429 Too Many Requests", result: null, status: "0" }
    }
  },
  coingecko: {
    call: callTo(),
    calls: 10_000,
    every: 60_000,
    refusal: {
      status: 429,
      headers: { "retry-after": String(31 * 24 * 3_600 - 600_000) },
      body: {
        status: {
          error_code: 429,
          error_message:
            "You've exceeded the Rate Limit. Please visit https://www.coingecko.com/en/api/pricing to subscribe to our API plans for higher rate limits."
        }
      }
    }
  },
  subscan: {
    call: callTo(),
    calls: 100_000,
    every: 400,
    refusal: {
      status: 429,
      headers: {
        "retry-after": "46400",
        "ratelimit-limit": "100000",
        "ratelimit-remaining": "0",
        "ratelimit-reset": "46400"
      },
      body: { message: "API rate limit exceeded" }
    }
  },
  trongrid: {
    call: callTo("/wallet/getnowblock", { "tron-pro-api-key": "free" }),
    calls: 100_000,
    every: 400,
    refusal: {
      status: 403,
      headers: {},
      body: { Error: "The key exceeds the frequency limit(100000), and the query server is suspended for 30s" }
    }
  }
}

describe("the limits of providers", () => {
  for (const [upstream, { call, calls, every, refusal }] of Object.entries(quotas))
    it.effect(`contain the quota of ${upstream}`, function* () {
      const refuse = Limits.meter()
      let accepted = 0
      for (let sent = 0; sent < calls; sent++)
        if (refuse(upstream, call, start + sent * every) === undefined) accepted++
      assert.strictEqual(accepted, calls)
      const refused = refuse(upstream, call, start + calls * every)
      assert(refused !== undefined)
      const { body, headers, status } = refusal
      assert.deepStrictEqual(yield* parts(refused), { status, headers, text: JSON.stringify(body) })
      assert.isUndefined(refuse(upstream, call, start + (upstream === "coingecko" ? 31 * day : day)))
    })

  it("are those of each host, except for hosts with a common quota", () => {
    const refuse = Limits.meter()
    const isRefused = (upstream: string, host: string) => refuse(upstream, callTo("/", { host }), start) !== undefined
    for (let sent = 0; sent < 5; sent++) assert.isFalse(isRefused("subscan", "hub.example"))
    assert.isTrue(isRefused("subscan", "hub.example"))
    assert.isTrue(isRefused("subscan-relay", "relay.example"))
    assert.isFalse(isRefused("toncenter", "a.example"))
    assert.isTrue(isRefused("toncenter", "a.example"))
    assert.isFalse(isRefused("toncenter", "b.example"))
  })

  it("are those of each endpoint at Koios", () => {
    const refuse = Limits.meter()
    for (let sent = 0; sent < 100; sent++) assert.isUndefined(refuse("koios", callTo("/api/v1/tip"), start))
    assert.isDefined(refuse("koios", callTo("/api/v1/tip"), start))
    assert.isUndefined(refuse("koios", callTo("/api/v1/address_info"), start))
  })

  it("do not count refused calls", () => {
    const refuse = Limits.meter()
    for (let sent = 0; sent < 10; sent++) refuse("etherscan", callTo(), start)
    assert.isUndefined(refuse("etherscan", callTo(), start + second))
    assert.isUndefined(refuse("etherscan", callTo(), start + second))
    assert.isUndefined(refuse("etherscan", callTo(), start + second))
    assert.isDefined(refuse("etherscan", callTo(), start + second))
  })

  it("do not exist for providers that publish no number", () => {
    const refuse = Limits.meter()
    for (const upstream of ["defillama", "frankfurter", "tonapi", "ripple-rpc", "polkadot-rpc", "bitcoin-esplora"])
      for (let sent = 0; sent < 1_000; sent++) assert.isUndefined(refuse(upstream, callTo(), start))
  })
})
