import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import {
  distance,
  greatest,
  height,
  least,
  millis,
  numberOf,
  Seconds,
  seconds,
  secondsOf,
  shift,
  slot,
  toMillis,
  toSeconds
} from "../../src/domain/units.ts"
import { assert, describe, it } from "../support/vitest.ts"

describe("numbers that count different things", () => {
  it("compare within one kind only", () => {
    assert.isTrue(seconds(1) < seconds(2))
    assert.isFalse(height(5) > height(6))
    // @ts-expect-error seconds are no milliseconds
    assert.isTrue(seconds(1) < millis(2))
    // @ts-expect-error a slot is no height
    assert.isTrue(slot(1) <= height(2))
    // @ts-expect-error a number may count anything
    assert.isTrue(seconds(1) < 2)
    // @ts-expect-error equality too
    assert.isFalse(seconds(1) === millis(2))
    // @ts-expect-error the larger one of two kinds has no kind
    assert.strictEqual(numberOf(greatest(seconds(1), millis(2))), 2)
    // @ts-expect-error the sum of two times is no time
    assert.strictEqual(seconds(1) + seconds(2), 3)
  })

  it("have distances, and extremes of any number of values", () => {
    assert.strictEqual(distance(seconds(5), seconds(3)), -2)
    assert.strictEqual(shift(height(5), -2), height(3))
    assert.deepStrictEqual([least(height(2), height(1)), greatest(height(2), height(1))], [height(1), height(2)])
    assert.deepStrictEqual(
      [numberOf(least()), numberOf(greatest())],
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    )
  })

  it.prop("convert milliseconds to the second that contains them", [FastCheck.integer()], ([time]) => {
    const second = toSeconds(millis(time))
    assert.isTrue(toMillis(second) <= millis(time) && distance(toMillis(second), millis(time)) < 1000)
  })

  it("are no times before 1970", () => {
    assert.isTrue(Schema.is(Seconds)(seconds(0)))
    assert.isFalse(Schema.is(Seconds)(seconds(-7)))
  })

  it("are read from texts with a time", () => {
    assert.strictEqual(secondsOf("2026-11-05T00:00:01.999Z"), seconds(1_793_836_801))
    assert.isNaN(numberOf(secondsOf("yesterday")))
  })
})
