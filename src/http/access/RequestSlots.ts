import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricKey from "effect/MetricKey"
import { ServerSettings } from "../ServerSettings.ts"
import * as FairShare from "./FairShare.ts"
import type { Identity } from "./Identity.ts"

const inFlight = Metric.fromMetricKey(
  MetricKey.gauge("http_requests_in_flight", {
    description: "Requests under way, to the end of what is streamed; those answered from the cache are not counted"
  })
)

const bodyBytes = Metric.fromMetricKey(
  MetricKey.gauge("http_request_body_bytes", {
    description: "Bytes that the bodies of requests under way may take, those that have not arrived included"
  })
)

const refused = Metric.fromMetricKey(
  MetricKey.counter("http_requests_shed_total", {
    incremental: true,
    description:
      "Requests refused because as many as MAX_REQUESTS were under way, or their bodies would take too much memory"
  })
)

/** What a request has of the limits; it is given back at its end. */
export interface SlotHolder {
  readonly identity: Pick<Identity, "client">
  /** Gives the slot back. */
  slot: (() => void) | undefined
  /** Gives the bytes of the body back. */
  body: { readonly bytes: number; readonly release: () => void } | undefined
}

export interface RequestSlots {
  /** Takes a slot for this request; false where none is left, or its client has its share. */
  readonly take: (call: SlotHolder) => boolean
  /** The same for the memory of a body of this length, in place of what the request has. */
  readonly reserve: (call: SlotHolder, bytes: number) => boolean
  /** Gives all of a request back; does nothing for a request that has nothing, or nothing any more. */
  readonly release: (call: SlotHolder) => void
}

const mebibyte = 1024 * 1024

/** The memory for the bodies of all requests under way: enough for some of the largest ones. */
const bodyCapacity = (maxBodyBytes: number) => Math.max(64 * mebibyte, 8 * maxBodyBytes)

/** A body counts for at least this much: what a request costs beside it. Bounds how many bodies are waited for. */
const leastBody = 16_384

/** A slot for each request under way, MAX_REQUESTS at most, and memory for the bodies. */
export const make: Effect.Effect<RequestSlots, never, ServerSettings> = Effect.map(
  ServerSettings,
  ({ maxBodyBytes, maxRequests }) => {
    const slots = FairShare.make(maxRequests)
    const bodies = FairShare.make(bodyCapacity(maxBodyBytes))
    const measure = () => inFlight.unsafeUpdate(slots.taken(), [])
    measure()
    refused.unsafeUpdate(0, [])

    /** Counts a refusal. */
    const noted = (isTaken: boolean) => {
      if (!isTaken) refused.unsafeUpdate(1, [])
      return isTaken
    }

    const releaseBody = (call: SlotHolder) => {
      call.body?.release()
      call.body = undefined
      bodyBytes.unsafeUpdate(bodies.taken(), [])
    }

    return {
      take: (call) => {
        call.slot = slots.take(call.identity.client, 1)
        measure()
        return noted(call.slot !== undefined)
      },
      reserve: (call, length) => {
        const bytes = Math.max(leastBody, length)
        if (call.body !== undefined && call.body.bytes >= bytes) return true
        if (call.body !== undefined) releaseBody(call)
        const release = bodies.take(call.identity.client, bytes)
        if (release !== undefined) call.body = { bytes, release }
        bodyBytes.unsafeUpdate(bodies.taken(), [])
        return noted(release !== undefined)
      },
      release: (call) => {
        if (call.body !== undefined) releaseBody(call)
        if (call.slot === undefined) return
        call.slot()
        call.slot = undefined
        measure()
      }
    }
  }
)
