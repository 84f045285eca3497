import * as Effect from "effect/Effect"
import { spec } from "../support/document.ts"
import { Edge, problem } from "../support/edge.ts"
import { assert, layer } from "../support/vitest.ts"

const address = "0x00000000219ab540356cBB839Cbe05303d7705Fa"

interface Case {
  readonly route: string
  /** Path and query of the request, if it is not the route itself. */
  readonly target?: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged. */
  readonly text?: string
  readonly issues: Readonly<Record<string, string>>
}

const get = (target: string, issues: Case["issues"], route = `get ${target.split("?")[0]}`): Case => ({
  route,
  target,
  issues
})

const post = (target: string, body: unknown, issues: Case["issues"]): Case => ({
  route: `post ${target.split("?")[0]}`,
  target,
  body,
  issues
})

const anObject = (value: string) => ({ "": `the body must be a JSON object; it is ${value}` })

const objects = (target: string) => [
  post(target, [], anObject("[]")),
  post(target, null, anObject("null")),
  post(target, "x", anObject('"x"'))
]

const unreadable = (target: string): ReadonlyArray<Case> =>
  [
    ["", "the body is empty; this route expects JSON"],
    ["  ", "the body is empty; this route expects JSON"],
    ["{", "the body is not valid JSON: Expected '}'"],
    ["nope", 'the body is not valid JSON: Unexpected identifier "nope"']
  ].map(([text = "", message = ""]) => ({ route: `post ${target}`, target, text, issues: { "": message } }))

const networkLists = (target: string, items = "addresses") => [
  post(target, {}, { networks: "is missing" }),
  ...[null, [], "ethereum", 5].map((networks) =>
    post(
      target,
      { networks },
      { networks: `must be an object with a list of ${items} for each network id; it is ${JSON.stringify(networks)}` }
    )
  ),
  post(
    target,
    { networks: { bitcoin: ["a", null, 5], tron: "T", base: null } },
    {
      "networks.bitcoin.1": "must be a string; it is null",
      "networks.bitcoin.2": "must be a string; it is 5",
      "networks.tron": `must be a list of ${items}; it is "T"`,
      "networks.base": `must be a list of ${items}; it is null`
    }
  ),
  ...objects(target),
  ...unreadable(target)
]

const pair = "must be a network and an address with a colon between them, such as ethereum:0x…"

const pairs = (target: string) => [
  get(target, { addresses: "is missing" }),
  get(`${target}?addresses=`, { addresses: "needs at least one value" }),
  get(`${target}?addresses=,%20,`, { addresses: "needs at least one value" }),
  get(`${target}?addresses=a:${"1,a:".repeat(3000)}1`, { addresses: "has more than 3000 values" }),
  ...[address, "ethereum:", `:${address}`].map((text) =>
    get(`${target}?addresses=a:1,${text}`, { "addresses.1": `${pair}; it is "${text}"` })
  ),
  get(`${target}?address=a:1`, {
    address: `is not a known query parameter; did you mean "addresses"? allowed: ${target === "/balance/stream" ? "addresses, currency, detail, unlisted" : "addresses, limit, meta, cursors"}`
  })
]

const balance = [
  ...networkLists("/balance"),
  ...pairs("/balance/stream"),
  post(
    "/balance",
    { network: { ethereum: [address] } },
    {
      network: 'is not a known member; did you mean "networks"? allowed: networks, currency, detail, unlisted',
      networks: "is missing"
    }
  ),
  post(
    "/balance/token",
    { networkId: "ethereum", address, tokenAdress: address },
    {
      tokenAdress:
        'is not a known member; did you mean "tokenAddress"? allowed: networkId, address, tokenAddress, currency, detail'
    }
  ),
  post(
    "/balance/token",
    { networkId: 5, tokenAddress: 5, contract: address },
    {
      contract: "is not a known member; allowed: networkId, address, tokenAddress, currency, detail",
      networkId: "must be a string; it is 5",
      address: "is missing",
      tokenAddress: "must be a string or null; it is 5"
    }
  ),
  post(
    "/balance/token",
    { networkId: "ethereum", address, tokenAddress: "" },
    { tokenAddress: "must not be empty: leave it out, or send null, for the native coin" }
  ),
  ...objects("/balance/token"),
  ...unreadable("/balance/token")
]

const limit = "must be a whole number from 1 to 500"

const search = [
  get("/tokens/search", { q: "is missing" }),
  get("/tokens/search?q=", { q: "must not be empty" }),
  get(`/tokens/search?q=${"x".repeat(101)}`, { q: "must be at most 100 characters long" }),
  ...["0", "51", "x"].map((text) =>
    get(`/tokens/search?q=a&limit=${text}`, {
      limit: `must be a whole number from 1 to 50; it is ${text === "x" ? '"x"' : text}`
    })
  ),
  get("/tokens/search?q=a&networks=,", { networks: "needs at least one value" })
]

const history = [
  ...networkLists("/history"),
  ...pairs("/history/stream"),
  ...["0", "501", "1.5", "050", "x", ""].map((text) =>
    get(`/history/stream?addresses=a:1&limit=${text}`, {
      limit: `${limit}; it is ${/^(0|501)$/.test(text) ? text : JSON.stringify(text)}`
    })
  ),
  get("/history/stream?addresses=a:1&meta=1", { meta: "must be true or false; it is 1" }),
  ...[0, 501, 1.5, "50", null].map((value) =>
    post("/history", { networks: {}, limit: value }, { limit: `${limit}; it is ${JSON.stringify(value)}` })
  ),
  ...["true", 1, null].map((value) =>
    post("/history", { networks: {}, meta: value }, { meta: `must be true or false; it is ${JSON.stringify(value)}` })
  ),
  post(
    "/history",
    { networks: {}, Limit: 5, cursor: 5 },
    {
      Limit: 'is not a known member; did you mean "limit"? allowed: networks, limit, meta, cursors',
      cursor: 'is not a known member; did you mean "cursors"? allowed: networks, limit, meta, cursors'
    }
  )
]

const once = "must be given only once"
const atLeastOne = "needs at least one value"

const price = [
  get("/price", { network_ids: "is missing" }),
  get("/price?network_ids=", { network_ids: atLeastOne }),
  get("/price?network_ids=1&network_ids=10", { network_ids: once }),
  get("/price?network_ids=1,base", { "network_ids.1": 'must be a chain id; it is "base"' }),
  get("/price?network_ids=1&curency=eur", {
    curency: 'is not a known query parameter; did you mean "currency"? allowed: network_ids, currency'
  }),
  get("/price?network_ids=1&c%75rrency=eur&currency=usd", { currency: once }),
  get("/price/coin", { coin_ids: "is missing" }),
  get("/price/coin?coin_ids=,", { coin_ids: atLeastOne }),
  get(`/price/coin?coin_ids=${"a".repeat(201)}`, { "coin_ids.0": "must be at most 200 characters long" }),
  get(`/price/coin?coin_ids=${"a,".repeat(1001)}`, { coin_ids: "has more than 1000 values" }),
  get("/price/coin?coin_id=bitcoin", {
    coin_id: 'is not a known query parameter; did you mean "coin_ids"? allowed: coin_ids, currency'
  }),
  get("/price/market_chart", { coin_ids: "is missing", days: "is missing" }),
  get("/price/market_chart?coin_ids=bitcoin&days=2", { days: 'must be one of 1, 7, 30, 365; it is "2"' }),
  get("/price/market_chart?coin_ids=bitcoin&days=1&days=7", { days: once }),
  get("/price/market_chart?coin_ids=a%2Fb&days=1", {
    "coin_ids.0": "must be a coin id without slashes, and not . or .."
  }),
  get(`/price/market_chart?coin_ids=${"a,".repeat(101)}&days=1`, {
    coin_ids: "has more than 100 values"
  }),
  get("/price/market_chart?coin_ids=bitcoin&dyas=1", {
    dyas: 'is not a known query parameter; did you mean "days"? allowed: coin_ids, days, currency'
  }),
  get(
    "/price/coin/details/a%20b",
    { platform: "must be 1 to 100 letters, digits, hyphens or underscores" },
    "get /price/coin/details/{platform}"
  ),
  get(
    "/price/coin/details/base/%2e%2e%2f",
    { contract: "must be 1 to 200 letters, digits or characters of . _ : $ ~ -, and not . or .." },
    "get /price/coin/details/{platform}/{contract}"
  )
]

const chart = [
  get(
    "/app/mdata/item/solana/7",
    {
      coin: 'must be one of bitcoin, ethereum, cardano, binancecoin, shiba-inu, chainlink, dogecoin; it is "solana"',
      period: 'must be one of 1, 30, 365; it is "7"'
    },
    "get /app/mdata/item/{coin}/{period}"
  ),
  get(
    "/app/mdata/list/bitcoin,solana/30",
    {
      "coins.1":
        'must be one of bitcoin, ethereum, cardano, binancecoin, shiba-inu, chainlink, dogecoin; it is "solana"'
    },
    "get /app/mdata/list/{coins}/{period}"
  ),
  get("/app/mdata/list/,/30", { coins: atLeastOne }, "get /app/mdata/list/{coins}/{period}")
]

const elsewhere = "is missing; give it in the query or in a JSON body"

const transactions = ["/utils/sendrawtransaction", "/utils/getrawtransaction"].flatMap((target) => [
  post(target, {}, { chain: elsewhere, tx: elsewhere }),
  post(`${target}?chain=bitcoin`, { tx: 5 }, { tx: "must be a string; it is 5" }),
  post(`${target}?chain=&tx=00`, {}, { chain: "must not be empty" }),
  post(`${target}?chain=bitcoin`, { tx: "" }, { tx: "must not be empty" }),
  post(`${target}?chain=bitcoin&tx=00&tx=01`, {}, { tx: once }),
  post(
    `${target}?chian=bitcoin&tx=00`,
    {},
    { chian: 'is not a known query parameter; did you mean "chain"? allowed: chain, tx' }
  ),
  post(
    `${target}?chain=bitcoin&tx=00`,
    { chian: "bch" },
    { chian: 'is not a known member; did you mean "chain"? allowed: chain, tx' }
  ),
  ...objects(target),
  ...unreadable(target).filter(({ text }) => text?.trim() !== "")
])

const input = { from: address, to: address, input: "0x" }
const simulated = "/utils/simulate-tx"

const relay = [
  ...unreadable("/utils/rpc/base").map((refusal) => ({ ...refusal, route: "post /utils/rpc/{network}" })),
  ...unreadable("/utils/rpc/base/testnet").map((refusal) => ({
    ...refusal,
    route: "post /utils/rpc/{network}/testnet"
  })),
  post(simulated, {}, { chain: "is missing", input: "is missing" }),
  post(
    simulated,
    { chain: 1, input: null },
    {
      chain: "must be a string, one of 1, 10, 56, 137, 8453, 42161, 43114; it is 1",
      input: "must be a JSON object; it is null"
    }
  ),
  post(
    simulated,
    {
      chain: "5",
      input: {
        from: 5,
        to: "0x",
        input: "0x0",
        gas: 0,
        gas_price: "-1",
        value: 5,
        block_number: 1.5,
        simulation_type: 7,
        gasPrice: "1"
      },
      save: true
    },
    {
      save: "is not a known member; allowed: chain, input",
      chain: 'must be one of 1, 10, 56, 137, 8453, 42161, 43114; it is "5"',
      "input.gasPrice":
        'is not a known member; did you mean "gas_price"? allowed: from, to, input, gas, gas_price, value, block_number, simulation_type',
      "input.from": "must be a string; it is 5",
      "input.to": "an address is 0x and 40 hexadecimal digits",
      "input.input": "must be 0x and whole bytes in hexadecimal digits",
      "input.gas": "must be a whole number from 1 to 2^53 - 1; it is 0",
      "input.gas_price": "must be a whole number below 2^256: decimal, or 0x and hexadecimal digits",
      "input.value": "must be a string; it is 5",
      "input.block_number": "must be a whole number from 0 to 2^53 - 1; it is 1.5",
      "input.simulation_type": "must be a string, one of full, quick, abi; it is 7"
    }
  ),
  post(simulated, { chain: "1", input: [input] }, { input: `must be a JSON object; it is ${JSON.stringify([input])}` }),
  ...objects(simulated),
  ...unreadable(simulated),
  post("/utils/transaction-context", {}, { networks: "is missing" }),
  post(
    "/utils/transaction-context",
    { networks: { base: 5 } },
    { "networks.base": "must be a list of addresses; it is 5" }
  ),
  ...objects("/utils/transaction-context"),
  post("/transactions/send", {}, { network: "is missing", transaction: "is missing" }),
  post(
    "/transactions/send",
    { network: "ethereum", transaction: "", testnet: 1 },
    { transaction: 'must be the text of a signed transaction; it is ""', testnet: "must be true or false; it is 1" }
  ),
  post("/transactions/decode", {}, { network: "is missing", transaction: "is missing" }),
  post(
    "/transactions/decode",
    { network: "ethereum", transaction: "0x", testnet: true },
    { testnet: "is not a known member; allowed: network, transaction" }
  ),
  post("/transactions/replacement", {}, { network: "is missing", hash: "is missing" }),
  post("/transactions/check-recipient", {}, { network: "is missing", from: "is missing", to: "is missing" }),
  post("/transactions/estimate", {}, { network: "is missing", transaction: "is missing" }),
  post(
    "/transactions/estimate",
    { network: "base", transaction: { to: 5, value: "0x1", data: "0x123", gas: "1" } },
    {
      "transaction.from": "is missing",
      "transaction.to": "must be a string or null; it is 5",
      "transaction.value": "must be a decimal whole number below 2^256",
      "transaction.data": "must be 0x and whole bytes in hexadecimal digits",
      "transaction.gas": "is not a known member; allowed: from, to, value, data"
    }
  ),
  post(
    "/transactions/estimate",
    { network: "base", transaction: { from: address, value: String(2n ** 256n), data: `0x${"00".repeat(131_073)}` } },
    {
      "transaction.value": "must be a decimal whole number below 2^256",
      "transaction.data": "must have at most 131072 bytes"
    }
  ),
  post("/utils/first-tx", {}, { networkIds: "is missing", address: "is missing" }),
  post(
    "/utils/first-tx",
    { networkIds: "base", address: null },
    { networkIds: 'must be a list of network ids; it is "base"', address: "must be a string; it is null" }
  ),
  post("/utils/first-tx", { networkIds: [5], address }, { "networkIds.0": "must be a string; it is 5" }),
  post(
    "/utils/first-tx",
    { networks: ["base"], networkIds: ["base"], address },
    { networks: 'is not a known member; did you mean "networkIds"? allowed: networkIds, address' }
  ),
  ...objects("/utils/first-tx"),
  ...unreadable("/utils/first-tx")
]

const later: ReadonlyArray<Case> = [
  ...networkLists("/transactions/status", "transaction hashes"),
  ...[
    "/transactions/send",
    "/transactions/decode",
    "/transactions/replacement",
    "/transactions/estimate",
    "/transactions/check-recipient"
  ].flatMap((target) => [...objects(target), ...unreadable(target)]),
  post("/transactions/replacement", { network: 5 }, { network: "must be a string; it is 5", hash: "is missing" }),
  get("/history/export?addresses=ethereum:0x1&format=xml", { format: 'must be one of csv, ndjson; it is "xml"' }),
  get("/history/export?adresses=ethereum:0x1", {
    adresses: 'is not a known query parameter; did you mean "addresses"? allowed: addresses, format, end'
  }),
  ...unreadable("/portfolio/chart"),
  post("/portfolio/chart", { networks: {}, days: 2 }, { days: "must be one of 1, 7, 30, 365; it is 2" }),
  get(
    "/transactions/tron/00?at=1",
    { at: "is not a known query parameter; this route has none" },
    "get /transactions/{network}/{hash}"
  ),
  get(
    "/token/tron/T?currency=xxx&at=1",
    {
      at: "is not a known query parameter; allowed: currency"
    },
    "get /token/{network}/{contract}"
  ),
  get(
    "/utils/block/tron?at=1",
    { at: "is not a known query parameter; this route has none" },
    "get /utils/block/{network}"
  ),
  get(
    "/utils/fees/tron?adress=T",
    { adress: 'is not a known query parameter; did you mean "address"? allowed: address' },
    "get /utils/fees/{network}"
  ),
  get(
    `/address/${"x".repeat(257)}`,
    { text: `must be at most 256 characters long; it is "${"x".repeat(256)}…` },
    "get /address/{text}"
  ),
  get("/icon/a%20b", { coinId: 'must be a coin id, such as usd-coin; it is "a b"' }, "get /icon/{coinId}"),
  get(
    "/icon/..%2Fnetworks",
    { coinId: 'must be a coin id, such as usd-coin; it is "../networks"' },
    "get /icon/{coinId}"
  ),
  get(`/icon/${"x".repeat(201)}`, { coinId: "must be at most 200 characters long" }, "get /icon/{coinId}")
]

const cases: ReadonlyArray<Case> = [
  ...balance,
  ...search,
  ...history,
  ...price,
  ...chart,
  ...transactions,
  ...relay,
  ...later
]

const methodOf = ({ route }: Case) => route.split(" ")[0]?.toUpperCase() ?? ""

const sent = Effect.fnUntraced(function* (refusal: Case) {
  const { call } = yield* Edge
  const method = methodOf(refusal)
  const body = refusal.text ?? JSON.stringify(refusal.body)
  const headers = { "content-type": "application/json" }
  return yield* problem(
    yield* call(refusal.target ?? "", method === "GET" ? {} : { method, headers, ...(body === "" ? {} : { body }) })
  )
})

/** A fragment, which is not sent, distinguishes two forms of a route. */
const operations = Object.entries(spec.paths).flatMap(([path, item]) =>
  path.includes("#")
    ? []
    : Object.entries(item).map(([method, operation]) => ({ route: `${method} ${path}`, method, path, operation }))
)

/** The path of a route with a value for every parameter. */
const reached = (path: string) =>
  path
    .replace("{network}", "base")
    .replace("{coin}", "bitcoin")
    .replace("{coins}", "bitcoin")
    .replace("{period}", "30")
    .replace(/\{\w+\}/g, "x")

layer(Edge.layer())("an invalid request", (it) => {
  it.effect.each(
    cases.map(
      (refusal) =>
        [`${refusal.target} ${refusal.text ?? JSON.stringify(refusal.body) ?? ""}`.slice(0, 120), refusal] as const
    )
  )("gets a readable message for each issue: %s", ([, refusal]) =>
    Effect.gen(function* () {
      const { detail, issues = [], status } = yield* sent(refusal)
      assert.strictEqual(status, 400)
      assert.strictEqual(issues.length, Object.keys(refusal.issues).length)
      assert.deepStrictEqual(Object.fromEntries(issues.map(({ message, path }) => [path, message])), refusal.issues)
      assert.match(detail ?? "", /^The request is not valid: /)
      assert.notMatch(JSON.stringify([detail, issues]), /, actual|declaration|Encoded side|Struct|undefined/)
    })
  )

  it("is tested for every route that has parameters or a body", () => {
    const tried = new Set(cases.map(({ route }) => route))
    const free = ["get /utils/fund-testnet-account/{address}"]
    for (const { operation, route } of operations)
      if (operation.parameters.some((parameter) => parameter.in !== "header") || operation.requestBody !== undefined)
        assert.isTrue(tried.has(route) || free.includes(route), route)
  })

  it.effect.each(operations.map(({ method, path, route }) => [route, method, reached(path)] as const))(
    "gets 400 for an unknown query parameter: %s",
    ([, method, path]) =>
      Effect.gen(function* () {
        const { call } = yield* Edge
        for (const verb of method === "get" && !path.includes("fund-testnet")
          ? ["GET", "HEAD"]
          : [method.toUpperCase()]) {
          const response = yield* call(`${path}?zzzzz=1`, {
            method: verb,
            headers: { "content-type": "application/json" },
            ...(verb === "POST" ? { body: "{}" } : {})
          })
          assert.strictEqual(response.status, 400, verb)
          if (verb === "HEAD") continue
          const { issues } = yield* problem(response)
          assert.deepStrictEqual(
            issues?.map(({ path }) => path),
            ["zzzzz"]
          )
          assert.match(issues?.[0]?.message ?? "", /^is not a known query parameter; (allowed: \w|this route has none)/)
        }
      })
  )

  it("gets a short response even if it is very long", function* () {
    const { call, post: send } = yield* Edge
    const long = "a".repeat(20_000)
    const requests = [
      yield* call(`/price?${long}=1&network_ids=1`),
      yield* call(`/price?${Array.from({ length: 5000 }, (_, index) => `p${index}=1`).join("&")}`),
      yield* send("/balance", { [long]: 1, networks: { [long]: [1] } }),
      yield* send("/balance", Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`p${index}`, 1])))
    ]
    for (const response of requests) {
      assert.strictEqual(response.status, 400)
      assert.isBelow(JSON.stringify(yield* problem(response)).length, 12_000)
    }
  })

  it("is not detected in a proxied call: unknown members are passed on", function* () {
    const { post: send } = yield* Edge
    const response = yield* send("/utils/rpc/base", {
      jsonrpc: "2.0",
      id: 1,
      method: "eth_chainId",
      more: 1,
      parms: []
    })
    assert.strictEqual(response.status, 200)
  })
})
