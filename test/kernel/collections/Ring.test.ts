import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Ring from "../../../src/kernel/collections/Ring.ts"

interface Item {
  readonly name: number
}

/** Adds a few values, removes any value that was ever added, or removes the oldest value. */
const step = FastCheck.record({
  what: FastCheck.constantFrom("add", "remove", "removeOldest"),
  which: FastCheck.nat(1_000_000)
})

describe("a ring", () => {
  it.prop(
    "has the remaining values, oldest first, after any additions and removals",
    [FastCheck.array(step, { maxLength: 100 })],
    ([steps]) => {
      const ring = Ring.make<Item>()
      const tickets: Array<Ring.Ticket<Item>> = []
      let left: ReadonlyArray<number> = []
      for (const { what, which } of steps) {
        if (what === "add") {
          for (let count = which % 40; count >= 0; count--) {
            const name = tickets.length
            tickets.push(ring.add({ name }))
            left = [...left, name]
          }
        } else if (what === "remove" && tickets.length > 0) {
          const name = which % tickets.length
          const ticket = tickets[name]
          assert.strictEqual(ticket && ring.remove(ticket), left.includes(name))
          left = left.filter((other) => other !== name)
        } else if (what === "removeOldest") {
          ring.removeOldest()
          left = left.slice(1)
        }
        assert.deepStrictEqual(
          ring.values().map(({ name }) => name),
          left
        )
        assert.strictEqual(ring.oldest()?.name, left[0])
      }
    }
  )

  it("keeps a value while thousands are added and removed", () => {
    const ring = Ring.make<Item>()
    const first = ring.add({ name: -1 })
    for (let name = 0; name < 10_000; name++) assert.isTrue(ring.remove(ring.add({ name })))
    const last = ring.add({ name: -2 })
    // Removed values occupy no slots.
    assert.isAtMost(last.at, 64)
    assert.strictEqual(ring.oldest()?.name, -1)
    assert.isTrue(ring.remove(first))
    assert.strictEqual(ring.oldest()?.name, -2)
    assert.isFalse(ring.remove(first))
    assert.isTrue(ring.remove(last))
    assert.isUndefined(ring.oldest())
  })
})
