import { assert, describe, it } from "@effect/vitest"
import * as AdmissionLimit from "../../../src/http/access/AdmissionLimit.ts"

/** A service: each interval, it completes what it bears, gets `offered` requests and admits what the limit allows. */
const service = (bears: number) => {
  const limit = AdmissionLimit.make(1_000)
  let inProgress = 0
  return {
    limit,
    /** The requests completed in this number of intervals. */
    run: (intervals: number, offered: number) => {
      let completed = 0
      for (let index = 0; index < intervals; index++) {
        const done = Math.min(bears, inProgress)
        completed += done
        inProgress += Math.max(0, Math.min(offered, limit.limit() - inProgress)) - done
        // More than this number waits for the processor after its upstreams have responded.
        limit.adapt(inProgress > 2 * bears, inProgress)
      }
      return { completed, inProgress }
    }
  }
}

describe("the limit of the requests in progress", () => {
  it("does not change while the process is in time, and leaves no reserve", () => {
    const { limit, run } = service(100)
    run(50, 90)
    assert.deepStrictEqual([limit.limit(), limit.reserve()], [1_000, 0])
  })

  it("keeps the requests in progress few at several times the capacity, and the process busy", () => {
    for (const times of [1.2, 2, 10]) {
      const { run } = service(100)
      run(20, times * 100)
      const { completed, inProgress } = run(100, times * 100)
      assert.isAtLeast(completed, 95 * 100, `${times} times`)
      assert.isAtMost(inProgress, 4 * 100, `${times} times`)
    }
  })

  it("is back after the overload, within five seconds", () => {
    const { limit, run } = service(20)
    run(100, 200)
    assert.isAtMost(limit.limit(), 100)
    run(25, 10)
    assert.strictEqual(limit.limit(), 1_000)
  })

  it("is reduced from the requests in progress, not below 32 or MAX_REQUESTS, and a quarter more may be small", () => {
    const limit = AdmissionLimit.make(1_000)
    limit.adapt(true, 200)
    assert.deepStrictEqual([limit.limit(), limit.reserve()], [160, 40])
    limit.adapt(true, 500)
    assert.strictEqual(limit.limit(), 128)
    limit.adapt(true, 0)
    assert.strictEqual(limit.limit(), 32)
    const small = AdmissionLimit.make(2)
    small.adapt(true, 2)
    assert.deepStrictEqual([small.limit(), small.reserve()], [2, 0])
  })
})
