import * as Effect from "effect/Effect"
import type * as FiberId from "effect/FiberId"
import * as AccessLog from "../telemetry/AccessLog.ts"
import * as Metrics from "../telemetry/Metrics.ts"
import type { CallState } from "./RequestContext.ts"

const maxPath = 500

/** Route of an unknown path, in log and metrics. */
const unmatched = "unmatched"

/** Longest logged User-Agent, in characters. */
const maxAgent = 200

const agentOf = (header: string | undefined) => header?.slice(0, maxAgent)

const templateOf = ({ route }: CallState) => route?.template ?? unmatched

const pathOf = ({ sentPath }: CallState) => (sentPath.length > maxPath ? sentPath.slice(0, maxPath) : sentPath)

/** Records completed requests in the metrics and the log. */
export const make = Effect.gen(function* () {
  const clock = yield* Effect.clock
  const requestsOf = yield* Metrics.httpMetrics
  const log = yield* AccessLog.make

  /** Elapsed nanoseconds, and their form in the log: milliseconds with one decimal. */
  const since = (started: bigint) => Number(clock.unsafeCurrentTimeNanos() - started)
  const milliseconds = (elapsed: number) => Math.round(elapsed / 1e5) / 10

  return {
    /** `bytes` is undefined for a stream, whose size is unknown. */
    write: (call: CallState, status: number, bytes: number | undefined, fiber?: FiberId.FiberId): void => {
      const { id, identity, incoming, method, started } = call
      const elapsed = since(started)
      const route = templateOf(call)
      requestsOf(method, route, status)(elapsed / 1e9)
      const line = {
        method,
        path: pathOf(call),
        route,
        status,
        ms: milliseconds(elapsed),
        bytes,
        requestId: id,
        client: identity.address(),
        key: identity.key()?.name,
        userAgent: agentOf(incoming.header("user-agent"))
      }
      log.write(line, fiber)
    }
  }
})
