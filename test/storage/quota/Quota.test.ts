import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import * as Quota from "../../../src/storage/quota/Quota.ts"
import { Store } from "../../../src/storage/Store.ts"
import { describeStores, stores } from "../stores.ts"

const step = FastCheck.record({
  after: FastCheck.integer({ min: -70_000, max: 200_000 }),
  units: FastCheck.integer({ min: 0, max: 20 }),
  minUnits: FastCheck.integer({ min: 0, max: 5 }),
  wait: FastCheck.integer({ min: 0, max: 10_000 }),
  reserve: FastCheck.constantFrom(0, 0.1, 0.25, 0.5)
})

const bucketOf = (name: string) => (shape: Omit<Quota.Bucket, "name">) => ({ ...shape, name })

const shape = FastCheck.record({
  capacity: FastCheck.double({ min: 0.5, max: 30, noNaN: true }),
  interval: FastCheck.constantFrom(1000 / 3, 1000, 60_000 / 7, 1e15),
  localLevel: FastCheck.record({
    filled: FastCheck.integer({ min: 0, max: 20 }),
    since: FastCheck.integer({ min: 0, max: 1e12 })
  })
})

const { memory: _, ...shared } = stores

describeStores("units of buckets in", shared, (store, kind) => {
  it.effect("are granted by the same rule as by `Quota.take`", () =>
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
          assert.strictEqual(taken.isGranted, expected.isGranted)
          for (const [index, level] of expected.levels.entries()) {
            assert.closeTo(taken.levels[index]?.filled ?? Number.NaN, level.filled, 1e-9)
            assert.deepInclude(taken.levels[index], { at: level.at, since: level.since })
            const bucket = buckets[index]
            // Redis measures expiry by its own clock: it keeps each level for at least ten minutes.
            const expires =
              bucket === undefined || kind === "redis"
                ? Number.POSITIVE_INFINITY
                : level.at + Quota.lifetimeOf(level.filled, bucket)
            levels[index] = { ...level, expires }
          }
        }
      }
    }).pipe(Effect.provide(store))
  )
})

describe("the quota rule", () => {
  const bucket: Quota.Bucket = { name: "a", capacity: 10, interval: 100, localLevel: { filled: 0, since: 0 } }
  const want = { units: 1, minUnits: 1, wait: 0, reserve: 0, buckets: [bucket] }
  const at = (filled: number, time = 0) => [{ filled, at: time, since: 0 }]
  const isGranted = (change: Partial<Quota.QuotaRequest>, filled: number, now = 0) =>
    Quota.take({ ...want, ...change }, at(filled), now).isGranted

  it("grants free units, and leaves the reserve", () => {
    assert.isTrue(isGranted({ minUnits: 2 }, 8))
    assert.isFalse(isGranted({ minUnits: 3 }, 8))
    assert.isTrue(isGranted({ minUnits: 3 }, 8, 100))
    assert.isFalse(isGranted({ reserve: 0.5 }, 5))
    assert.isTrue(isGranted({ wait: 150 }, 10))
    assert.isFalse(isGranted({ minUnits: 2, wait: 150 }, 10))
  })

  it("grants all units if at least `least` units are free, and charges the rest to later requests", () => {
    assert.strictEqual(Quota.take({ ...want, units: 30 }, at(5), 0).levels[0]?.filled, 35)
    assert.strictEqual(Quota.take({ ...want, units: 30, minUnits: 6 }, at(5), 0).levels[0]?.filled, 5)
  })

  it("grants no units of any bucket if one bucket has too few", () => {
    const { isGranted, levels } = Quota.take(
      { ...want, buckets: [bucket, { ...bucket, name: "b" }] },
      [...at(3), ...at(10)],
      0
    )
    assert.isFalse(isGranted)
    assert.deepStrictEqual(
      levels.map(({ filled }) => filled),
      [3, 10]
    )
  })

  it("starts with the level that the process knows if the store has lost it", () => {
    const known = { ...bucket, localLevel: { filled: 9, since: 5 } }
    const { isGranted, levels } = Quota.take({ ...want, minUnits: 2, buckets: [known] }, [undefined], 0)
    assert.isFalse(isGranted)
    assert.strictEqual(levels[0]?.filled, 9)
    assert.strictEqual(levels[0]?.since, 5)
  })

  it("counts what this process knows if the store has lost a part of it", () => {
    const known = { ...bucket, localLevel: { filled: 9, since: 5 } }
    const { isGranted, levels } = Quota.take({ ...want, minUnits: 2, buckets: [known] }, at(3), 0)
    assert.isFalse(isGranted)
    assert.deepStrictEqual(levels, [{ filled: 9, at: 0, since: 0 }])
  })

  it("accepts clock differences between machines, and restarts from a clock that was set back", () => {
    assert.strictEqual(Quota.take(want, at(10, 30_000), 0).levels[0]?.at, 30_000)
    assert.deepInclude(Quota.take(want, at(10, 400_000), 0).levels[0], { at: 0, filled: 10 })
  })
})
