import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { type MethodPolicy, once, read } from "../../src/jsonrpc/proxy/MethodPolicy.ts"
import * as ProxyNodes from "../../src/jsonrpc/proxy/ProxyNodes.ts"
import type { Rpc, RpcCall } from "../../src/jsonrpc/proxy/Rpc.ts"
import { json, type Reply, type SentRequest, text } from "./http.ts"
import { firstUrl, make, secondUrl } from "./upstream.ts"

interface Sent {
  readonly id: number | string
  readonly method: string
  readonly params?: unknown
}

/** What went out: one call or a batch. */
export const sent = ({ body }: Pick<SentRequest, "body">): ReadonlyArray<Sent> => {
  const value = JSON.parse(body) as Sent | ReadonlyArray<Sent>
  return Array.isArray(value) ? value : [value as Sent]
}

export const methods = (requests: ReadonlyArray<SentRequest>) => requests.flatMap(sent).map(({ method }) => method)

export const hosts = (requests: ReadonlyArray<SentRequest>) =>
  requests.map(({ url }) => url.host.replace(".example", ""))

/** A node that answers each call by its method, batches too; what it has no word for is an error of JSON-RPC. */
export const node =
  (words: (call: Sent) => unknown) =>
  (request: SentRequest): Reply => {
    const answer = (call: Sent) => {
      const result = words(call)
      return result === undefined
        ? { jsonrpc: "2.0", id: call.id, error: { code: -32601, message: "not found" } }
        : { jsonrpc: "2.0", id: call.id, result }
    }
    return request.body.startsWith("[") ? json(sent(request).map(answer)) : json(sent(request).map(answer)[0])
  }

/** A node whose answers are this JSON, letter by letter. */
export const written =
  (member: "result" | "error", words: string, status = 200) =>
  (request: SentRequest): Reply =>
    text(`{"jsonrpc":"2.0","id":${sent(request)[0]?.id},"${member}":${words}}`, { status })

/** A dialect of few words: `read` and `slow` are reads, `kept` never changes, `moment` until the next block. */
export const simple: MethodPolicy = {
  blockTime: 2_000,
  rule: ({ method }) =>
    method === "read" || method === "slow"
      ? read("never")
      : method === "kept"
        ? read("forever")
        : method === "moment"
          ? read("moment")
          : method === "open"
            ? { kind: "opens" }
            : method === "session"
              ? { kind: "session", name: '"0x1"' }
              : once
}

/** Clients' way to these nodes. */
export const rpcOver = (dialect: MethodPolicy = simple, urls: ReadonlyArray<string> = [firstUrl, secondUrl]) =>
  Effect.flatMap(make(urls), (upstream) => ProxyNodes.make(upstream, dialect))

export const call = (method: string, params?: string): RpcCall => ({ method, params })

/** The text of the reply, once so much time has passed that there is one. */
export const told = (rpc: Rpc, method: string, params?: string) =>
  Effect.flatMap(Effect.fork(rpc.call(call(method, params))), (fiber) =>
    Effect.gen(function* () {
      yield* TestClock.adjust(0)
      while (fiber.unsafePoll() === null) yield* TestClock.adjust(20)
      return (yield* Fiber.join(fiber)).text
    })
  )
