import * as Effect from "effect/Effect"
import type * as FiberId from "effect/FiberId"
import * as AccessLog from "../telemetry/AccessLog.ts"
import * as Metrics from "../telemetry/Metrics.ts"
import type { CallState } from "./RequestContext.ts"

const maxPath = 500

/** The route of a path that leads to none, in log and metrics. */
const unmatched = "unmatched"

/** The browser or program, as it calls itself. */
const maxAgent = 200

export const agentOf = (header: string | null | undefined) => header?.slice(0, maxAgent)

const lineOf = ({ method, route, sentPath }: CallState, status: number) => ({
  method,
  path: sentPath.slice(0, maxPath),
  route: route?.template ?? unmatched,
  status
})

/** Who sent the request, as far as it is known. */
const senderOf = ({ identity, incoming }: CallState): AccessLog.Sender => ({
  client: identity.address(),
  key: identity.key()?.name,
  userAgent: agentOf(incoming.header("user-agent"))
})

/** Writes that a response was sent again: to the request with this id that began then, from this client. */
export type RepeatedLog = (id: string, started: bigint, sender: AccessLog.Sender) => void

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
      log.write({ ...line, ms: milliseconds(elapsed), bytes, requestId: call.id, ...senderOf(call) }, fiber)
    },
    /** For the next requests that get the same response, by their ids and starts. */
    repeated: (call: CallState, status: number, bytes: number): RepeatedLog => {
      const line = lineOf(call, status)
      const observe = requestsOf(line.method, line.route, status)
      const write = log.repeated({ ...line, bytes })
      return (id, started, sender) => {
        const elapsed = since(started)
        observe(elapsed / 1e9)
        write(milliseconds(elapsed), id, sender)
      }
    }
  }
})
