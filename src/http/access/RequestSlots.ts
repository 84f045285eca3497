import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricKey from "effect/MetricKey"
import { ServerSettings } from "../ServerSettings.ts"

const inFlight = Metric.fromMetricKey(
  MetricKey.gauge("http_requests_in_flight", {
    description: "Requests under way, to the end of what is streamed; those answered from the cache are not counted"
  })
)

const refused = Metric.fromMetricKey(
  MetricKey.counter("http_requests_shed_total", {
    incremental: true,
    description: "Requests refused because as many as MAX_REQUESTS were under way"
  })
)

/** A request that may have a slot. */
export interface SlotHolder {
  hasSlot: boolean
}

export interface RequestSlots {
  /** Takes a slot for this request; false where none is left. */
  readonly take: (call: SlotHolder) => boolean
  /** Gives the slot of a request back; does nothing for a request that has none, or none any more. */
  readonly release: (call: SlotHolder) => void
}

/** A slot for each request under way, MAX_REQUESTS at most. */
export const make: Effect.Effect<RequestSlots, never, ServerSettings> = Effect.map(
  ServerSettings,
  ({ maxRequests }) => {
    let taken = 0
    const measure = () => inFlight.unsafeUpdate(taken, [])
    measure()
    refused.unsafeUpdate(0, [])
    return {
      take: (call) => {
        if (taken >= maxRequests) {
          refused.unsafeUpdate(1, [])
          return false
        }
        call.hasSlot = true
        taken++
        measure()
        return true
      },
      release: (call) => {
        if (!call.hasSlot) return
        call.hasSlot = false
        taken--
        measure()
      }
    }
  }
)
