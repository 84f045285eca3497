import { assert, describe, it } from "@effect/vitest"
import * as SeriesSlot from "../../../src/features/charts/Series.ts"
import { everySeries } from "../../../src/features/charts/Series.ts"
import { begin, candles, day, hour, minute } from "../../support/charting.ts"

const [id] = everySeries
const makeSlot = () => SeriesSlot.slotOf(id ?? assert.fail("there are no series"), 2 * hour)
const series = (at: number) => ({
  coin: "bitcoin" as const,
  period: "1" as const,
  candles: candles("1", at),
  source: "coingecko",
  at
})

describe("the pause after a failed attempt", () => {
  it("doubles from one minute up to the refresh interval", () => {
    const seriesSlot = makeSlot()
    const pauses = Array.from({ length: 9 }, () => {
      SeriesSlot.failSlot(seriesSlot, "is down", begin)
      return (SeriesSlot.dueAt(seriesSlot, begin) - begin) / minute
    })
    assert.deepStrictEqual(pauses, [1, 2, 4, 8, 16, 32, 64, 120, 120])
    for (let more = 0; more < 2_000; more++) SeriesSlot.failSlot(seriesSlot, "is down", begin)
    assert.strictEqual(SeriesSlot.dueAt(seriesSlot, begin), begin + 2 * hour)
  })

  it("is reset by a good response", () => {
    const slot = makeSlot()
    SeriesSlot.failSlot(slot, "is down", begin)
    SeriesSlot.takeSeries(slot, series(begin))
    assert.strictEqual(SeriesSlot.dueAt(slot, begin), begin + 2 * hour)
    SeriesSlot.failSlot(slot, "is down", begin + 2 * hour)
    assert.strictEqual(SeriesSlot.dueAt(slot, begin + 2 * hour), begin + 2 * hour + minute)
  })

  it("ends if the clock is set back to before the attempt", () => {
    for (const cached of [undefined, series(begin)]) {
      const slot = makeSlot()
      if (cached !== undefined) SeriesSlot.takeSeries(slot, cached)
      SeriesSlot.failSlot(slot, "is down", begin)
      const now = begin - 300 * day
      assert.isAtMost(SeriesSlot.dueAt(slot, now), now)
      assert.strictEqual(SeriesSlot.nextSlot([slot], now), slot)
    }
  })
})
