import * as Option from "effect/Option"
import type { Family } from "../../catalogue/NetworkFacts.ts"
import { apis, blockscout } from "./apis.ts"
import {
  always,
  type CountedCall,
  cloudflare,
  type Exceeded,
  html,
  json,
  minute,
  nginx,
  type Provider,
  second,
  seconds,
  text
} from "./Provider.ts"

// Nodes, and indexers of the Bitcoin family.

const parsed = Option.liftThrowable((body: string): unknown => JSON.parse(body))

/** The calls of a JSON-RPC request, alone or in a batch. */
const callsOf = ({ body }: CountedCall): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Option.match(parsed(body), {
    onNone: () => [],
    onSome: (request) => (Array.isArray(request) ? request : [request]).map(Object)
  })

const isBatch = ({ body }: CountedCall) => body.trimStart().startsWith("[")

/** The id of a call; null for a batch that is refused as a whole. */
const idOf = (call: CountedCall): unknown => (isBatch(call) ? null : (callsOf(call)[0]?.id ?? null))

/** Each call of a batch counts. */
const eachCall = (call: CountedCall) => callsOf(call).map(() => "")

/**
 * Nodes of EVM networks, of which only Ankr publishes a number for calls without a key: 30 per second, by address
 * (ankr.com, public RPC). The error is Infura's (recorded, gochain/web3#180), with the code of EIP-1474; other nodes
 * return that code with HTTP 200. A batch is refused with one object.
 */
const evm = {
  plan: [{ calls: 30, every: second, counters: eachCall }],
  header: (exceeded, call) => json(evmError(exceeded, call), 429, { "retry-after": seconds(exceeded) }),
  body: (exceeded, call) => json(evmError(exceeded, call), 200)
} satisfies Provider

const evmError = (exceeded: Exceeded, call: CountedCall) => ({
  jsonrpc: "2.0",
  id: idOf(call),
  error: {
    code: -32005,
    message: "daily request count exceeded, request rate limited",
    data: {
      rate: { allowed_rps: exceeded.calls, backoff_seconds: Number(seconds(exceeded)), current_rps: exceeded.calls },
      see: "https://infura.io/dashboard"
    }
  }
})

/**
 * solana.com/docs/references/clusters: 100 calls in ten seconds, 40 of a method. The texts are recorded
 * (blocto/solana-go-sdk#107) and the code is the positive status; the public nodes send Retry-After
 * (solana-labs/solana#17064) and the limit of the method.
 */
const solana = {
  plan: [
    { calls: 40, every: 10 * second, counters: (call) => callsOf(call).map(({ method }) => String(method)) },
    { calls: 100, every: 10 * second, counters: eachCall }
  ],
  header: (exceeded, call) => {
    const counted = exceeded.counter === "" ? "rps" : "method"
    return json(solanaError(exceeded, call), 429, {
      "retry-after": seconds(exceeded),
      [`x-ratelimit-${counted}-limit`]: String(exceeded.calls),
      [`x-ratelimit-${counted}-remaining`]: "0"
    })
  },
  body: (exceeded, call) => json(solanaError(exceeded, call), 429)
} satisfies Provider

const solanaError = ({ counter }: Exceeded, call: CountedCall) => ({
  jsonrpc: "2.0",
  error: {
    code: 429,
    message:
      counter === ""
        ? "Too many requests from your IP, contact your app developer or support@rpcpool.com."
        : "Too many requests for a specific RPC call, please contact your app developer to further troubleshoot. If you are using an open endpoint, please consider signing up for your own subscription to avoid getting rate limited, you can find some suitable options at https://solana.com/rpc."
  },
  id: idOf(call)
})

/** docs.sui.io (RPC best practices): 100 calls in 30 seconds on the public hosts. No form is documented. */
const sui = {
  plan: [{ calls: 100, every: 30 * second }],
  ...always(() => text("Too Many Requests", 429))
} satisfies Provider

/** xrpl.org (rate limiting; universal errors): a text with status 503, or an error in the result. No number. */
const ripple = {
  plan: [],
  header: () => text("Server is overloaded", 503),
  body: (_, call) => {
    const [{ method, params } = {}] = callsOf(call)
    return json(
      {
        result: {
          error: "slowDown",
          error_code: 10,
          error_message: "You are placing too much load on the server.",
          request: { command: method, ...Object(Array.isArray(params) ? params[0] : {}) },
          status: "error"
        }
      },
      200
    )
  }
} satisfies Provider

/**
 * paritytech/polkadot-sdk (rpc-servers, reject_too_many_calls): each call of a batch has its own error. OnFinality, a
 * gateway, refuses with status 429.
 */
const polkadot = {
  plan: [],
  header: (exceeded, call) =>
    json(
      {
        jsonrpc: "2.0",
        error: {
          code: -32029,
          message: "Too Many Requests, Please apply an OnFinality API key or contact us to receive a higher rate limit"
        },
        id: idOf(call)
      },
      429,
      { "retry-after": seconds(exceeded) }
    ),
  body: (_, call) => {
    const errors = callsOf(call).map(({ id = null }) => ({
      jsonrpc: "2.0",
      id,
      error: { code: -32999, message: "RPC rate limit exceeded" }
    }))
    return json(isBatch(call) ? errors : errors[0], 200)
  }
} satisfies Provider

/** bitcoin/bitcoin (httpserver.cpp): the queue of the node is full. */
const utxo = { plan: [], ...always(() => text("Work queue depth exceeded", 503)) } satisfies Provider

const { toncenter: ton } = apis

/** The nodes of each family. Those of Tron and Cardano are parts of their APIs. */
const nodes: { readonly [F in Family]?: Provider } = { evm, solana, ripple, polkadot, utxo, ton }

/** mempool.space: no number is published; the page is recorded (sbounmy/hongbao_bitcoin#340). */
const esplora: Provider = {
  plan: [],
  ...always(() =>
    html(
      '<html>\n<head><title>429 Too Many Requests</title></head>\n<body>\n<center><h1>429 Too Many Requests</h1></center>\n<center><h2>Sign Up for <a href="https://mempool.space/enterprise">Mempool Enterprise</a> to get increased API limits</h2></center>\n</body>\n</html>\n',
      429
    )
  )
}

/** trezor/blockbook (rest_rate_limiter.go), with its first defaults: 20 calls per minute, a burst of 20. */
const blockbook: Provider = {
  plan: [{ calls: 20, every: minute, refills: true }],
  ...always(
    (exceeded) =>
      new Response('{"error":"rate limit exceeded"}\n', {
        status: 429,
        headers: { "content-type": "application/json; charset=utf-8", "retry-after": seconds(exceeded) }
      })
  )
}

/** blockcypher.com/dev (rate limits): 3 per second; each item of a batch counts. Recorded (blockcypher/php-client#31). */
const blockcypher: Provider = {
  plan: [
    {
      calls: 3,
      every: second,
      counters: ({ path }) =>
        decodeURIComponent(path)
          .split(";")
          .map(() => "")
    }
  ],
  ...always(() =>
    json(
      {
        error:
          "API calls limits have been reached. To extend your limits please upgrade your plan on BlockCypher accounts page."
      },
      429,
      { "x-ratelimit-remaining": "0" }
    )
  )
}

/** By the end of the upstream's name. */
const indexers: Readonly<Record<string, Provider>> = {
  "-blockscout": blockscout,
  "-esplora": esplora,
  "-blockbook": blockbook,
  "-haskoin": { plan: [], ...always(nginx) },
  "-blockcypher": blockcypher,
  "-blockchain-info": { plan: [], ...always(cloudflare) }
}

const exact: Readonly<Record<string, Provider>> = { ...apis, "sui-graphql": sui }

/** The provider behind an upstream; undefined if there is no such upstream. */
export const providerOf = (name: string, familyOf: (id: string) => Family | undefined): Provider | undefined => {
  if (Object.hasOwn(exact, name)) return exact[name]
  const [, network] = /^(.+?)(?:-testnet)?-rpc$/.exec(name) ?? []
  if (network !== undefined) return nodes[familyOf(network) ?? "evm"]
  return Object.entries(indexers).find(([end]) => name.endsWith(end))?.[1]
}
