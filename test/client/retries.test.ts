import { assert, describe, it } from "@effect/vitest"
import { backoff } from "../../src/client/retries.ts"

const settings = { retries: 2, retryDelay: 400, maxRetryDelay: 3_000 }
const delays = (attempt: number, retryAfter: number | undefined) =>
  [0, 1].map((random) => backoff(attempt, retryAfter, settings, random))

describe("the delay before a retry", () => {
  it("doubles, with jitter", () => {
    assert.deepStrictEqual(
      [delays(0, undefined), delays(1, undefined)],
      [
        [300, 400],
        [600, 800]
      ]
    )
  })

  it("is at least Retry-After, with jitter, and never less than without it", () => {
    assert.deepStrictEqual(
      [delays(0, 1), delays(1, 0)],
      [
        [1_000, 1_500],
        [800, 1_200]
      ]
    )
  })

  it("is at most the longest delay, and none if that is not enough", () => {
    assert.deepStrictEqual(
      [delays(0, 3), delays(0, 4), delays(2, 1)],
      [
        [3_000, 3_000],
        [undefined, undefined],
        [undefined, undefined]
      ]
    )
  })
})
