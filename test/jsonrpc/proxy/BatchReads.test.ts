import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type SentRequest, simulatedClient, text } from "../../support/http.ts"
import { call, methods, node, rpcOver } from "../../support/rpc.ts"
import { firstUrl, run, upstreamDependencies } from "../../support/upstream.ts"

describe("a batch at the deadline", () => {
  it.effect("returns the results of the calls sent before it, and sends no calls after it", () => {
    const outside = simulatedClient((request) => Effect.delay(node(({ params }) => params)(request), 900))
    return Effect.gen(function* () {
      const rpc = yield* rpcOver(undefined, [firstUrl])
      const replies = Either.getOrThrow(
        yield* run(rpc.batch(Array.from({ length: 5 }, (_, index) => call("send", `[${index}]`))))
      )
      assert.deepStrictEqual(replies.map(Either.isRight), [true, true, true, false, false])
      assert.lengthOf(methods(outside.requests), 4)
    }).pipe(Effect.scoped, Effect.provide(upstreamDependencies(outside, { REQUEST_DEADLINE_MS: "3000" })))
  })

  it.effect("fails reads that waited for others of the batch until then, with that reason", () => {
    const echo = node(({ params }) => params)
    const isBatch = ({ body }: SentRequest) => body.startsWith("[")
    const outside = simulatedClient((request) =>
      isBatch(request) ? text("no batches", { status: 413 }) : Effect.delay(echo(request), 900)
    )
    return Effect.gen(function* () {
      const rpc = yield* rpcOver(undefined, [firstUrl])
      const replies = Either.getOrThrow(
        yield* run(rpc.batch(Array.from({ length: 30 }, (_, index) => call("read", `[${index}]`))))
      )
      assert.deepStrictEqual(
        replies.map((reply) => Either.match(reply, { onLeft: ({ detail }) => detail, onRight: () => "good" })),
        [...Array<string>(24).fill("good"), ...Array<string>(6).fill("too many other calls were in flight")]
      )
    }).pipe(Effect.scoped, Effect.provide(upstreamDependencies(outside, { REQUEST_DEADLINE_MS: "2850" })))
  })
})
