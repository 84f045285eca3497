import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LimitSharing } from "../../../src/storage/quota/SharedQuotas.ts"
import * as Sqlite from "../../../src/storage/Sqlite.ts"
import { Store } from "../../../src/storage/Store.ts"
import { sharing, switchable } from "../../storage/quota/sharing.ts"
import { CannedResponses, readyOf } from "../../support/shelf.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { Pipelines } from "../response/ways.ts"

const coin = "/price/coin?coin_ids=bitcoin"

const call = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
}

/** Two services over one store, with a limit of 12 requests per minute. */
const services = Effect.gen(function* () {
  const one = yield* Effect.provide(Store, yield* Layer.build(Layer.fresh(Sqlite.layer(":memory:"))))
  const { layer, state } = switchable(one)
  const service = Effect.gen(function* () {
    const limits = Layer.succeed(LimitSharing, Context.get(yield* sharing(layer), LimitSharing))
    const context = yield* Layer.build(
      Layer.fresh(Pipelines.layer({ RATE_LIMIT_PER_MINUTE: "12" })).pipe(Layer.provide(limits))
    )
    const shelf = yield* Effect.provide(CannedResponses, context)
    shelf.ready.set(coin, readyOf('{"bitcoin":1}'))
    return yield* Effect.provide(Pipelines, context)
  })
  return { services: [yield* service, yield* service] as const, state }
})

describe("the rate limit across several processes", () => {
  it("covers all routes, with or without a cached response, and each step of the pipeline", function* () {
    const { services: both, state } = yield* services
    const [first, second] = both
    const statuses: Array<number> = []
    const send = (request: Effect.Effect<Response>) => Effect.map(request, ({ status }) => void statuses.push(status))
    // Not cached, then cached; by the raw step; an unknown route; by the pipeline without its cache.
    for (const { call: get, uncached } of both) {
      yield* send(get(coin))
      yield* send(get(coin))
      yield* send(get("/utils/rpc/base", call))
      yield* send(get("/nowhere"))
      yield* send(uncached(coin))
    }
    // Health checks and preflight requests do not count.
    yield* send(second.call("/health/live"))
    yield* send(second.call(coin, { method: "OPTIONS", headers: { "access-control-request-method": "GET" } }))
    assert.notInclude(statuses, 429)
    const rest = [first, second, first, second, first].map(({ call: get }) => get(coin))
    const last = yield* Effect.forEach(rest, (request) => Effect.map(request, ({ status }) => status))
    assert.deepStrictEqual(last.toSorted(), [200, 200, 429, 429, 429])
    // Once the store has reported the limit as reached, requests are refused without a store request.
    const before = state.requests
    const refused = yield* Effect.replicateEffect(first.call(coin), 20)
    assert.isTrue(refused.every(({ status }) => status === 429))
    assert.strictEqual(refused[0]?.headers.get("ratelimit-limit"), "12")
    assert.isAtMost(state.requests, before + 1)
  })
})
