import { assert, describe, it } from "@effect/vitest"
import { backoff, retryAfterOf } from "../../src/client/retries.ts"

const settings = { retries: 2, retryDelay: 400, maxRetryDelay: 3_000 }
const delays = (attempt: number, retryAfter: number | undefined) =>
  [0, 1].map((random) => backoff(attempt, retryAfter, settings, random))

describe("the delay before a retry", () => {
  it("doubles, with up to a quarter more", () => {
    assert.deepStrictEqual(
      [delays(0, undefined), delays(1, undefined)],
      [
        [400, 500],
        [800, 1_000]
      ]
    )
  })

  it("is at least Retry-After, with up to a quarter more, and never less than without it", () => {
    assert.deepStrictEqual(
      [delays(0, 1), delays(0, 0), delays(1, 0)],
      [
        [1_000, 1_250],
        [400, 500],
        [800, 1_000]
      ]
    )
  })

  it("is not made if Retry-After has more digits than a number", () => {
    for (const text of ["9999999999", "99999999999999999999", "9".repeat(400)])
      assert.deepStrictEqual(delays(0, retryAfterOf(text, undefined, 0)), [undefined, undefined], text)
  })

  it("is not made after more milliseconds than a timer counts, which would end at once", () => {
    const endless = { ...settings, maxRetryDelay: Number.POSITIVE_INFINITY }
    assert.deepStrictEqual(
      [2_592_000, 2_147_483].map((seconds) => backoff(0, seconds, endless, 1)),
      [undefined, 2_147_483_647]
    )
  })

  it("has its random part at the longest delay too, and is not made if that is too short", () => {
    assert.deepStrictEqual(
      [delays(0, 3), delays(0, 4), delays(2, 1)],
      [
        [3_000, 3_750],
        [undefined, undefined],
        [undefined, undefined]
      ]
    )
  })
})
