import * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as App from "../App.ts"
import * as Catalogue from "../catalogue/Catalogue.ts"
import { evmSample } from "../catalogue/evm/EvmFacts.ts"
import { blockTimeOf } from "../catalogue/NetworkFacts.ts"
import { Health } from "../http/Health.ts"
import { uncachedPipeline } from "../http/pipeline.ts"
import { timeoutOption } from "../kernel/timeout.ts"
import { SettingError } from "../settings/Settings.ts"
import { requestDeadline } from "../settings/variables.ts"
import { type OfferedCall, offered, used, wordsOf } from "../upstream/ProviderCalls.ts"
import type { Recording } from "../upstream/record/Recorder.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"
import { type Trial, Upstreams } from "../upstream/Upstreams.ts"
import { print } from "./print.ts"

/** The result of `record` for one upstream. */
interface Verdict {
  readonly name: string
  readonly kind: "fits" | "misfit" | "unreachable"
  readonly text: string
}

interface Finding {
  ok: number
  /** Responses that do not fit, and other failures: query and detail, without duplicates. */
  readonly misfits: Set<string>
  readonly failures: Set<string>
}

type Findings = ReturnType<typeof findingsOf>

/** Collects the outcomes of reads and derives a verdict per upstream. Texts contain no keys or paths of addresses. */
const findingsOf = () => {
  const found = new Map<string, Finding>()

  const add = (upstream: string, query: string, error: UpstreamError | undefined): void => {
    const finding = found.get(upstream) ?? { ok: 0, misfits: new Set(), failures: new Set() }
    found.set(upstream, finding)
    if (error === undefined) finding.ok++
    else (error.reason === "bad_answer" ? finding.misfits : finding.failures).add(`${query}: ${error.detail}`)
  }

  const verdict = (name: string): Verdict => {
    const { failures, misfits, ok } = found.get(name) ?? { ok: 0, misfits: new Set(), failures: new Set() }
    const others = [...failures].join("; ")
    if (misfits.size > 0) return { name, kind: "misfit", text: `does not fit: ${[...misfits, ...failures].join("; ")}` }
    if (ok > 0) return { name, kind: "fits", text: others === "" ? "fits" : `fits, but some calls failed: ${others}` }
    return { name, kind: "unreachable", text: `unreachable: ${others === "" ? "no call was sent in time" : others}` }
  }

  return { add, verdicts: (names: ReadonlyArray<string>) => names.map(verdict) }
}

/** The fields of GET /networks that `record` uses. */
const Network = Schema.Struct({
  id: Schema.String,
  abilities: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ upstreams: Schema.Array(Schema.Struct({ name: Schema.String })) })
  })
})
type Network = typeof Network.Type
const Networks = Schema.Array(Network)

interface HttpQuery {
  readonly path: string
  readonly body?: unknown
}

/** One or more requests that several upstreams can serve, as fallbacks for each other. */
interface Query {
  /** Name in the report. */
  readonly name: string
  /** The upstreams that serve it for a network, in fallback order; market data does not depend on the network. */
  readonly served: (network: Network) => ReadonlyArray<string>
  readonly requests: (networks: ReadonlyArray<Network>) => ReadonlyArray<HttpQuery>
}

/** The sources of prices and charts, and of token lists. */
const market = ["coingecko", "defillama", "binance"]
const tokenLists = "coingecko-tokens"

/** The upstreams of protocol parameters, which GET /networks does not list. */
const parameters = ["blockfrost", "koios"]

const samples = new Map<string, string>(
  Catalogue.all.flatMap((facts) => ("sampleAddress" in facts ? [[facts.id, facts.sampleAddress]] : []))
)

/** An address with transactions; EVM networks share one. */
const sampleOf = ({ id }: Network) => samples.get(id) ?? evmSample

const byNetwork = (networks: ReadonlyArray<Network>) =>
  Object.fromEntries(networks.map((network) => [network.id, [sampleOf(network)]]))

/** A hash that no transaction has: the responses of sources never change, and nothing is sent. */
const unknownHash = `${"0".repeat(63)}1`

const ability = (name: string) => (network: Network) =>
  (network.abilities[name]?.upstreams ?? []).map((upstream) => upstream.name)

const queries: ReadonlyArray<Query> = [
  {
    name: "balances",
    served: ability("balance"),
    requests: (networks) => [{ path: "/balance", body: { networks: byNetwork(networks), unlisted: true } }]
  },
  {
    name: "history",
    served: ability("history"),
    requests: (networks) => [{ path: "/history", body: { networks: byNetwork(networks), limit: 10 } }]
  },
  {
    name: "first transaction",
    served: ability("firstTransaction"),
    requests: (networks) => [
      { path: "/utils/first-tx", body: { networkIds: networks.map(({ id }) => id), address: evmSample } }
    ]
  },
  {
    name: "fees",
    served: ability("fees"),
    requests: (networks) => networks.map(({ id }) => ({ path: `/utils/fees/${id}` }))
  },
  {
    name: "protocol parameters",
    served: (network) => ability("balance")(network).filter((upstream) => parameters.includes(upstream)),
    requests: () => [{ path: "/utils/protocol-parameters" }]
  },
  {
    name: "transaction context",
    served: ability("transactionContext"),
    requests: (networks) => [{ path: "/utils/transaction-context", body: { networks: byNetwork(networks) } }]
  },
  {
    name: "raw transaction",
    served: ability("rawTransactions"),
    requests: (networks) =>
      networks.map(({ id }) => ({ path: `/utils/getrawtransaction?chain=${id}&tx=${unknownHash}`, body: {} }))
  },
  {
    name: "prices and charts",
    served: () => market,
    requests: () => [
      { path: "/price/coin?coin_ids=bitcoin,ethereum,tether&currency=eur" },
      { path: "/price/market_chart?coin_ids=bitcoin&days=7" },
      { path: "/price/market_chart?coin_ids=bitcoin&days=7&currency=eur" },
      { path: "/price/coin/details/ethereum" },
      { path: "/app/mdata/item/bitcoin/1" }
    ]
  }
]

/**
 * Variables that override the environment while `record` runs: live traffic, no access rules or limits, no background
 * refreshes.
 */
export const variables = {
  UPSTREAMS: "live",
  CACHE: "memory",
  ACCESS: "open",
  API_KEYS: "",
  API_KEYS_FILE: "",
  RATE_LIMIT_PER_MINUTE: "0",
  APP_NAME: "app",
  PRICE_REFRESH_MS: "0"
}

/**
 * Sends its canary and typical queries to every upstream, writes the exchanges to a directory and prints a verdict per
 * upstream. Returns false if a response does not fit, no upstream responds (with `strict`: one does not), an exchange
 * could not be written, or blocks contradict the facts of their network. Queries are sent
 * for the networks that `isQueried` selects, canaries to all upstreams.
 */
export const recordInto = (
  directory: string,
  {
    isQueried = () => true,
    live,
    strict = false
  }: {
    readonly live?: Layer.Layer<HttpClient.HttpClient>
    readonly isQueried?: (network: Network) => boolean
    readonly strict?: boolean
  } = {}
) =>
  Effect.gen(function* () {
    yield* writable(directory)
    const findings = findingsOf()
    const lost: Array<string> = []
    const words = wordsByUpstream()
    /** Runs an effect in a service with empty caches and without some of the upstreams. */
    const service = <A, E, R>(query: string, leftOut: ReadonlySet<string>, use: Effect.Effect<A, E, R>) =>
      Effect.provide(
        use,
        App.recordingRoutes(
          directory,
          {
            leavesOut: (upstream) => leftOut.has(upstream),
            ended: (upstream, error) => findings.add(upstream, query, error),
            lost: (reason) => lost.push(reason),
            written: words.add
          },
          live
        )
      )
    const [first, ...rest] = queries
    if (first === undefined) return true
    const before = new Set<string>()
    const everything = Effect.gen(function* () {
      const networks = (yield* networkList).filter(isQueried)
      // Only this service has the token lists.
      for (const name of round(first, networks, 0).others) before.add(name)
      const trials = yield* (yield* Upstreams).trials
      const blocks = yield* newestBlocks(networks)
      // Queries come before canaries, because an address whose canary has failed would be used last.
      yield* sendAll(first, networks)
      before.clear()
      yield* canaries(trials, findings)
      return { blocks, networks, used: trials.filter(({ addresses }) => addresses.length > 0) }
    })
    const { blocks, networks, used } = yield* service(first.name, before, everything)
    /** Market data is left out unless it is the subject: it would only add values, and has its own query. */
    const sendRound = (query: Query, rank: number) => {
      const { of, others, serve } = round(query, networks, rank)
      const leftOut = new Set([...others, ...[...market, tokenLists].filter((name) => !serve.has(name))])
      return of.length === 0 ? Effect.void : service(query.name, leftOut, sendAll(query, of))
    }
    const ranks = (query: Query) => Math.max(0, ...networks.map((network) => query.served(network).length))
    for (let rank = 1; rank < ranks(first); rank++) yield* sendRound(first, rank)
    for (const query of rest) for (let rank = 0; rank < ranks(query); rank++) yield* sendRound(query, rank)
    const later = yield* service("newest blocks", new Set<string>(), newestBlocks(networks))
    const verdicts = findings.verdicts(used.map(({ name }) => name))
    const unrecorded = used.flatMap(({ calls, name }) => unrecordedCalls(name, offered(calls), words.of(name)))
    return yield* report(verdicts, unrecorded, [...contradictions(blocks, later), ...unwritten(lost)], strict)
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(BunFileSystem.layer, quiet)))

/** No log: the report contains the failures. */
const quiet = Logger.minimumLogLevel(LogLevel.None)

const writable = (directory: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* files.makeDirectory(directory, { recursive: true })
    yield* files.makeTempFileScoped({ directory })
  }).pipe(
    Effect.mapError(
      () => new SettingError({ variable: "record", problem: `"${directory}" is not a folder that can be written to` })
    )
  )

/** For each network only the source of this rank serves a query; otherwise earlier sources would hide it. */
const round = (query: Query, networks: ReadonlyArray<Network>, rank: number) => {
  const of = networks.filter((network) => query.served(network).length > rank)
  const serve = new Set(of.flatMap((network) => query.served(network)[rank] ?? []))
  return { of, serve, others: networks.flatMap(query.served).filter((name) => !serve.has(name)) }
}

const send = ({ body, path }: { readonly path: string; readonly body?: unknown }) =>
  Effect.gen(function* () {
    yield* (yield* Health).set("ready")
    const respond = yield* uncachedPipeline
    const request = new Request(
      `http://localhost${path}`,
      body === undefined
        ? {}
        : { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }
    )
    return yield* Effect.promise(() => respond(request).then((response) => response.text()))
  })

const networkList = Effect.flatMap(send({ path: "/networks" }), (text) =>
  Effect.orDie(Schema.decode(Schema.parseJson(Networks))(text))
)

/** Sends the requests of one round, a few at a time; each request has its own deadline. */
const sendAll = (query: Query, networks: ReadonlyArray<Network>) =>
  Effect.flatMap(requestDeadline, (deadline) =>
    timeoutOption(Effect.forEach(query.requests(networks), send, { concurrency: 4, discard: true }), 2 * deadline)
  )

const Block = Schema.Struct({ height: Schema.Number, at: Schema.Number })
type NewestBlocks = ReadonlyMap<string, typeof Block.Type>

/** The newest blocks of networks, without those that cannot be read. */
const newestBlocks = (networks: ReadonlyArray<Network>): Effect.Effect<NewestBlocks, never, Sending> =>
  Effect.map(
    Effect.forEach(
      networks,
      ({ id }) =>
        Effect.map(send({ path: `/utils/block/${id}` }), (text) =>
          Option.map(Schema.decodeOption(Schema.parseJson(Block))(text), (block) => [id, block] as const)
        ),
      { concurrency: 4 }
    ),
    (found) => new Map(found.flatMap(Option.toArray))
  )

type Sending = Effect.Effect.Context<ReturnType<typeof send>>

/** Fewer blocks do not measure the time between them. */
const leastBlocks = 30

/** Part by which the time between blocks may differ from the facts. */
const blockTimeTolerance = 0.25

/** Block times of the facts that the blocks of this time contradict. */
const contradictions = (earlier: NewestBlocks, later: NewestBlocks): ReadonlyArray<string> =>
  Catalogue.all.flatMap((facts) => {
    const [from, to, fact] = [earlier.get(facts.id), later.get(facts.id), blockTimeOf(facts)]
    if (from === undefined || to === undefined || fact === undefined || to.height - from.height < leastBlocks) return []
    const measured = (to.at - from.at) / (to.height - from.height)
    return Math.abs((1000 * measured) / fact - 1) <= blockTimeTolerance
      ? []
      : [`${facts.id}: a block takes ${measured.toPrecision(2)} s, and ${fact / 1000} s in the facts of the network`]
  })

const canaries = (trials: ReadonlyArray<Trial>, findings: Findings) =>
  Effect.forEach(
    trials.flatMap(({ addresses, name }) => addresses.map((address) => ({ name, address }))),
    ({ address, name }) =>
      Effect.map(Effect.either(address.try), (result) =>
        findings.add(name, `canary at ${address.host}`, Either.isLeft(result) ? result.left : undefined)
      ),
    { concurrency: 16, discard: true }
  )

/** The words of the written exchanges, by upstream. */
const wordsByUpstream = () => {
  const known = new Map<string, Set<string>>()
  const of = (upstream: string) => known.get(upstream) ?? new Set()
  const add: Recording["written"] = (upstream, request) => {
    known.set(upstream, new Set([...of(upstream), ...wordsOf(request)]))
  }
  return { add, of }
}

/** A line with the calls of an upstream that no exchange is for; none for an upstream without exchanges. */
const unrecordedCalls = (upstream: string, calls: ReadonlyArray<OfferedCall>, words: ReadonlySet<string>) => {
  const made = new Set(used(calls, words))
  const others = calls.filter((call) => !made.has(call))
  return words.size === 0 || others.length === 0
    ? []
    : [
        `${upstream}: ${calls.length - others.length} of ${calls.length} calls are recorded, without ${others.map(({ endpoint }) => endpoint).join(", ")}`
      ]
}

/** A line with the number of lost exchanges and the first reason. */
const unwritten = (lost: ReadonlyArray<string>): ReadonlyArray<string> =>
  lost[0] === undefined ? [] : [`${lost.length} exchanges could not be written: ${lost[0]}`]

const report = (
  verdicts: ReadonlyArray<Verdict>,
  unrecorded: ReadonlyArray<string>,
  problems: ReadonlyArray<string>,
  strict: boolean
) =>
  Effect.gen(function* () {
    const width = Math.max(...verdicts.map(({ name }) => name.length))
    for (const { name, text } of verdicts) yield* print(`${name.padEnd(width)}  ${text}`)
    if (unrecorded.length > 0) yield* print(`\n${unrecorded.join("\n")}`)
    const count = (wanted: Verdict["kind"]) => verdicts.filter(({ kind }) => kind === wanted).length
    yield* print(
      `\n${count("fits")} upstreams fit, ${count("misfit")} do not fit, ${count("unreachable")} cannot be reached`
    )
    for (const line of problems) yield* print(line)
    const isReached = strict ? count("unreachable") === 0 : count("fits") > 0
    return count("misfit") === 0 && isReached && problems.length === 0
  })
