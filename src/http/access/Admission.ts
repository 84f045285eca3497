import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricKey from "effect/MetricKey"
import { Lateness } from "../../kernel/Lateness.ts"
import * as AdmissionLimit from "./AdmissionLimit.ts"
import { fairShare } from "./FairShare.ts"
import type { Identity } from "./Identity.ts"

const admissible = Metric.fromMetricKey(
  MetricKey.gauge("http_requests_admission_limit", {
    description:
      "Limit of the requests in progress, of which large ones count up to 16 times: MAX_REQUESTS, or less after the process was late"
  })
)

/** A request whose body has not arrived after this time does not count, ms: it takes no processor time. */
const arrivalTime = 1_000

/** The most bytes of a small request, in its body or else in its path and query: a call to a node, or few addresses. */
const smallBytes = 256

/** The most for which one request counts: half of the lowest limit. */
const mostWeight = 16

/** A request counts once, and again for each KiB: lists of addresses take time. An unknown length counts as a large one. */
const weightOf = (bytes: number) => (bytes < mostWeight * 1024 ? 1 + Math.floor(bytes / 1024) : mostWeight)

export interface Admitted {
  readonly identity: Pick<Identity, "client">
  admission: (() => void) | undefined
}

/** Admits as many requests as {@link AdmissionLimit} allows, from their arrival to their end, shared among the clients. */
export const make = (maxRequests: number) =>
  Effect.map(Lateness, ({ observe }) => {
    const { adapt, limit, reserve } = AdmissionLimit.make(maxRequests)
    // Until the limit is reduced, only slots count, which requests without a complete body do not take.
    const share = fairShare(Number.POSITIVE_INFINITY)
    /** Requests that have not started, and when they arrived, ms; in this order. */
    const arriving = new Map<Admitted, number>()
    admissible.unsafeUpdate(maxRequests, [])
    observe((isLate) => {
      adapt(isLate, share.taken())
      share.resize(limit() < maxRequests ? limit() + reserve() : Number.POSITIVE_INFINITY)
      admissible.unsafeUpdate(limit(), [])
    })

    const leave = (call: Admitted) => {
      arriving.delete(call)
      call.admission?.()
      call.admission = undefined
    }

    const enter = (call: Admitted, bytes: number) => {
      call.admission = share.take(call.identity.client, weightOf(bytes), reserve(), bytes <= smallBytes)
      return call.admission !== undefined
    }

    return {
      /** Admits a request of this size that arrives now (ms); returns false if it does not fit or its client has its share. */
      admit: (call: Admitted, bytes: number, now: number): boolean => {
        for (const [other, at] of arriving) {
          if (now - at < arrivalTime) break
          leave(other)
        }
        const isAdmitted = enter(call, bytes)
        if (isAdmitted) arriving.set(call, now)
        return isAdmitted
      },
      /** Notes that the request is complete and takes processor time. If it no longer counts, admits it as if it arrived now. */
      started: (call: Admitted, bytes: number): boolean => {
        arriving.delete(call)
        return call.admission !== undefined || enter(call, bytes)
      },
      leave
    }
  })
