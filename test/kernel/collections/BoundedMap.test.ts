import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as BoundedMap from "../../../src/kernel/collections/BoundedMap.ts"
import * as MemoryBudget from "../../../src/kernel/collections/MemoryBudget.ts"

interface Entry {
  readonly key: number
  readonly value: number
  readonly until: number
}

const step = FastCheck.record({
  what: FastCheck.constantFrom("set", "set", "set", "get", "get", "peek", "delete", "clear"),
  key: FastCheck.nat(6),
  value: FastCheck.nat(9),
  until: FastCheck.constantFrom(undefined, 5, 10, 20)
})

/** The entries as a list, the oldest first. */
const model = (capacity: number, maxWeight: number) => {
  let entries: ReadonlyArray<Entry> = []
  const weight = () => entries.reduce((sum, { value }) => sum + value, 0)
  const without = (key: number) => entries.filter((entry) => entry.key !== key)
  return {
    weight,
    entries: () => entries,
    get: (key: number, now: number) => {
      const before = entries
      const isRoomy = 2 * entries.length < capacity && 2 * weight() < maxWeight
      const entry = entries.find((candidate) => candidate.key === key)
      entries = without(key)
      if (entry === undefined || entry.until <= now) return undefined
      // While half is free, the order of the entries does not change.
      entries = isRoomy ? before : [...entries, entry]
      return entry.value
    },
    peek: (key: number, now: number) => {
      entries = entries.filter((entry) => entry.key !== key || entry.until > now)
      return entries.find((entry) => entry.key === key)?.value
    },
    set: (entry: Entry) => {
      entries = without(entry.key)
      if (entry.value > maxWeight) return
      entries = [...entries, entry]
      while (entries.length > capacity || weight() > maxWeight) entries = entries.slice(1)
    },
    delete: (key: number) => {
      entries = without(key)
    },
    clear: () => {
      entries = []
    }
  }
}

describe("a bounded map", () => {
  it.prop(
    "has the same entries as a list that is ordered by last use",
    [FastCheck.integer({ min: 1, max: 5 }), FastCheck.nat(20), FastCheck.array(step, { maxLength: 60 })],
    ([capacity, maxWeight, steps]) => {
      const budget = MemoryBudget.make(maxWeight)
      const map = BoundedMap.make<number, number>({ capacity, budget, weigh: (_, value) => value })
      const expected = model(capacity, maxWeight)
      for (const [now, { key, until, value, what }] of steps.entries()) {
        if (what === "set") {
          map.set(key, value, until)
          expected.set({ key, value, until: until ?? Number.POSITIVE_INFINITY })
        } else if (what === "get") assert.strictEqual(map.get(key, now), expected.get(key, now))
        else if (what === "peek") assert.strictEqual(map.peek(key, now), expected.peek(key, now))
        else if (what === "delete") {
          assert.strictEqual(
            map.delete(key),
            expected.entries().some((entry) => entry.key === key)
          )
          expected.delete(key)
        } else {
          map.clear()
          expected.clear()
        }
        assert.deepStrictEqual(
          map.entries(),
          expected.entries().map((entry) => [entry.key, entry.value] as const)
        )
        assert.strictEqual(map.size(), expected.entries().length)
        assert.strictEqual(map.weight(), expected.weight())
        for (let candidate = 0; candidate <= 6; candidate++)
          assert.strictEqual(
            map.has(candidate),
            expected.entries().some((entry) => entry.key === candidate)
          )
      }
    }
  )

  it("ignores the expiry if no time is given", () => {
    const map = BoundedMap.make<string, number>({})
    map.set("a", 1, 10)
    assert.strictEqual(map.get("a"), 1)
    assert.strictEqual(map.get("a", 9), 1)
    assert.isUndefined(map.get("a", 10))
    assert.isFalse(map.has("a"))
  })

  it.effect("measures keys and values in bytes, in the budget of the process", () =>
    Effect.gen(function* () {
      const map = yield* BoundedMap.sized<string>("texts", 10)
      const other = yield* BoundedMap.sized<string>("other texts", 10)
      map.set("a", "x".repeat(1_000))
      other.set("b", "x".repeat(1_000))
      map.set("c", "x".repeat(1_000))
      assert.deepStrictEqual([map.has("a"), other.has("b"), map.has("c")], [false, true, true])
      map.set("d", "x".repeat(4_000))
      assert.deepStrictEqual([other.has("b"), map.has("d")], [true, false])
    }).pipe(Effect.provideService(MemoryBudget.CurrentMemoryBudget, MemoryBudget.make(3_000)))
  )
})
