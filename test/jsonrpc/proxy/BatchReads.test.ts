import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { simulatedClient } from "../../support/http.ts"
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
})
