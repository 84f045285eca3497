import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Api } from "../../contract/Api.ts"
import { InvalidRequest, NotFound, type Problem, TooManyRequests, UpstreamFailed } from "../../contract/Problem.ts"
import { invalid, notJson, sizeProblem } from "../../contract/problem/issues.ts"
import { type CountCalls, type RawHandler, RawRoutes } from "../../http/RawRoutes.ts"
import { type CachedResponse, ResponseCache } from "../../http/response/ResponseCache.ts"
import { codes } from "../../jsonrpc/errors.ts"
import * as Request from "../../jsonrpc/Request.ts"
import * as Task from "../../kernel/Task.ts"
import { ProtocolParameters } from "./ProtocolParameters.ts"
import { type NodeSet, type ProxyResponse, RpcProxy } from "./RpcProxy.ts"

/** Handles a request to the nodes of a network. */
const proxied =
  (proxy: Context.Tag.Service<RpcProxy>, side: NodeSet): RawHandler =>
  ([network = ""], text, count, client) =>
    Task.flatMap(proxy.find(network, side), (rpc): Task.Task<ProxyResponse, Problem> => {
      if (rpc === undefined)
        return Task.flatMap(proxy.networks(side), (available) => refused(unknown(network, side, available)))
      const tooLarge = sizeProblem(text, maxValues, parseError)
      if (tooLarge !== undefined) return refused(tooLarge)
      const requested = Request.parse(text)
      if (requested.kind === "malformed") return refused(malformed(text, requested.problem))
      if (requested.kind !== "batch" || requested.all.length <= 1) return proxy.respond(rpc, requested, client)
      return Task.flatMap(proxy.ofEffect(counted(requested.all.length, count)), () =>
        proxy.respond(rpc, requested, client)
      )
    })

const refused = (problem: Problem) => Task.ended(Exit.fail(problem))

const unknown = (network: string, side: NodeSet, available: ReadonlyArray<string>) =>
  new NotFound({
    detail: `There are no ${side === "main" ? "nodes" : "test network nodes"} for "${network.slice(0, 100)}"; networks with nodes: ${available.join(", ")}.`
  })

/** Counts each call of a batch as a request. */
const counted = (calls: number, count: CountCalls): Effect.Effect<void, TooManyRequests> =>
  Effect.flatMap(count(calls - 1), (refused) =>
    refused === undefined
      ? Effect.void
      : new TooManyRequests({
          detail: `Each call of a batch counts as a request, and these ${calls} calls exceed the rate limit. Try again in ${refused.seconds} s.`,
          headers: refused.headers
        })
  )

/** Twenty values per call of the longest batch, because a parsed value needs many times the memory of its text. */
const maxValues = 20 * Request.maxCalls

/** The JSON-RPC error for a body that cannot be parsed. */
const parseError = (message: string) => ({
  jsonrpc: "2.0",
  id: null,
  error: { code: codes.parse, message: `Parse error: ${message}` }
})

/** A problem as on every route that is also a JSON-RPC error. */
const malformed = (text: string, problem: string) => {
  const issue = notJson(text, problem)
  return new InvalidRequest({
    detail: invalid([issue]).detail,
    issues: [issue],
    extensions: parseError(issue.message)
  })
}

const encoder = new TextEncoder()

/** Not cached as a response: each request reads the text. */
const responseOf = (text: string): CachedResponse => ({
  body: encoder.encode(text),
  headers: {},
  maxAge: 0,
  isCurrent: () => false
})

/** RawStep responds before such a request reaches the router. */
const answered = Effect.dieMessage("RawStep responds to this route")

export const layer = HttpApiBuilder.group(Api, "nodes", (handlers) =>
  Effect.gen(function* () {
    const { json } = yield* ProtocolParameters
    const { respond } = yield* ResponseCache
    const proxy = yield* RpcProxy
    const rawRoutes = yield* RawRoutes
    yield* rawRoutes.add("/utils/rpc/:network", proxied(proxy, "main"))
    yield* rawRoutes.add("/utils/rpc/:network/testnet", proxied(proxy, "testnet"))
    // The providers' JSON, unchanged.
    const parameters = Effect.mapError(
      json,
      ({ message }) => new UpstreamFailed({ detail: `The protocol parameters could not be fetched: ${message}.` })
    )
    return handlers
      .handleRaw("rpc", () => answered)
      .handleRaw("testnetRpc", () => answered)
      .handleRaw("protocolParameters", ({ request }) =>
        Effect.flatMap(parameters, (text) => respond(request, responseOf(text)))
      )
  })
)
