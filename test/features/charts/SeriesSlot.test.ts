import { assert, describe, it } from "@effect/vitest"
import { everySeries } from "../../../src/features/charts/Series.ts"
import * as SeriesSlot from "../../../src/features/charts/SeriesSlot.ts"
import { begin, candles, day, hour, minute } from "../../support/charting.ts"

const [id] = everySeries
const place = () => SeriesSlot.make(id ?? assert.fail("there are no series"), 2 * hour)
const series = (at: number) => ({
  coin: "bitcoin" as const,
  period: "1" as const,
  candles: candles("1", at),
  source: "coingecko",
  at
})

describe("the pause after a failed attempt", () => {
  it("doubles from a minute up to the time for which a series lasts", () => {
    const one = place()
    const pauses = Array.from({ length: 9 }, () => {
      SeriesSlot.fail(one, "is down", begin)
      return (SeriesSlot.dueAt(one, begin) - begin) / minute
    })
    assert.deepStrictEqual(pauses, [1, 2, 4, 8, 16, 32, 64, 120, 120])
    for (let more = 0; more < 2_000; more++) SeriesSlot.fail(one, "is down", begin)
    assert.strictEqual(SeriesSlot.dueAt(one, begin), begin + 2 * hour)
  })

  it("ends with a good answer", () => {
    const one = place()
    SeriesSlot.fail(one, "is down", begin)
    SeriesSlot.take(one, series(begin))
    assert.strictEqual(SeriesSlot.dueAt(one, begin), begin + 2 * hour)
    SeriesSlot.fail(one, "is down", begin + 2 * hour)
    assert.strictEqual(SeriesSlot.dueAt(one, begin + 2 * hour), begin + 2 * hour + minute)
  })

  it("is over when the clock is set back to before it", () => {
    for (const held of [undefined, series(begin)]) {
      const one = place()
      if (held !== undefined) SeriesSlot.take(one, held)
      SeriesSlot.fail(one, "is down", begin)
      const now = begin - 300 * day
      assert.isAtMost(SeriesSlot.dueAt(one, now), now)
      assert.strictEqual(SeriesSlot.next([one], now), one)
    }
  })
})
