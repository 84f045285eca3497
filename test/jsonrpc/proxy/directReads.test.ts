import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import type { RpcReply } from "../../../src/jsonrpc/Rpc.ts"
import type { UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { answeringDirectly, byHost, json, simulatedClient, text } from "../../support/http.ts"
import { brokenNodes, call, exactReply, hosts, node, rpcOver } from "../../support/rpc.ts"
import { run, upstreamDependencies } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"

// A call has the same reply, and nodes get the same calls, with and without a fiber.

const fine = node(({ method }) => method)

const nodes: Readonly<Record<string, Parameters<typeof simulatedClient>[0]>> = {
  responds: fine,
  "returns a long response": () => json({ jsonrpc: "2.0", id: 1, result: "x".repeat(2 * 1024 * 1024) }),
  "returns a response that is too large": () => json({ jsonrpc: "2.0", id: 1, result: "x".repeat(17 * 1024 * 1024) }),
  ...brokenNodes,
  "has no body": () => text(null, { status: 204 }),
  "returns the response of another call": () => json({ jsonrpc: "2.0", id: 77, result: "of another" }),
  "returns HTTP 429": () => text("slow down", { status: 429, headers: { "retry-after": "2" } }),
  "returns HTTP 500": () => text("down", { status: 500 }),
  "returns HTTP 503": () => text("down", { status: 503 }),
  "returns HTTP 401": () => text("no", { status: 401 }),
  "redirects to another host": () => text("", { status: 307, headers: { location: "https://elsewhere.example/" } }),
  "returns an error about the call": exactReply("error", '{"code":3,"message":"execution reverted"}'),
  "has no old state": exactReply("error", '{"code":-32602,"message":"no historical RPC is available"}'),
  "returns a rate limit": exactReply("error", '{"code":-32005,"message":"too many requests"}', 200)
}

const shown = (outcome: Either.Either<RpcReply, UpstreamError>) =>
  Either.match(outcome, {
    onLeft: ({ detail, final, reason, retryAfter, status, unsent }) => ({
      detail,
      final,
      reason,
      retryAfter,
      status,
      unsent
    }),
    onRight: (reply) => reply
  })

/** The outcomes of four sequential calls, and the nodes that got them. */
const seen = Effect.fnUntraced(function* (requests: Parameters<typeof hosts>[0]) {
  const rpc = yield* rpcOver()
  const outcomes = []
  for (const method of ["read", "slow", "kept", "read"]) {
    outcomes.push(shown(yield* run(rpc.call(call(method)), 10)))
    yield* TestClock.adjust(500)
  }
  return { outcomes, hosts: hosts(requests) }
})

describe("calls without a fiber", () => {
  for (const [what, first] of Object.entries(nodes))
    for (const [others, handler] of [
      ["the second works", byHost({ "one.example": first, "two.example": fine })],
      ["so does the second", first]
    ] as const) {
      it(`behave as in a fiber if the first node ${what}, and ${others}`, function* () {
        const inFibers = simulatedClient(handler)
        const expected = yield* Effect.provide(seen(inFibers.requests), upstreamDependencies(inFibers))
        const direct = answeringDirectly(handler)
        assert.deepStrictEqual(yield* Effect.provide(seen(direct.requests), upstreamDependencies(direct)), expected)
        assert.isNotEmpty(direct.direct)
      })
    }
})
