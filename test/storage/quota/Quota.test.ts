import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as Quota from "../../../src/storage/quota/Quota.ts"
import * as Redis from "../../../src/storage/redis/Redis.ts"
import * as Sqlite from "../../../src/storage/Sqlite.ts"
import { Store } from "../../../src/storage/Store.ts"
import { redisServer } from "../../support/redis.ts"
import { isMissing } from "../../support/tools.ts"

const kinds: Readonly<Record<string, Layer.Layer<Store, unknown>>> = {
  sqlite: Sqlite.layer(":memory:"),
  ...(isMissing("redis-server")
    ? {}
    : {
        redis: Layer.unwrapScoped(
          Effect.map(redisServer(), ({ url }) => Redis.layer(Redacted.make(url), { strict: true }))
        )
      })
}

const step = FastCheck.record({
  after: FastCheck.integer({ min: -70_000, max: 200_000 }),
  units: FastCheck.integer({ min: 0, max: 20 }),
  least: FastCheck.integer({ min: 0, max: 5 }),
  owing: FastCheck.boolean(),
  wait: FastCheck.integer({ min: 0, max: 10_000 }),
  reserve: FastCheck.constantFrom(0, 0.1, 0.25, 0.5),
  ahead: FastCheck.integer({ min: 0, max: 10 }),
  used: FastCheck.integer({ min: -8, max: 8 })
})

const bucketOf = (name: string) => (shape: Omit<Quota.Bucket, "name">) => ({ ...shape, name })

const shape = FastCheck.record({
  capacity: FastCheck.double({ min: 0.5, max: 30, noNaN: true }),
  interval: FastCheck.constantFrom(1000 / 3, 1000, 60_000 / 7, 1e15),
  known: FastCheck.record({
    filled: FastCheck.integer({ min: 0, max: 20 }),
    since: FastCheck.integer({ min: 0, max: 1e12 })
  })
})

describe.each(Object.entries(kinds))("units of buckets in %s", (_, kind) => {
  it.effect("are granted as the one rule says, which is the same for every kind", () =>
    Effect.gen(function* () {
      const { take } = yield* Store
      const samples = FastCheck.sample(
        FastCheck.record({
          shapes: FastCheck.array(shape, { minLength: 1, maxLength: 3 }),
          steps: FastCheck.array(step)
        }),
        { numRuns: 60, seed: 7 }
      )
      assert.isDefined(take)
      let now = 10_000_000
      for (const [run, { shapes, steps }] of samples.entries()) {
        const buckets = shapes.map((one, index) => bucketOf(`${run} ${index} 'é`)(one))
        const levels = buckets.map((): (Quota.Level & { readonly expires: number }) | undefined => undefined)
        for (const { after, ...rest } of steps) {
          now = Math.max(1, now + after)
          yield* TestClock.setTime(now)
          const taking = { ...rest, buckets }
          const expected = Quota.take(
            taking,
            levels.map((level) => (level !== undefined && level.expires > now ? level : undefined)),
            now
          )
          const taken = yield* take?.(taking) ?? Effect.die("no quotas")
          assert.strictEqual(taken.granted, expected.granted)
          for (const [index, level] of expected.levels.entries()) {
            assert.closeTo(taken.levels[index]?.filled ?? Number.NaN, level.filled, 1e-9)
            assert.deepInclude(taken.levels[index], { at: level.at, since: level.since })
            const bucket = buckets[index]
            // Redis measures expiry by its own clock: it keeps each level for ten minutes at least.
            const expires =
              bucket === undefined || kind === kinds.redis
                ? Number.POSITIVE_INFINITY
                : level.at + Quota.stay(level.filled, bucket)
            levels[index] = { ...level, expires }
          }
        }
      }
    }).pipe(Effect.provide(kind))
  )
})

describe("the rule", () => {
  const bucket: Quota.Bucket = { name: "a", capacity: 10, interval: 100, known: { filled: 0, since: 0 } }
  const want = { units: 1, least: 1, owing: false, wait: 0, reserve: 0, ahead: 0, used: 0, buckets: [bucket] }
  const at = (filled: number, time = 0) => [{ filled, at: time, since: 0 }]

  it("grants what is free, and leaves the reserve", () => {
    assert.strictEqual(Quota.take({ ...want, units: 4 }, at(8), 0).granted, 2)
    assert.strictEqual(Quota.take({ ...want, units: 4 }, at(8), 100).granted, 3)
    assert.strictEqual(Quota.take({ ...want, reserve: 0.5 }, at(5), 0).granted, 0)
    assert.strictEqual(Quota.take({ ...want, units: 4, wait: 150 }, at(10), 0).granted, 1)
  })

  it("grants further units only where they are free now", () => {
    assert.strictEqual(Quota.take({ ...want, ahead: 5 }, at(6), 0).granted, 4)
    assert.strictEqual(Quota.take({ ...want, wait: 1000, ahead: 5 }, at(10), 0).granted, 1)
  })

  it("takes back what was not used, and adds what was used elsewhere", () => {
    assert.strictEqual(Quota.take({ ...want, units: 0, used: -3 }, at(5), 0).levels[0]?.filled, 2)
    assert.strictEqual(Quota.take({ ...want, units: 10, used: 4 }, at(5), 0).granted, 1)
  })

  it("begins with what the process knows, where the store has lost it", () => {
    const known = { ...bucket, known: { filled: 9, since: 5 } }
    const { granted, levels } = Quota.take({ ...want, units: 3, buckets: [known] }, [undefined], 0)
    assert.strictEqual(granted, 1)
    assert.strictEqual(levels[0]?.since, 5)
  })

  it("follows the clock of machines that differ, and not a clock that was set back", () => {
    assert.strictEqual(Quota.take(want, at(10, 30_000), 0).levels[0]?.at, 30_000)
    assert.deepInclude(Quota.take(want, at(10, 400_000), 0).levels[0], { at: 0, filled: 10 })
  })
})
