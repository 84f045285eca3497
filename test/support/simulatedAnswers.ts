import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import type { Family } from "../../src/catalogue/NetworkFacts.ts"
import * as World from "../../src/sandbox/world/World.ts"
import { Networks, Service, settled, type UpstreamRequest, Upstreams } from "../../src/testing/index.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"
import { parse } from "../../src/upstream/record/Exchange.ts"
import { families } from "../chains/families/index.ts"
import { samples } from "../chains/families/samples.ts"
import { answersOf, folderOf } from "./endpoints.ts"
import type { Exchange } from "./fixtures.ts"
import { assert } from "./vitest.ts"

/** Networks by family that have all kinds of its upstreams among them. */
const networksOf: Readonly<Record<Family, ReadonlyArray<string>>> = {
  evm: ["ethereum", "optimism", "arbitrum"],
  utxo: ["bitcoin", "bch", "dogecoin"],
  tron: ["tron"],
  cardano: ["cardano"],
  solana: ["solana"],
  sui: ["sui"],
  ton: ["ton"],
  ripple: ["ripple"],
  polkadot: ["polkadot"]
}

/** Upstreams of prices and facts of coins. */
const ofMarket = ["coingecko", "coingecko-tokens", "defillama", "binance", "frankfurter", "tenderly"]
const common = [...ofMarket, "icons", "testnet-rpc"]

const keys = {
  ETHERSCAN_API_KEY: "key",
  TENDERLY_ACCESS_KEY: "key",
  BLOCKFROST_PROJECT_ID: "key",
  SUBSCAN_API_KEY: "key"
}

const token = "0xdac17f958d2ee523a2206206994597c13d831ec7"

/** Calls about the market, with bodies. */
const marketCalls: ReadonlyArray<readonly [path: string, body?: unknown]> = [
  ["/price/coin?coin_ids=bitcoin,ethereum,pepe&currency=eur"],
  ["/price?network_ids=1"],
  ["/price/market_chart?coin_ids=bitcoin&days=7"],
  ["/price/currencies"],
  ["/price/coin/details/ethereum"],
  [`/price/coin/details/ethereum/${token}`],
  ["/app/mdata/data"],
  ["/app/mdata/item/bitcoin/7"],
  ["/balance", { networks: { ethereum: [token] } }],
  ["/utils/simulate-tx", { chain: "1", input: { from: token, to: token, input: "0xa9059cbb" } }]
]

/** The exchange that a request of the service was. */
const exchangeOf = ({ body, method, response, url }: UpstreamRequest): ReadonlyArray<Omit<Exchange, "provider">> => {
  if (response === undefined) return []
  const { pathname, searchParams } = new URL(url)
  const request = { method, path: decodeURIComponent(pathname), query: Object.fromEntries(searchParams) }
  const parsed = body === "" ? null : parse(body)
  return [{ request: { ...request, body: parsed }, response: { ...response, body: parse(response.body) } }]
}

const factsOf = (network: string) => Catalogue.all.find(({ id }) => id === network) ?? assert.fail(network)

type Ask = (path: string, body?: unknown) => Effect.Effect<unknown>

const post = (body: unknown) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

/** The answers of the upstreams to the calls of a service, in which only these upstreams work. */
const answersTo = (
  upstreams: Upstreams.Upstreams,
  network: string,
  isAlive: (upstream: string) => boolean,
  use: (ask: Ask) => Effect.Effect<void>
) => {
  const facts = factsOf(network)
  return Effect.gen(function* () {
    const { fetch, requests } = yield* Service
    yield* use((path, body) =>
      settled(
        Effect.flatMap(fetch(path, body === undefined ? {} : post(body)), (response) =>
          Effect.promise(() => response.text())
        )
      ).pipe(Effect.map(parse))
    )
    return requests
      .filter(({ upstream }) => isAlive(upstream))
      .flatMap((request) => exchangeOf(request).flatMap((exchange) => answersOf(folderOf(request.upstream), exchange)))
  }).pipe(
    Effect.provide(
      Service.layer({
        networks: Networks.only(network as "ethereum"),
        settings: { ...keys, ...families[facts.family].variables(facts) },
        upstreams: upstreams.pipe(Upstreams.fault(({ upstream }) => !isAlive(upstream), { status: 500 }))
      })
    )
  )
}

/** Calls all routes about a network. `known` are hashes for upstreams that list none, and receives those that others list. */
const callsAbout = (info: (typeof Catalogue.all)[number], known: Array<string>) => (ask: Ask) =>
  Effect.gen(function* () {
    const { id } = info
    const { sampleAddress } = info as { readonly sampleAddress?: string }
    const addresses = [World.museum(id), sampleAddress, ...samples(info, 3)].filter((address) => address !== undefined)
    const networks = { [id]: addresses }
    const page = { networks, meta: true, limit: 20 }
    const { data, meta } = (yield* ask("/history", page)) as Page
    const cursors = Object.entries(meta?.[id] ?? {}).flatMap(([address, { next }]) => (next ? [[address, next]] : []))
    const rest = { [id]: Object.fromEntries(cursors) }
    if (cursors.length > 0)
      yield* ask("/history", { ...page, networks: { [id]: Object.keys(rest[id] ?? {}) }, cursors: rest })
    yield* ask("/balance", { networks })
    if (known.length === 0)
      for (const [address, rows] of Object.entries(data?.[id] ?? {}))
        known.push(...rows.slice(0, address === World.museum(id) ? 20 : 3).map(({ hash }) => hash))
    for (const tx of known.slice(0, 4)) yield* ask("/utils/getrawtransaction", { chain: id, tx })
    for (const hash of known.slice(0, 4)) yield* ask(`/transactions/${id}/${encodeURIComponent(hash)}`)
    yield* ask("/transactions/status", { networks: { [id]: known } })
    yield* ask("/transactions/replacement", { network: id, hash: known[0] })
    yield* ask("/utils/first-tx", { networkIds: [id], address: addresses.at(-1) })
    yield* ask("/utils/transaction-context", { networks })
    yield* ask(`/utils/fees/${id}`)
    yield* ask(`/utils/block/${id}`)
    if (info.family === "cardano") yield* ask("/utils/protocol-parameters")
  })

interface Page {
  readonly data?: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<{ readonly hash: string }>>>>>
  readonly meta?: Readonly<Record<string, Readonly<Record<string, { readonly next: string | null }>>>>
}

/** The upstreams of a network that `GET /health/ready` lists. */
interface Ready {
  readonly upstreams: ReadonlyArray<{ readonly name: string }>
}

/** The simulated upstream to which a recorded request is sent: of the network in the name of the recording, or any. */
const upstreamFor = (upstreams: ReadonlyArray<string>, file: string) => {
  const [provider = "", name = ""] = file.split("/")
  const network = { bch: "bch-", doge: "dogecoin-", btc: "bitcoin-" }[name.split("-")[0] ?? ""] ?? ""
  const all = upstreams.filter((upstream) => folderOf(upstream) === provider)
  return all.find((upstream) => upstream.startsWith(network)) ?? all[0]
}

const sent = (upstream: string, { request }: Exchange) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    // Etherscan refuses requests without a key, which recordings do not show.
    const url = new URL(`http://sandbox.test${encodeURI(request.path)}?apikey=key&chainid=1`)
    for (const [key, value] of Object.entries(request.query)) url.searchParams.set(key, value)
    const text = typeof request.body === "string" ? request.body : JSON.stringify(request.body)
    const made = HttpClientRequest.make(request.method as "POST")(url.href)
    const whole = request.method === "POST" ? HttpClientRequest.bodyText(made, text) : made
    const { status, text: read } = yield* client.execute(whole)
    const body = parse(yield* read)
    // The simulator failed at a request that no adapter sends.
    if (status === 500 && body === "Internal Server Error") return []
    return answersOf(folderOf(upstream), { request, response: { status, headers: {}, body } })
  }).pipe(Effect.provideService(CurrentUpstream, { name: upstream, secrets: [] }))

type Subject = Family | "market"
export const subjects: ReadonlyArray<Subject> = [...(Object.keys(networksOf) as ReadonlyArray<Family>), "market"]

/** The answers to the calls about a network, with all upstreams and with each of them alone; `names` receives these. */
const answersAbout = (sandbox: Upstreams.Upstreams, id: string, names: Set<string>) =>
  Effect.gen(function* () {
    const info = factsOf(id)
    const known: Array<string> = []
    const own: Array<string> = []
    const first = (ask: Ask) =>
      Effect.gen(function* () {
        const { upstreams } = (yield* ask("/health/ready")) as Ready
        own.push(...upstreams.map(({ name }) => name).filter((name) => !common.includes(name) && !/testnet/.test(name)))
        yield* callsAbout(info, known)(ask)
      })
    const answers = [...(yield* answersTo(sandbox, id, () => true, first))]
    for (const name of own) {
      names.add(name)
      const isAlive = (upstream: string) => upstream === name || common.includes(upstream)
      answers.push(...(yield* answersTo(sandbox, id, isAlive, callsAbout(info, known))))
    }
    return answers
  })

const answersOfMarket = (sandbox: Upstreams.Upstreams) =>
  Effect.forEach([[], ["coingecko"], ["coingecko", "defillama"]], (dead) =>
    answersTo(
      sandbox,
      "ethereum",
      (upstream) => !dead.includes(upstream),
      (ask) => Effect.forEach(marketCalls, (call) => ask(...call), { discard: true })
    )
  ).pipe(Effect.map((answers) => answers.flat()))

/**
 * Answers of the upstreams of a family, or of the market, in the sandbox: to the calls of the service, with all upstreams
 * of a network and with each of them alone, and (`repeated`) to recorded requests. `providers` names their APIs.
 */
export const simulatedAnswers = (subject: Subject, recordings: ReadonlyMap<string, Exchange>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 10, 22, 12))
    // One sandbox for all services: its nodes know the transactions that its explorers have listed.
    const context = yield* Layer.build(Upstreams.sandbox)
    const sandbox = Layer.succeedContext(context)
    const upstreams = new Set(subject === "market" ? ofMarket : [])
    const answers =
      subject === "market"
        ? yield* answersOfMarket(sandbox)
        : (yield* Effect.forEach(networksOf[subject], (id) => answersAbout(sandbox, id, upstreams))).flat()
    const repeated = yield* Effect.forEach(recordings, ([file, exchange]) => {
      const upstream = upstreamFor([...upstreams], file)
      return upstream === undefined ? Effect.succeed([]) : Effect.provide(sent(upstream, exchange), context)
    })
    return { answers, repeated: repeated.flat(), providers: new Set([...upstreams].map(folderOf)) }
  })
