import * as Effect from "effect/Effect"
import type * as FiberId from "effect/FiberId"
import * as AccessLog from "../telemetry/AccessLog.ts"
import * as Metrics from "../telemetry/Metrics.ts"
import type { CallState } from "./RequestContext.ts"

const maxPath = 500

/** The route of a path that leads to none, in log and metrics. */
const unmatched = "unmatched"

const lineOf = ({ method, route, sentPath }: CallState, status: number) => ({
  method,
  path: sentPath.slice(0, maxPath),
  route: route?.template ?? unmatched,
  status
})

/** Requests that have a response, in the metrics and the log. */
export const make = Effect.gen(function* () {
  const clock = yield* Effect.clock
  const requestsOf = yield* Metrics.httpMetrics
  const log = yield* AccessLog.make

  /** Nanoseconds, and as the log has them: milliseconds with one digit behind the point. */
  const since = (started: bigint) => Number(clock.unsafeCurrentTimeNanos() - started)
  const milliseconds = (elapsed: number) => Math.round(elapsed / 1e5) / 10

  return {
    /** The bytes of a stream are not known. */
    write: (call: CallState, status: number, bytes: number | undefined, fiber?: FiberId.FiberId): void => {
      const elapsed = since(call.started)
      const line = lineOf(call, status)
      requestsOf(line.method, line.route, status)(elapsed / 1e9)
      const timed = { ...line, ms: milliseconds(elapsed) }
      log.write(bytes === undefined ? { ...timed, requestId: call.id } : { ...timed, bytes, requestId: call.id }, fiber)
    },
    /** For the next requests that get the same response, by their ids and starts. */
    repeated: (call: CallState, status: number, bytes: number) => {
      const line = lineOf(call, status)
      const observe = requestsOf(line.method, line.route, status)
      const write = log.repeated({ ...line, bytes })
      return (id: string, started: bigint): void => {
        const elapsed = since(started)
        observe(elapsed / 1e9)
        write(milliseconds(elapsed), id)
      }
    }
  }
})
