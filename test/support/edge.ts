import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { Api } from "../../src/contract/Api.ts"
import { TooLarge } from "../../src/contract/Problem.ts"
import type { Balance, TokenBalance } from "../../src/domain/Balance.ts"
import { NewestBlocks } from "../../src/features/blocks/NewestBlocks.ts"
import { Faucet } from "../../src/features/faucet/Faucet.ts"
import { FundingError } from "../../src/features/faucet/Funding.ts"
import { NetworkFees } from "../../src/features/fees/NetworkFees.ts"
import { History } from "../../src/features/history/History.ts"
import { Icons, placeholder } from "../../src/features/icons/Icons.ts"
import { ProtocolParameters } from "../../src/features/nodes/ProtocolParameters.ts"
import { RpcProxy } from "../../src/features/nodes/RpcProxy.ts"
import { ExchangeRates } from "../../src/features/prices/currencies/ExchangeRates.ts"
import { Pricing } from "../../src/features/prices/Pricing.ts"
import { NoResult } from "../../src/features/reading.ts"
import { SentTransactions } from "../../src/features/sending/SentTransactions.ts"
import { Simulation } from "../../src/features/simulation/Simulation.ts"
import { Availability } from "../../src/features/status/Availability.ts"
import * as System from "../../src/features/status/handlers.ts"
import { NetworkList } from "../../src/features/status/NetworkList.ts"
import { TokenSearch } from "../../src/features/tokens/TokenSearch.ts"
import { FirstTransaction } from "../../src/features/transactions/FirstTransaction.ts"
import { RawTransactions } from "../../src/features/transactions/RawTransactions.ts"
import { transactions } from "../../src/handlers.ts"
import { Health } from "../../src/http/Health.ts"
import { Mode } from "../../src/http/Mode.ts"
import { uncachedPipeline } from "../../src/http/pipeline.ts"
import { RawRoutes } from "../../src/http/RawRoutes.ts"
import { ResponseCache } from "../../src/http/response/ResponseCache.ts"
import * as Server from "../../src/http/Server.ts"
import { ServerSettings } from "../../src/http/ServerSettings.ts"
import type { Rpc, RpcReply } from "../../src/jsonrpc/Rpc.ts"
import * as Task from "../../src/kernel/Task.ts"
import { TokenRegistry } from "../../src/providers/TokenRegistry.ts"
import { Settings } from "../../src/settings/Settings.ts"
import * as Memory from "../../src/storage/Memory.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { chainsOf } from "./chains.ts"
import * as Shelf from "./shelf.ts"
import { utilities } from "./utilities.ts"

/** Lets a test control and observe the simulated handlers. */
export class HandlerControl extends Context.Tag("test/Stage")<
  HandlerControl,
  {
    /** Lets the waiting handlers respond. */
    readonly release: Deferred.Deferred<void>
    /** Done when a waiting handler has started. */
    readonly entered: Deferred.Deferred<void>
    /** Done when a waiting handler was interrupted. */
    readonly interrupted: Deferred.Deferred<void>
  }
>() {
  static readonly layer = Layer.effect(
    HandlerControl,
    Effect.all({
      release: Deferred.make<void>(),
      entered: Deferred.make<void>(),
      interrupted: Deferred.make<void>()
    })
  )
}

/** Work that ends when it is released, with or without a client. */
const sentSlowly = (release: Deferred.Deferred<void>): Task.Task<void> =>
  Task.lasting(Task.fromEffect(Effect.runFork)(Deferred.await(release)))

const answer: TokenBalance = { balance: "0.5", balanceUsd: "1612.5", price: "3225" }

export const row: Balance = {
  coinId: "ethereum",
  blockchain: "ethereum",
  tokenName: "Ethereum",
  tokenSymbol: "ETH",
  tokenDecimals: 18,
  contractAddress: null,
  assetId: "eip155:1/slip44:60",
  holderAddress: "0x00000000219ab540356cBB839Cbe05303d7705Fa",
  tokenType: "NATIVE",
  thumbnail: "",
  balance: "0.5",
  rawBalance: "500000000000000000",
  balanceUsd: null,
  tokenPrice: null
}

const line = new TextEncoder().encode("{}\n")

const streamed = (lines: Stream.Stream<Uint8Array>) =>
  Effect.as(
    HttpServerRequest.HttpServerRequest,
    HttpServerResponse.stream(lines, { contentType: "application/x-ndjson" })
  ) as never

/** Simulated balances: one row per requested address; `networkId` selects the outcome of the single lookup. */
const balance = HttpApiBuilder.group(Api, "balances", (handlers) =>
  Effect.gen(function* () {
    const { release, entered, interrupted } = yield* HandlerControl
    const waiting = Deferred.succeed(entered, undefined).pipe(
      Effect.zipRight(Deferred.await(release)),
      Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
      Effect.as(answer)
    )
    return handlers
      .handle("balances", ({ payload }) =>
        Effect.succeed(Object.values(payload.networks).flatMap((addresses) => addresses.map(() => row)))
      )
      .handle("stream", () => Effect.succeed(""))
      .handle("token", ({ payload: { networkId } }) => {
        switch (networkId) {
          case "waiting":
            return waiting
          case "sending":
            return Effect.as(Task.toEffect(sentSlowly(release)), answer)
          case "waiting-aloud":
            return Effect.zipRight(Effect.logInfo("a handler waits"), waiting)
          case "defect":
            return Effect.die(new Error("https://user:secret@node.example"))
          case "misfit":
            return Effect.succeed({ ...answer, balance: 5 } as never)
          case "too-many":
            return new TooLarge({ detail: "More than 500 addresses." })
          case "logging":
            return Effect.currentSpan.pipe(
              Effect.match({ onFailure: () => "no span", onSuccess: (span) => span.name }),
              Effect.flatMap((span) => Effect.logInfo(`inside the handler, ${span}`)),
              Effect.as(answer)
            )
          case "streaming":
            return streamed(Stream.fromEffect(Effect.as(waiting, line)))
          case "streaming-on":
            return streamed(Stream.concat(Stream.make(line), Stream.fromEffect(Effect.as(waiting, line))))
          default:
            return Effect.succeed(answer)
        }
      })
  })
)

const history = HttpApiBuilder.group(Api, "history", (handlers) =>
  handlers
    .handle("history", () => Effect.succeed({}))
    .handle("stream", () => Effect.succeed(""))
    .handle("export", () => Effect.succeed(""))
)

const portfolio = HttpApiBuilder.group(Api, "portfolio", (handlers) =>
  handlers.handle("chart", () => Effect.succeed({ currency: "usd", step: 1, points: [], assets: [], addresses: [] }))
)

const groups = Layer.mergeAll(balance, System.layer, history, portfolio, Shelf.groups, transactions, utilities)

/** No history can be read. */
const nothingRead: Context.Tag.Service<History> = {
  cursors: () => Effect.dieMessage("no cursors"),
  transactions: () => Effect.succeed([]),
  stream: () => Stream.empty,
  doubt: () => Effect.void,
  sentTo: () => Effect.dieMessage("no network"),
  entry: () => Effect.dieMessage("no network"),
  whole: () => Stream.empty
}

/** A node that accepts all transactions and returns the length of each. */
const nodes = Layer.sync(RawTransactions, () => {
  const taken = (_: string, text: string) =>
    Effect.succeed({ verdict: "done" as const, body: String(text.length), contentType: "application/json" })
  return { send: taken, find: taken }
})

const replied = (method: string): Exit.Exit<RpcReply> =>
  method === "eth_defect"
    ? Exit.die(new Error("broken"))
    : Exit.succeed({ member: "result", text: JSON.stringify(method) })

/**
 * A node that returns the method's name, never responds to `eth_never`, fails on `eth_defect`, and responds to
 * `eth_sendSlowly` when it is released, with or without a client.
 */
const nodeOf = ({ release }: Context.Tag.Service<HandlerControl>): Rpc => ({
  upstream: "node",
  call: ({ method }) => {
    if (method === "eth_never") return () => () => {}
    if (method !== "eth_sendSlowly") return Task.ended(replied(method))
    return Task.mapExit(sentSlowly(release), () => replied(method))
  },
  batch: (calls) =>
    Task.ended(
      Exit.succeed(
        calls.map(({ method }) =>
          Either.right(Exit.getOrElse(replied(method), () => ({ member: "result", text: "" }) as const))
        )
      )
    )
})

/** Uses this node for every network, mainnet and testnet. */
const proxy = Layer.unwrapEffect(
  Effect.map(HandlerControl, (control) => {
    const node = nodeOf(control)
    return RpcProxy.layerOver({
      find: () => Effect.succeed(node),
      built: () => node,
      networks: () => Effect.succeed(["base"])
    })
  })
).pipe(Layer.provide(HandlerControl.layer))

const noNetworks = NetworkList.of({ networks: Effect.succeed([]) })

const noNetwork = () => Effect.fail(new NoResult({ member: "network", message: "has no networks" }))

/** All dependencies of the HTTP server, and the simulated handlers behind it. */
export const serverDependencies = (
  environment: Readonly<Record<string, string>>,
  mode: Context.Tag.Service<Mode> = { sandbox: false },
  catalogue: Context.Tag.Service<NetworkList> = noNetworks
) =>
  Server.app(groups).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        HandlerControl.layer,
        Shelf.CannedResponses.layer,
        Health.layer,
        Upstreams.layer,
        Memory.layer(),
        TokenRegistry.layerTest({}),
        Pricing.layerTest({}),
        Layer.mock(ExchangeRates, {}),
        Layer.succeed(TokenSearch, { search: () => Effect.succeed({ hits: [], missing: [] }) }),
        Layer.succeed(Faucet, {
          fund: () => new FundingError({ reason: "not_configured", detail: "The faucet is not configured." })
        }),
        Layer.succeed(FirstTransaction, { of: () => Effect.succeed(Either.right(new Map())) }),
        NetworkFees.layerNone,
        Layer.succeed(ProtocolParameters, {
          json: Effect.succeed('{"parameters":{"min_fee_a":44},"blockData":{"height":1}}')
        }),
        Layer.succeed(Icons, { icon: (id) => Effect.succeed({ ...placeholder(id), isFound: false }) }),
        nodes,
        proxy,
        Layer.succeed(NewestBlocks, { of: noNetwork, newest: () => Effect.succeed(undefined) }),
        Layer.provide(SentTransactions.layer, Memory.layer()),
        Layer.succeed(History, nothingRead),
        Layer.succeed(Simulation, { simulate: Either.left("Simulation is not available in this version.") }),
        ServerSettings.layer,
        RawRoutes.layer,
        ResponseCache.layer,
        chainsOf([]),
        Layer.succeed(NetworkList, catalogue),
        Layer.succeed(Availability, {
          report: Effect.succeed({ days: [], networks: {}, sources: {} }),
          keepStored: Effect.void
        }),
        Layer.succeed(Mode, mode)
      )
    ),
    Layer.provide(Settings.layer(environment))
  )

interface Line {
  readonly message: string
  readonly level: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** The service without a socket. */
export class Edge extends Context.Tag("test/Edge")<
  Edge,
  {
    readonly call: (path: string, init?: RequestInit & { readonly from?: string }) => Effect.Effect<Response>
    /** POST of a value as JSON. */
    readonly post: (path: string, body: unknown) => Effect.Effect<Response>
    readonly lines: ReadonlyArray<Line>
  }
>() {
  static readonly layer = (environment: Readonly<Record<string, string>> = {}, mode?: Context.Tag.Service<Mode>) =>
    Layer.suspend(() => {
      const lines: Array<Line> = []
      const capture = Logger.make(({ annotations, cause, logLevel, message }) => {
        const text = Array.isArray(message) ? message.map(String).join(" ") : String(message)
        lines.push({
          message: `${text} ${cause._tag === "Empty" ? "" : String(cause)}`.trim(),
          level: logLevel.label,
          annotations: Object.fromEntries(HashMap.toEntries(annotations))
        })
      })
      return Layer.effect(
        Edge,
        Effect.map(uncachedPipeline, (handler) => {
          const call = (path: string, init: RequestInit & { readonly from?: string } = {}) =>
            Effect.promise((signal) =>
              handler(new Request(`http://wallet.test${path}`, { signal, ...init }), () => init.from ?? "192.0.2.1")
            )
          const post = (path: string, body: unknown) =>
            call(path, {
              method: "POST",
              body: JSON.stringify(body),
              headers: { "content-type": "application/json" }
            })
          return { call, post, lines }
        })
      ).pipe(
        Layer.provideMerge(serverDependencies(environment, mode)),
        Layer.provideMerge(Logger.replace(Logger.defaultLogger, capture))
      )
    })
}

/** A problem document or another response body: the members that tests check. */
interface Body {
  readonly type?: string
  readonly status?: number | string
  readonly detail?: string
  readonly requestId?: string
  readonly issues?: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

export const json = (response: Response) => Effect.promise(() => response.json() as Promise<Body>)

/** A problem document with its content type; `echoed` is true if its request id equals the header. */
export const problem = (response: Response) =>
  Effect.map(json(response), (body) => ({
    ...body,
    contentType: response.headers.get("content-type"),
    echoed: response.headers.get("x-request-id") === body.requestId
  }))

export const token = (networkId: string) => ({ networkId, address: "0x00000000219ab540356cBB839Cbe05303d7705Fa" })
