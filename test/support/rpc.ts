import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { type MethodPolicy, once, read } from "../../src/jsonrpc/proxy/MethodPolicy.ts"
import * as ProxyNodes from "../../src/jsonrpc/proxy/ProxyNodes.ts"
import type { Rpc, RpcCall } from "../../src/jsonrpc/Rpc.ts"
import * as Task from "../../src/kernel/Task.ts"
import {
  brokenBody,
  json,
  neverResponds,
  type Reply,
  refused,
  type SentRequest,
  type simulatedClient,
  stalled,
  text
} from "./http.ts"
import { firstUrl, make, secondUrl } from "./upstream.ts"

interface Sent {
  readonly id: number | string
  readonly method: string
  readonly params?: unknown
}

/** The calls of a request: a single call or a batch. */
export const sent = ({ body }: Pick<SentRequest, "body">): ReadonlyArray<Sent> => {
  const value = JSON.parse(body) as Sent | ReadonlyArray<Sent>
  return Array.isArray(value) ? value : [value as Sent]
}

export const methods = (requests: ReadonlyArray<SentRequest>) => requests.flatMap(sent).map(({ method }) => method)

export const hosts = (requests: ReadonlyArray<SentRequest>) =>
  requests.map(({ url }) => url.host.replace(".example", ""))

/** A node that answers calls and batches with `resultOf`; an undefined result is a JSON-RPC error. */
export const node =
  (resultOf: (call: Sent) => unknown) =>
  (requested: SentRequest): Reply => {
    const respond = (call: Sent) => {
      const result = resultOf(call)
      return result === undefined
        ? { jsonrpc: "2.0", id: call.id, error: { code: -32601, message: "not found" } }
        : { jsonrpc: "2.0", id: call.id, result }
    }
    return requested.body.startsWith("[") ? json(sent(requested).map(respond)) : json(sent(requested).map(respond)[0])
  }

/** A node that returns exactly this JSON text as result or error. */
export const exactReply =
  (member: "result" | "error", json: string, status = 200) =>
  (requested: SentRequest): Reply =>
    text(`{"jsonrpc":"2.0","id":${sent(requested)[0]?.id},"${member}":${json}}`, { status })

/**
 * A policy for a few methods: `read` and `slow` are not cached, `kept` is cached forever, `moment` until the next
 * block.
 */
export const testPolicy: MethodPolicy = {
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

/** Converts the calls of a client from tasks to effects. */
export const asEffects = (rpc: Rpc) => ({
  upstream: rpc.upstream,
  call: (rpcCall: RpcCall) => Task.toEffect(rpc.call(rpcCall)),
  batch: (calls: ReadonlyArray<RpcCall>) => Task.toEffect(rpc.batch(calls))
})

export type EffectRpc = ReturnType<typeof asEffects>

/** The proxy's client over these nodes, with calls as tasks. */
export const tasksOver = (policy: MethodPolicy = testPolicy, urls: ReadonlyArray<string> = [firstUrl, secondUrl]) =>
  Effect.flatMap(make(urls), (upstream) => ProxyNodes.make(upstream, policy))

/** The same, with calls as effects. */
export const rpcOver = (policy?: MethodPolicy, urls?: ReadonlyArray<string>) =>
  Effect.map(tasksOver(policy, urls), asEffects)

export const call = (method: string, params?: string): RpcCall => ({ method, params })

/** Advances the clock until the reply arrives. Returns its text. */
export const replyText = (rpc: EffectRpc, method: string, params?: string) =>
  Effect.flatMap(Effect.fork(rpc.call(call(method, params))), (fiber) =>
    Effect.gen(function* () {
      yield* TestClock.adjust(0)
      while (fiber.unsafePoll() === null) yield* TestClock.adjust(20)
      return (yield* Fiber.join(fiber)).text
    })
  )

/** Faulty nodes, by their behaviour (the rest of a test name). */
export const brokenNodes: Readonly<Record<string, Parameters<typeof simulatedClient>[0]>> = {
  hangs: () => neverResponds,
  refuses: () => refused,
  "breaks off": () => brokenBody('{"jsonrpc":"2.0","id":1,"re'),
  "stops halfway": () => stalled('{"jsonrpc":"2.0","id":1,"re'),
  "returns half of a response": () => text('{"jsonrpc":"2.0","id":1,"result":{"a":'),
  "returns HTML": () => text("<html></html>"),
  "returns nothing": () => text("")
}
