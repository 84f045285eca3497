import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as BoundedMap from "../../../src/kernel/collections/BoundedMap.ts"
import * as MemoryBudget from "../../../src/kernel/collections/MemoryBudget.ts"

type Weights = BoundedMap.BoundedMap<number, number>

/** A map whose values are their weights. */
const mapIn = (budget: MemoryBudget.MemoryBudget, name = "", capacity?: number): Weights =>
  BoundedMap.make<number, number>({
    name,
    budget,
    weigh: (_, value) => value,
    ...(capacity === undefined ? {} : { capacity })
  })

const keysOf = (map: Weights) => map.entries().map(([key]) => key)

const step = FastCheck.record({
  what: FastCheck.constantFrom("set", "set", "set", "set", "get", "get", "delete", "clear"),
  map: FastCheck.nat(3),
  key: FastCheck.nat(9),
  value: FastCheck.nat(60)
})

describe("a budget that several maps share", () => {
  it.prop(
    "is never exceeded, and has the sum of its maps, also if some of them are in a part of it",
    [FastCheck.nat(80), FastCheck.nat(60), FastCheck.array(step, { maxLength: 120 })],
    ([max, ofPart, steps]) => {
      const whole = MemoryBudget.make(max)
      const part = MemoryBudget.make(ofPart, whole)
      const maps = [mapIn(whole), mapIn(whole, "", 3), mapIn(part), mapIn(part, "", 2)]
      const weightOf = (some: ReadonlyArray<Weights>) =>
        some.reduce((sum, map) => sum + map.entries().reduce((each, [, value]) => each + value, 0), 0)
      for (const { key, map: index, value, what } of steps) {
        const map = maps[index] ?? mapIn(whole)
        if (what === "get") map.get(key)
        else if (what === "delete") map.delete(key)
        else if (what === "clear") map.clear()
        else {
          map.set(key, value)
          // The entry that was used last stays, unless it is larger than the whole budget.
          const fits = value <= (index < 2 ? max : Math.min(max, ofPart))
          assert.strictEqual(map.get(key), fits ? value : undefined)
        }
        assert.strictEqual(whole.weight(), weightOf(maps))
        assert.strictEqual(part.weight(), weightOf(maps.slice(2)))
        assert.isAtMost(whole.weight(), max)
        assert.isAtMost(part.weight(), ofPart)
      }
    }
  )

  it("evicts the least recently used entry of all maps of the same size", () => {
    const budget = MemoryBudget.make(4)
    const [a, b] = [mapIn(budget), mapIn(budget)]
    a.set(1, 1)
    b.set(2, 1)
    a.set(3, 1)
    b.set(4, 1)
    assert.strictEqual(a.get(1), 1)
    b.set(5, 1)
    assert.deepStrictEqual(
      [keysOf(a), keysOf(b)],
      [
        [3, 1],
        [4, 5]
      ]
    )
    a.set(6, 1)
    assert.deepStrictEqual(
      [keysOf(a), keysOf(b)],
      [
        [1, 6],
        [4, 5]
      ]
    )
  })

  it("evicts from a large map first, so that a flood in it does not displace the entries of a small one", () => {
    const budget = MemoryBudget.make(1_000)
    const [small, large] = [mapIn(budget), mapIn(budget)]
    for (let key = 0; key < 10; key++) small.set(key, 1)
    for (let key = 0; key < 9_000; key++) large.set(key, 10)
    assert.strictEqual(small.size(), 10)
    assert.strictEqual(large.size(), 99)
    // Entries of a small map that are not used for much longer are evicted too.
    for (let key = 0; key < 500_000; key++) large.set(key, 10)
    assert.isBelow(small.size(), 10)
  })

  it("makes room for a large entry among 100,000 small ones", () => {
    const budget = MemoryBudget.make(10_000_000, MemoryBudget.make(20_000_000))
    const map = mapIn(budget)
    for (let key = 0; key < 100_000; key++) map.set(key, 100)
    map.set(-1, 9_000_000)
    assert.strictEqual(map.get(-1), 9_000_000)
    assert.strictEqual(budget.weight(), 9_000_000 + 100 * (map.size() - 1))
  })

  it("compares all maps only once for many new entries", () => {
    const budget = MemoryBudget.make(10_000_000)
    const map = mapIn(budget)
    let compared = 0
    const oldestUse = () => {
      compared++
      return undefined
    }
    const unused = { entries: 0, bytes: 0, hits: 0, misses: 0, evicted: 0 }
    budget.join({ name: "", weight: () => 0, usage: () => unused, oldestUse, evictOldest: () => undefined })
    for (let key = 0; key < 110_000; key++) map.set(key, 100)
    assert.isAtMost(compared, 110)
    assert.isAtLeast(map.size(), 99_000)
  })

  it("does not store an entry that is larger than the budget, and removes the entry that it would replace", () => {
    const budget = MemoryBudget.make(10)
    const [a, b] = [mapIn(budget), mapIn(budget)]
    a.set(1, 5)
    b.set(2, 5)
    a.set(1, 11)
    assert.deepStrictEqual([keysOf(a), keysOf(b)], [[], [2]])
    assert.strictEqual(budget.weight(), 5)
  })

  it("reports bytes, entries, reads and evictions by name", () => {
    const budget = MemoryBudget.make(10)
    const [a, b, c] = [mapIn(budget, "prices"), mapIn(budget, "prices"), mapIn(budget, "icons", 1)]
    a.set(1, 4)
    b.set(2, 2)
    c.set(3, 4)
    c.set(4, 3)
    for (const map of [a, b]) map.get(1)
    assert.deepStrictEqual(Object.fromEntries(budget.usage()), {
      prices: { entries: 2, bytes: 6, hits: 1, misses: 1, evicted: 0 },
      icons: { entries: 1, bytes: 3, hits: 0, misses: 0, evicted: 1 }
    })
    b.set(5, 4)
    assert.deepStrictEqual(Object.fromEntries(budget.usage()), {
      prices: { entries: 2, bytes: 8, hits: 1, misses: 1, evicted: 1 },
      icons: { entries: 0, bytes: 0, hits: 0, misses: 0, evicted: 2 }
    })
  })
})
