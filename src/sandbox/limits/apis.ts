import { always, type CountedCall, cloudflare, day, json, minute, type Provider, second, seconds } from "./Provider.ts"

// Prices, explorers and services that serve several networks.

/**
 * docs.coingecko.com (errors and rate limits), coingecko.com/api/pricing (Demo: 30 calls per minute, 10,000 per month).
 * The response is recorded (nimblehq/jetpack-compose-crypto#45); it is also reported with HTTP 200.
 */
const coingecko: Provider = {
  plan: [
    { calls: 30, every: minute },
    { calls: 10_000, every: 31 * day }
  ],
  header: (exceeded) => json(coingeckoError, 429, { "retry-after": seconds(exceeded) }),
  body: () => json(coingeckoError, 200)
}

const coingeckoError = {
  status: {
    error_code: 429,
    error_message:
      "You've exceeded the Rate Limit. Please visit https://www.coingecko.com/en/api/pricing to subscribe to our API plans for higher rate limits."
  }
}

/** developers.binance.com (rate limits, errors): each request has a weight, by its route and number of symbols. */
const binance: Provider = {
  plan: [{ calls: 6_000, every: minute, counters: (call) => Array.from({ length: binanceWeight(call) }, () => "") }],
  ...always((exceeded) =>
    json(
      {
        code: -1003,
        msg: `Too much request weight used; current limit is ${exceeded.calls} request weight per 1 MINUTE. Please use WebSocket Streams for live updates to avoid polling the API.`
      },
      429,
      { "retry-after": seconds(exceeded), "x-mbx-used-weight-1m": String(exceeded.calls) }
    )
  )
}

const binanceWeight = ({ path, query }: CountedCall): number => {
  if (!path.endsWith("/ticker/24hr")) return path.endsWith("/klines") ? 2 : 1
  const count = query.get("symbols")?.split(",").length ?? (query.has("symbol") ? 1 : Number.POSITIVE_INFINITY)
  return count > 100 ? 80 : count > 20 ? 40 : 2
}

/** docs.etherscan.io (rate limits, common error messages). Refusals have HTTP 200 (recorded, rotki/rotki#8626). */
const etherscan: Provider = {
  plan: [
    { calls: 3, every: second },
    { calls: 100_000, every: day }
  ],
  ...always(({ calls, every }) =>
    json(
      {
        status: "0",
        message: "NOTOK",
        result:
          every === day
            ? `Max daily rate limit reached. ${calls} (100%) of ${calls} day/limit`
            : `Max calls per sec rate limit reached (${calls}/sec)`
      },
      200
    )
  )
}

/**
 * docs.blockscout.com (requests and limits; PRO: 100,000 credits per day, 20 per call). The body is recorded
 * (blockscout/blockscout#8226), and so are the names of the headers; the reset is in milliseconds.
 */
export const blockscout: Provider = {
  plan: [{ calls: 300, every: minute }],
  key: "apikey",
  keyedPlan: [
    { calls: 5, every: second },
    { calls: 5_000, every: day }
  ],
  ...always(({ calls, wait }) =>
    json({ message: "429 Too Many Requests", result: null, status: "0" }, 429, {
      "bypass-429-option": "no_bypass",
      "x-ratelimit-limit": String(calls),
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(wait)
    })
  )
}

const routescanPlan = (perMinute: number, perDay: number) => [
  { calls: perMinute, every: minute },
  { calls: perDay, every: day }
]

/**
 * routescan.io/documentation (2 calls per second and 10,000 per day without a key, 5 and 100,000 with one). The names
 * of the headers are recorded, per minute and day. Refusals have HTTP 429 (rotki/rotki#11051); the body is not
 * recorded and follows that of other errors.
 */
const routescan: Provider = {
  plan: routescanPlan(120, 10_000),
  key: "apikey",
  keyedPlan: routescanPlan(300, 100_000),
  ...always((exceeded) => {
    const window = exceeded.every === day ? "rpd" : "rpm"
    return json({ status: "0", message: "Too Many Requests", result: null }, 429, {
      [`x-ratelimit-${window}-limit`]: String(exceeded.calls),
      [`x-ratelimit-${window}-remaining`]: "0",
      [`x-ratelimit-${window}-reset`]: seconds(exceeded)
    })
  })
}

/** docs.tenderly.co (simulations): no rate is published. The form is that of other errors. */
const tenderly: Provider = {
  plan: [],
  ...always(() =>
    json(
      {
        error: { id: "00000000-0000-0000-0000-000000000000", slug: "too_many_requests", message: "Too many requests" }
      },
      429
    )
  )
}

/** support.subscan.io (rate limits): 5 calls per second and 100,000 per day with a free key, for all networks. */
const subscan: Provider = {
  plan: [
    { calls: 5, every: second },
    { calls: 100_000, every: day }
  ],
  countsAllHosts: true,
  ...always((exceeded) =>
    json({ message: "API rate limit exceeded" }, 429, {
      "retry-after": seconds(exceeded),
      "ratelimit-limit": String(exceeded.calls),
      "ratelimit-remaining": "0",
      "ratelimit-reset": seconds(exceeded)
    })
  )
}

/** docs.ton.org (rate limit of TON Center): one call per second, 10 with a free key. */
const toncenter: Provider = {
  plan: [{ calls: 1, every: second }],
  key: "X-API-Key",
  keyedPlan: [{ calls: 10, every: second }],
  ...always(() => json({ ok: false, result: "Ratelimit exceed", code: 429 }, 429))
}

/** docs.tonconsole.com: no number is fixed. */
const tonapi: Provider = { plan: [], ...always(() => json({ error: "rate limit: free tier" }, 429)) }

/**
 * developers.tron.network (rate limits): 15 calls per second and 100,000 per day, then no call for 30 seconds. With a key,
 * the status is 403. Without, it is 429, and there is no Retry-After. An overloaded node returns the error with HTTP 200
 * (tronprotocol/documentation-en, triggerconstantcontract).
 */
const trongrid: Provider = {
  plan: [
    { calls: 15, every: second, suspends: 30 * second },
    { calls: 100_000, every: day }
  ],
  key: "TRON-PRO-API-KEY",
  header: (exceeded, { path }) => {
    const { calls, isKeyed } = exceeded
    // After the calls of a day, too, a suspension is no longer than this.
    const wait = seconds({ wait: Math.min(exceeded.wait, 30 * second) })
    if (!isKeyed)
      return json(
        {
          Error: `request rate exceeded the allowed_rps(${calls}), and the query server is suspended for ${wait} s. To obtain higher request quotas and a more stable service, it is recommended to authenticate with an API Key. Please refer to the documentation: https://developers.tron.network/reference/select-network#how-to-get-an-api-key`
        },
        429
      )
    const error = `The key exceeds the frequency limit(${calls}), and the query server is suspended for ${wait}s`
    return json(path.includes("/v1/") ? { Success: false, Error: error, StatusCode: 403 } : { Error: error }, 403)
  },
  body: () => json({ Error: "class java.lang.IllegalAccessException : lack of computing resources" }, 200)
}

/**
 * blockfrost/openapi: 10 calls per second, with a burst of 500 that refills at the same rate. The free plan has a quota
 * per day too, whose number is not a part of that document.
 */
const blockfrost: Provider = {
  plan: [{ calls: 500, every: 50 * second, refills: true }],
  ...always(() => json({ status_code: 429, error: "Project Over Limit", message: "Usage is over limit." }, 429))
}

/**
 * cardano-community/koios-artifacts (info.yaml): 100 calls of an endpoint in ten seconds, then none for a minute. The
 * gateway is HAProxy, whose page for this status it is.
 */
const koios: Provider = {
  plan: [{ calls: 100, every: 10 * second, suspends: minute, counters: ({ path }) => [path] }],
  ...always(
    () =>
      new Response(
        "<html><body><h1>429 Too Many Requests</h1>\nYou have sent too many requests in a given amount of time.\n</body></html>\n",
        { status: 429, headers: { "content-type": "text/html", "cache-control": "no-cache" } }
      )
  )
}

/** developers.jup.ag (rate limits): 30 calls per minute, 60 with a free key. The body of a refusal is not documented. */
const jupiter: Provider = {
  plan: [{ calls: 30, every: minute }],
  key: "x-api-key",
  keyedPlan: [{ calls: 60, every: minute }],
  ...always(() => json({ message: "Too Many Requests" }, 429))
}

/** Hosts behind Cloudflare that publish no number. */
const behindCloudflare: Provider = { plan: [], ...always(cloudflare) }

/** By the name of the upstream. */
export const apis = {
  coingecko,
  "coingecko-tokens": behindCloudflare,
  icons: behindCloudflare,
  defillama: behindCloudflare,
  binance,
  frankfurter: behindCloudflare,
  jupiter,
  etherscan,
  routescan,
  tenderly,
  subscan,
  "subscan-relay": subscan,
  toncenter,
  tonapi,
  trongrid,
  blockfrost,
  koios
} satisfies Readonly<Record<string, Provider>>
