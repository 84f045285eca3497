import { assert, describe, it } from "@effect/vitest"
import { didNotArrive, isRetryable } from "../../../src/upstream/endpoint/retrying.ts"
import { type Fault, UpstreamError } from "../../../src/upstream/UpstreamError.ts"

const error = (fault: Partial<Fault>) =>
  new UpstreamError({ upstream: "tester", reason: "upstream_error", detail: "returned HTTP 500", ...fault })

describe("a failure", () => {
  it("is retryable if it may be transient: a server error, a lost connection, a rate limit", () => {
    for (const fault of [{ status: 500 }, {}, { reason: "rate_limited", status: 429 }] as const)
      assert.isTrue(isRetryable(error(fault), false))
  })

  it("is not retryable if it is final, a client error, a timeout or an unreadable response", () => {
    for (const fault of [{ final: true }, { status: 404 }, { reason: "timeout" }, { reason: "bad_answer" }] as const)
      assert.isFalse(isRetryable(error(fault), true))
  })

  it("with Retry-After is retryable only if there is no other address and the pause is at most a second", () => {
    const limited = (retryAfter: number) => error({ reason: "rate_limited", retryAfter })
    assert.isTrue(isRetryable(limited(1_000), true))
    assert.isFalse(isRetryable(limited(1_001), true))
    assert.isFalse(isRetryable(limited(1_000), false))
  })

  it("had no effect if nothing was sent, or a gateway rejected the call", () => {
    for (const fault of [{ unsent: true }, { status: 401 }, { status: 403 }, { status: 429 }])
      assert.isTrue(didNotArrive(error(fault)))
    for (const fault of [{}, { status: 500 }, { status: 404 }, { unsent: false }])
      assert.isFalse(didNotArrive(error(fault)))
  })
})
