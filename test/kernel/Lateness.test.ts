import { assert, describe, it } from "@effect/vitest"
import { meter } from "../../src/kernel/Lateness.ts"

/** A meter that started at 0, and the verdicts of its intervals so far. */
const measured = (delays: ReadonlyArray<number>) => {
  const found = meter(0)
  const verdicts: Array<boolean> = []
  found.observe((isLate) => verdicts.push(isLate))
  let now = 0
  for (const delay of delays) {
    now += 20 + delay
    assert.strictEqual(found.measure(now), delay)
  }
  return { ...found, now, verdicts }
}

const times = (count: number, delay: number) => Array.from({ length: count }, () => delay)

describe("how late a process is", () => {
  it("is decided every 200 ms, by the shortest delay", () => {
    assert.deepStrictEqual(measured(times(20, 0)).verdicts, [false, false])
    assert.deepStrictEqual(measured(times(4, 80)).verdicts, [true, true])
    // A pause for a collection of garbage, or of the whole process, is no standing queue.
    assert.deepStrictEqual(measured([0, 3_000, 0, 0]).verdicts, [false])
    assert.deepStrictEqual(measured([80, 10, 80]).verdicts, [false])
  })

  it("is known at once: from the task that was late, until one is in time", () => {
    const { isLate, measure, now } = measured([0])
    assert.isFalse(isLate(now + 20))
    assert.isFalse(isLate(now + 95))
    assert.isTrue(isLate(now + 96))
    measure(now + 3_000)
    assert.isTrue(isLate(now + 3_000))
    measure(now + 3_030)
    assert.isFalse(isLate(now + 3_030))
  })

  it("is the sum of its late delays", () => {
    const { now, total } = measured([0, 3_000, 75, 80])
    assert.strictEqual(total(now + 20), 3_080)
    assert.strictEqual(total(now + 120), 3_180)
  })

  it("is known afterwards, so that times from before its end do not count", () => {
    const { measure, now, wasLate } = measured([0])
    assert.isFalse(wasLate(0, now + 95))
    assert.isTrue(wasLate(now + 96, now + 96))
    measure(now + 3_000)
    measure(now + 3_030)
    assert.isTrue(wasLate(now + 3_000, now + 3_030))
    assert.isFalse(wasLate(now + 3_001, now + 3_030))
  })
})
