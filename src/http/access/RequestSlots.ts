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

export interface RequestSlots {
  /** Takes a slot for this request; false where none is left. */
  readonly take: (call: object) => boolean
  /** Gives the slot of a request back; does nothing for a request that has none, or none any more. */
  readonly release: (call: object) => void
}

/** A slot for each request under way, MAX_REQUESTS at most. */
export const make: Effect.Effect<RequestSlots, never, ServerSettings> = Effect.map(
  ServerSettings,
  ({ maxRequests }) => {
    const taken = new Set<object>()
    const measure = () => inFlight.unsafeUpdate(taken.size, [])
    measure()
    return {
      take: (call) => {
        if (taken.size >= maxRequests) {
          refused.unsafeUpdate(1, [])
          return false
        }
        taken.add(call)
        measure()
        return true
      },
      release: (call) => {
        if (taken.delete(call)) measure()
      }
    }
  }
)
