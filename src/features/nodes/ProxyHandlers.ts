import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { InvalidRequest, NotFound, type TooLarge, TooManyRequests } from "../../contract/Problem.ts"
import { invalid, notJson, oversized } from "../../contract/problem/issues.ts"
import { BatchRate } from "../../http/access/BatchRate.ts"
import type { RawHandler } from "../../http/RawRoutes.ts"
import * as Finish from "../../http/response/Finish.ts"
import { codes } from "../../jsonrpc/errors.ts"
import * as Request from "../../jsonrpc/Request.ts"
import type * as Task from "../../kernel/Task.ts"
import type { NodeSet, ProxyResponse, RpcProxy } from "./RpcProxy.ts"

/** Handles a request to the nodes of a network. */
export const handler =
  (proxy: Context.Tag.Service<RpcProxy>, side: NodeSet) =>
  <E>(
    network: string,
    body: Effect.Effect<string, E>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, E | NotFound | InvalidRequest | TooLarge | TooManyRequests> =>
    Effect.gen(function* () {
      const rpc = yield* proxy.find(network, side)
      if (rpc === undefined) {
        const available = (yield* proxy.networks(side)).join(", ")
        return yield* new NotFound({
          detail: `There are no ${side === "main" ? "nodes" : "test network nodes"} of "${network.slice(0, 100)}"; networks that have some: ${available}.`
        })
      }
      const text = yield* body
      const refused = oversized(text, maxValues, parseError)
      if (refused !== undefined) return yield* refused
      const requested = Request.parse(text)
      if (requested.kind === "malformed") return yield* malformed(text, requested.problem)
      if (requested.kind === "batch") yield* counted(requested.all.length)
      return Finish.toPlatform(yield* proxy.respond(rpc, requested))
    })

/** As {@link handler}, for requests that pass the router. */
export const raw = (proxy: Context.Tag.Service<RpcProxy>, side: NodeSet): RawHandler => {
  const respond = handler(proxy, side)
  const respondDirectly = direct(proxy, side)
  return {
    respond: ([network = ""], body) => respond(network, body),
    direct: ([network = ""], text) => respondDirectly(network, text)
  }
}

const batchStart = /^\s*\[/

/** The same without a fiber, for what is requested most; undefined for all that is unusual, which {@link handler} handles. */
const direct =
  (proxy: Context.Tag.Service<RpcProxy>, side: NodeSet) =>
  (network: string, text: string): Task.Task<ProxyResponse> | undefined => {
    const rpc = proxy.findDirectly(network, side)
    // A batch, which may be large, is not read a first time here.
    if (rpc === undefined || batchStart.test(text) || oversized(text, maxValues) !== undefined) return undefined
    const body = Request.parse(text)
    return body.kind === "malformed" ? undefined : proxy.respondDirectly(rpc, body)
  }

/** A batch counts as many requests as it has calls. */
const counted = (calls: number): Effect.Effect<void, TooManyRequests> =>
  Effect.flatMap(BatchRate, (count) =>
    calls <= 1
      ? Effect.void
      : Effect.flatMap(count(calls - 1), (refused) =>
          refused === undefined
            ? Effect.void
            : new TooManyRequests({
                detail: `A batch counts as many requests as it has calls, and these ${calls} are too many for now. Try again in ${refused.seconds} s.`,
                headers: refused.headers
              })
        )
  )

/** Twenty in each call of the longest batch: a parsed value needs many times the memory of its text. */
const maxValues = 20 * Request.maxCalls

/** The error of JSON-RPC for a body that is not read. */
const parseError = (message: string) => ({
  jsonrpc: "2.0",
  id: null,
  error: { code: codes.parse, message: `Parse error: ${message}` }
})

/** A problem as on every route, which is also an error of JSON-RPC. */
const malformed = (text: string, problem: string) => {
  const issue = notJson(text, problem)
  return new InvalidRequest({
    detail: invalid([issue]).detail,
    issues: [issue],
    extensions: parseError(issue.message)
  })
}
