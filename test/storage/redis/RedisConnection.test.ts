import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Redis from "../../../src/storage/redis/Redis.ts"
import { dated, Store, type StoreState } from "../../../src/storage/Store.ts"
import * as StoreHealth from "../../../src/storage/Stores.ts"
import { faultyRedis, redisFaults } from "../../support/illRedis.ts"
import { eventually } from "../../support/process.ts"
import { redisServer } from "../../support/redis.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const one = new Map([["a", { at: 1, value: 1 }]])

describe.skipIf(isMissing("redis-server"))("a Redis server is used again", () => {
  for (const illness of redisFaults)
    for (const isIllFirst of [false, true])
      it.scopedLive(`after this fault: ${illness}${isIllFirst ? ", from the start" : ""}`, function* () {
        const redis = yield* redisServer()
        const ill = yield* Effect.acquireRelease(
          Effect.sync(() => faultyRedis(redis.url)),
          ({ stop }) => Effect.sync(stop)
        )
        if (isIllFirst) ill.set(illness)
        const context = yield* Layer.build(
          StoreHealth.layerWithHealth("redis", Layer.fresh(Redis.layer(Redacted.make(ill.url), { strict: false })))
        )
        const { getMany, setMany } = yield* Effect.provide(dated("prices", 1, Schema.Number), context)
        const { health } = yield* Effect.provide(Store, context)
        const becomes = (state: StoreState) =>
          eventually(Effect.filterOrFail(health?.state ?? Effect.fail("none"), (found) => found === state))
        const works = Effect.map(Effect.zipRight(setMany(one, "1 minute"), getMany(["a"])), (found) => found.size === 1)
        if (!isIllFirst) assert.isTrue(yield* works)
        ill.set(illness)
        yield* eventually(Effect.filterOrFail(works, (found) => !found))
        yield* becomes("down")
        ill.set(undefined)
        yield* becomes("up")
        assert.isTrue(yield* works)
      })

  it.scopedLive("after its connections have come to lead to a replica", function* () {
    const redis = yield* redisServer()
    const proxy = yield* Effect.acquireRelease(
      Effect.sync(() => faultyRedis(redis.url)),
      ({ stop }) => Effect.sync(stop)
    )
    const context = yield* Layer.build(Layer.fresh(Redis.layer(Redacted.make(proxy.url), { strict: true })))
    const { claim } = yield* Effect.provide(Store, context)
    assert.isTrue(yield* claim("lease", "a", "1 minute"))
    proxy.demote()
    assert.match(String((yield* Effect.flip(claim("lease", "a", "1 minute"))).cause), /READONLY/)
    assert.isTrue(yield* eventually(claim("lease", "a", "1 minute")))
  })
})
