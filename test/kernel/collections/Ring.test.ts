import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Ring from "../../../src/kernel/collections/Ring.ts"

/** A value comes, any of those that ever came goes, or the oldest. */
const step = FastCheck.record({
  what: FastCheck.constantFrom("add", "add", "remove", "removeOldest"),
  which: FastCheck.nat(1_000_000)
})

describe("a ring", () => {
  it.prop("has the oldest value that is left, after any additions and removals", [FastCheck.array(step)], ([steps]) => {
    const ring = Ring.make<{ readonly ticket: number }>()
    let left: ReadonlyArray<number> = []
    let added = 0
    for (const { what, which } of steps) {
      if (what === "add") {
        assert.strictEqual(ring.add({ ticket: added }), added)
        left = [...left, added++]
      } else if (what === "remove" && added > 0) {
        const ticket = which % added
        assert.strictEqual(ring.remove(ticket), left.includes(ticket))
        left = left.filter((other) => other !== ticket)
      } else if (what === "removeOldest") {
        ring.removeOldest()
        left = left.slice(1)
      }
      assert.deepStrictEqual(
        ring.values().map(({ ticket }) => ticket),
        left
      )
      assert.strictEqual(ring.oldest()?.ticket, left[0])
    }
  })

  it("keeps a value that stays while thousands come and go", () => {
    const ring = Ring.make<{ readonly name: string }>()
    const first = ring.add({ name: "first" })
    for (let index = 0; index < 10_000; index++) assert.isTrue(ring.remove(ring.add({ name: String(index) })))
    const last = ring.add({ name: "last" })
    assert.strictEqual(ring.oldest()?.name, "first")
    assert.isTrue(ring.remove(first))
    assert.strictEqual(ring.oldest()?.name, "last")
    assert.isFalse(ring.remove(first))
    assert.isTrue(ring.remove(last))
    assert.isUndefined(ring.oldest())
  })
})
