import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as HashMap from "effect/HashMap"
import * as List from "effect/List"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { ofLast } from "../kernel/ofLast.ts"

/** One line a request. No query, and of the header nothing else: they may hold transactions and keys. */
export interface Line {
  readonly method: string
  readonly path: string
  readonly route: string
  readonly status: number
  readonly ms: number
  /** Not known of a stream. */
  readonly bytes?: number | undefined
  readonly requestId: string
  /** The address of the client; the empty text where it is not known. */
  readonly client: string
  /** The name of the API key that was accepted. */
  readonly key?: string | undefined
  /** The browser or program, as it calls itself. */
  readonly userAgent?: string | undefined
}

const writer = Symbol.for("wallet-data/AccessLog/writer")

/** Writes the line of a request at a time (ms), without annotations in between. */
export type LineWriter = (line: Line, now: number, fiber: FiberId.FiberId) => void

/** A logger with a writer of its own for the lines of requests, which are by far the most. */
export const withWriter = <A>(logger: Logger.Logger<unknown, A>, line: LineWriter): Logger.Logger<unknown, A> =>
  Object.assign(Logger.make(logger.log), { [writer]: line })

const writerOf = (logger: Logger.Logger<unknown, unknown>) => (logger as { readonly [writer]?: LineWriter })[writer]

/** A time in ms as text; most lines are of the same one as the line before. */
export const timestamps = () => ofLast((now: number) => new Date(now).toISOString())

/** A text in quotation marks; most lines have the same one as the line before. */
const quoting = () => ofLast((text: string) => JSON.stringify(text))

const quotedMethod = quoting()
const quotedPath = quoting()

const quotedClient = quoting()
const quotedAgent = quoting()

/** What `Logger.json` would write of the line. Route, id and key need no escapes: they are checked, or from the contract. */
export const json = (line: Line, timestamp: string, fiber: FiberId.FiberId): string => {
  const { bytes, client, key, method, ms, path, requestId, route, status, userAgent } = line
  const size = bytes === undefined ? "" : `,"bytes":${bytes}`
  const named = key === undefined ? "" : `,"key":"${key}"`
  const agent = userAgent === undefined ? "" : `,"userAgent":${quotedAgent(userAgent)}`
  const id = fiber === FiberId.none ? "" : FiberId.threadName(fiber)
  return `{"message":"request","logLevel":"INFO","timestamp":"${timestamp}","annotations":{"method":${quotedMethod(method)},"path":${quotedPath(path)},"route":"${route}","status":${status},"ms":${ms}${size},"requestId":"${requestId}","client":${quotedClient(client)}${named}${agent}},"spans":{},"fiberId":"${id}"}`
}

/** Writes to the loggers that are there when it is made; the span of a request needs no line that says the same. */
export const make = Effect.gen(function* () {
  const loggers = [...(yield* FiberRef.get(FiberRef.currentLoggers))].filter((item) => item !== Logger.tracerLogger)
  const enabled = LogLevel.lessThanEqual(yield* FiberRef.get(FiberRef.currentMinimumLogLevel), LogLevel.Info)
  const context = yield* Effect.getFiberRefs
  const clock = yield* Effect.clock

  const annotated =
    (logger: Logger.Logger<unknown, unknown>): LineWriter =>
    (line, now, fiberId) =>
      logger.log({
        fiberId,
        logLevel: LogLevel.Info,
        message: ["request"],
        cause: Cause.empty,
        context,
        spans: List.empty(),
        annotations: HashMap.fromIterable(Object.entries(line).filter(([, value]) => value !== undefined)),
        date: new Date(now)
      })
  const writers = enabled ? loggers.map((logger) => writerOf(logger) ?? annotated(logger)) : []

  return {
    write: (line: Line, fiber: FiberId.FiberId = FiberId.none): void => {
      for (const write of writers) write(line, clock.unsafeCurrentTimeMillis(), fiber)
    }
  }
})
