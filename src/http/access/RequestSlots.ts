import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricKey from "effect/MetricKey"
import { ServerSettings } from "../ServerSettings.ts"
import * as Admission from "./Admission.ts"
import { fairShare } from "./FairShare.ts"

const inFlight = Metric.fromMetricKey(
  MetricKey.gauge("http_requests_in_flight", {
    description: "Requests in progress, streams until their end; responses from the cache are not counted"
  })
)

const bodyBytes = Metric.fromMetricKey(
  MetricKey.gauge("http_request_body_bytes", {
    description: "Bytes reserved for the bodies of requests in progress, including bytes that have not arrived"
  })
)

const refused = Metric.fromMetricKey(
  MetricKey.counter("http_requests_shed_total", {
    incremental: true,
    description:
      "Requests rejected because the process was late, MAX_REQUESTS were in progress, or their bodies would take too much memory"
  })
)

/** Admission, slot and memory that a request holds until its end. */
export interface SlotHolder extends Admission.Admitted {
  slot: (() => void) | undefined
  body: { readonly bytes: number; readonly release: () => void } | undefined
}

const mebibyte = 1024 * 1024

/** Memory for the bodies of all requests in progress: enough for several of the largest. */
const bodyCapacity = (maxBodyBytes: number) => Math.max(64 * mebibyte, 8 * maxBodyBytes)

/** Minimum counted per body, for the cost of its request. Limits the number of bodies that are awaited. */
const leastBody = 16_384

/** Admission of requests, slots for at most MAX_REQUESTS of them in progress, and memory for their bodies. */
export const make = Effect.gen(function* () {
  const { maxBodyBytes, maxRequests } = yield* ServerSettings
  const admission = yield* Admission.make(maxRequests)
  const slots = fairShare(maxRequests)
  const bodies = fairShare(bodyCapacity(maxBodyBytes))
  /** Requests that hold memory for a body and wait for it. */
  const waiting = new Set<SlotHolder>()
  const measure = () => inFlight.unsafeUpdate(slots.taken(), [])
  measure()
  refused.unsafeUpdate(0, [])

  const noted = (isTaken: boolean) => {
    if (!isTaken) refused.unsafeUpdate(1, [])
    return isTaken
  }

  const releaseBody = (call: SlotHolder) => {
    call.body?.release()
    call.body = undefined
    bodyBytes.unsafeUpdate(bodies.taken(), [])
  }

  const release = (call: SlotHolder) => {
    waiting.delete(call)
    admission.leave(call)
    if (call.body !== undefined) releaseBody(call)
    if (call.slot === undefined) return
    call.slot()
    call.slot = undefined
    measure()
  }

  return {
    /** As {@link Admission}. */
    admit: (call: SlotHolder, bytes: number, now: number) => noted(admission.admit(call, bytes, now)),
    /** Takes a slot for this complete request; returns false if none is left or the client has its share. */
    take: (call: SlotHolder, bytes: number) => {
      waiting.delete(call)
      call.slot = admission.started(call, bytes) ? slots.take(call.identity.client, 1) : undefined
      measure()
      return noted(call.slot !== undefined)
    },
    /** Like `take`, for the memory of a body of this length, which replaces the request's earlier reservation. */
    reserve: (call: SlotHolder, length: number) => {
      const bytes = Math.max(leastBody, length)
      if (call.body !== undefined && call.body.bytes >= bytes) return true
      if (call.body !== undefined) releaseBody(call)
      const release = bodies.take(call.identity.client, bytes)
      if (release !== undefined) {
        call.body = { bytes, release }
        waiting.add(call)
      }
      bodyBytes.unsafeUpdate(bodies.taken(), [])
      return noted(release !== undefined)
    },
    /** Notes that a stream has begun: from then on it keeps its slot and memory, but takes little processor time. */
    streaming: admission.leave,
    /** Number of requests whose body has not arrived completely. */
    waiting: () => waiting.size,
    /** Releases everything that the request holds, if anything. */
    release,
    /** Takes from the request what it holds, for work that continues after it. Returns a function that releases that. */
    keep: (call: SlotHolder) => {
      const { admission, body, identity, slot } = call
      const rest: SlotHolder = { admission, body, identity, slot }
      Object.assign(call, { admission: undefined, body: undefined, slot: undefined })
      return () => release(rest)
    }
  }
})
