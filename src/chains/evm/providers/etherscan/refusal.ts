import * as Predicate from "effect/Predicate"
import type { Fault } from "../../../../upstream/UpstreamError.ts"

const nothing = /^No .*found/i

/** The source, or the plan of its key, does not serve the network. */
const notServed: Fault = { reason: "upstream_error", detail: "does not serve this network", status: 403, final: true }

const faults: ReadonlyArray<readonly [RegExp, Fault]> = [
  [/daily/i, { reason: "rate_limited", detail: "daily call limit reached", retryAfter: 600_000 }],
  [/rate limit|max calls|too many/i, { reason: "rate_limited", detail: "rate limit reached" }],
  [/upgrade your api plan|chain.*not supported|unsupported chain/i, notServed],
  // With this status, the call is not repeated: it would fail again.
  [/api ?key/i, { reason: "upstream_error", detail: "the API key is not accepted", status: 401 }],
  [
    /deprecated|window is too large|invalid address/i,
    { reason: "bad_answer", detail: "rejected the call", final: true }
  ],
  [/time-?out|timed out/i, { reason: "timeout", detail: "exceeded its own time limit" }]
]

/** HTTP is 200 and `status` "0" for empty lists, limits and errors: only the message differs. */
export const refusal = (body: unknown): Fault | undefined => {
  if (!Predicate.isRecord(body) || !("result" in body)) return undefined
  const message = typeof body.message === "string" ? body.message : ""
  if (Array.isArray(body.result) && (body.result.length > 0 || body.status !== "0" || message === "")) return undefined
  if ((body.result === null || Array.isArray(body.result)) && nothing.test(message)) return undefined
  const description = `${message} ${typeof body.result === "string" ? body.result : ""}`
  return (
    faults.find(([pattern]) => pattern.test(description))?.[1] ?? {
      reason: "upstream_error",
      detail: "returned an error"
    }
  )
}

const digits = /^\d+$/

/** A balance is a text, like a refusal. */
export const balanceRefusal = (body: unknown): Fault | undefined =>
  Predicate.isRecord(body) && typeof body.result === "string" && digits.test(body.result) ? undefined : refusal(body)
