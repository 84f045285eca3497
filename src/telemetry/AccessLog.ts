import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as HashMap from "effect/HashMap"
import * as List from "effect/List"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"

/** One line a request. No query and no header: they may hold transactions and keys. */
export interface Line {
  readonly method: string
  readonly path: string
  readonly route: string
  readonly status: number
  readonly ms: number
  /** Not known of a stream. */
  readonly bytes?: number
  readonly requestId: string
}

const direct = Symbol.for("wallet-data/AccessLog/direct")

/** Writes a line that a request left at this time (ms), without the detour over annotations. */
type Direct = (line: Line, now: number, fiber: FiberId.FiberId) => void

/** A logger that has a short way for the lines of requests, which are by far the most. */
export const withDirect = <A>(logger: Logger.Logger<unknown, A>, way: Direct): Logger.Logger<unknown, A> =>
  Object.assign(Logger.make(logger.log), { [direct]: way })

const directOf = (logger: Logger.Logger<unknown, unknown>) => (logger as { readonly [direct]?: Direct })[direct]

/** A time in ms as text; most lines are of the same one as the line before. */
export const timestamps = () => {
  let last = { now: Number.NaN, text: "" }
  return (now: number): string => {
    if (now !== last.now) last = { now, text: new Date(now).toISOString() }
    return last.text
  }
}

/** What `Logger.json` would write of the line. The route is ours and the id is sane: they need no escapes. */
export const json = (line: Line, timestamp: string, fiber: FiberId.FiberId): string => {
  const { bytes, method, ms, path, requestId, route, status } = line
  const size = bytes === undefined ? "" : `,"bytes":${bytes}`
  const what = `"method":${JSON.stringify(method)},"path":${JSON.stringify(path)},"route":"${route}"`
  const annotations = `${what},"status":${status},"ms":${ms}${size},"requestId":"${requestId}"`
  const id = fiber === FiberId.none ? "" : FiberId.threadName(fiber)
  return `{"message":"request","logLevel":"INFO","timestamp":"${timestamp}","annotations":{${annotations}},"spans":{},"fiberId":"${id}"}`
}

/** Writes to the loggers that are there when it is made; the span of a request needs no line that says the same. */
export const make = Effect.gen(function* () {
  const loggers = [...(yield* FiberRef.get(FiberRef.currentLoggers))].filter((item) => item !== Logger.tracerLogger)
  const enabled = LogLevel.lessThanEqual(yield* FiberRef.get(FiberRef.currentMinimumLogLevel), LogLevel.Info)
  const context = yield* Effect.getFiberRefs
  const clock = yield* Effect.clock

  const annotated =
    (logger: Logger.Logger<unknown, unknown>): Direct =>
    (line, now, fiberId) =>
      logger.log({
        fiberId,
        logLevel: LogLevel.Info,
        message: ["request"],
        cause: Cause.empty,
        context,
        spans: List.empty(),
        annotations: HashMap.fromIterable(Object.entries(line)),
        date: new Date(now)
      })
  const ways = enabled ? loggers.map((logger) => directOf(logger) ?? annotated(logger)) : []

  return (line: Line, fiber: FiberId.FiberId = FiberId.none): void => {
    for (const write of ways) write(line, clock.unsafeCurrentTimeMillis(), fiber)
  }
})
