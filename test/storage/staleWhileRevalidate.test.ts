import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { policy, resultOf, valueOf } from "../../src/storage/staleWhileRevalidate.ts"

const found = (value: number) => Exit.succeed(Option.some(value))
const notFound = Exit.succeed(Option.none<number>())

const lifetimes = FastCheck.record({
  fresh: FastCheck.nat(100),
  stale: FastCheck.nat(100),
  notFound: FastCheck.nat(100),
  failure: FastCheck.nat(100)
})
const time = FastCheck.nat(1_000)

describe("the stale-while-revalidate policy", () => {
  it.prop("serves a value fresh, then stale, then not at all", [lifetimes, time, time], ([given, at, age]) => {
    const result = resultOf(policy<number, string>(given).entryOf(found(1), at), at + age)
    assert.strictEqual(result, age < given.fresh ? "hit" : age < given.fresh + given.stale ? "stale" : "miss")
  })

  it.prop("never serves a value after its own expiry", [lifetimes, time, time, time], ([given, at, end, now]) => {
    const entry = policy<number, string>({ ...given, expires: () => end }).entryOf(found(1), at)
    if (now >= end) assert.isUndefined(valueOf(entry, now))
  })

  it.prop(
    "caches a missing value and a failure, each for its own lifetime",
    [lifetimes, time, time],
    ([given, at, age]) => {
      const { entryOf } = policy<number, string>(given)
      const expected = (lifetime: number) => (age < lifetime ? "absent" : "miss")
      assert.strictEqual(resultOf(entryOf(notFound, at), at + age), expected(given.notFound))
      assert.strictEqual(resultOf(entryOf(Exit.fail("no"), at), at + age), expected(given.failure))
    }
  )

  it.prop("keeps a value that is still valid after a failed refresh", [lifetimes, time, time], ([given, at, age]) => {
    const { entryOf, refreshed } = policy<number, string>(given)
    const previous = entryOf(found(1), at)
    const now = at + age
    const entry = refreshed(Exit.fail("no"), previous, now)
    assert.strictEqual(valueOf(entry), now < previous.until ? 1 : undefined)
    assert.strictEqual(entry.freshUntil, now + given.failure)
    assert.deepStrictEqual(refreshed(found(2), previous, now), entryOf(found(2), now))
  })

  it.prop("accepts stored values that are still valid and not from the future", [lifetimes, time, time], (all) => {
    const [given, at, now] = all
    const entry = policy<number, string>(given).restored(1, at, now)
    assert.strictEqual(entry !== undefined, at <= now && now < at + given.fresh + given.stale)
  })
})
