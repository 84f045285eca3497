import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as HashMap from "effect/HashMap"
import * as List from "effect/List"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { memoizeLast } from "../kernel/memoizeLast.ts"

/**
 * The log line of a request. It has nothing of the request that may contain an address, a hash, a transaction or a key:
 * no path, no query and no other header fields.
 */
export interface Line {
  readonly method: string
  /** With placeholders, such as `/address/:text`. */
  readonly route: string
  readonly status: number
  readonly ms: number
  /** Undefined for streams. */
  readonly bytes?: number | undefined
  /** Undefined if none is known, as for cached responses. */
  readonly networks?: ReadonlyArray<string> | undefined
  /** The number of balances, histories and prices that could not be read; undefined if it is 0. */
  readonly nulls?: number | undefined
  readonly requestId: string
  /** The address of the client or its network; empty if unknown, undefined if it is not logged. */
  readonly client?: string | undefined
  /** The name of the API key that was accepted. */
  readonly key?: string | undefined
  readonly userAgent?: string | undefined
}

const writer = Symbol.for("wallet-data/AccessLog/writer")

/** Writes the line of a request with its time (ms) directly, without building log annotations. */
export type LineWriter = (line: Line, now: number) => void

/** A logger with a separate, faster writer for the lines of requests, which are the vast majority. */
export const withWriter = <A>(logger: Logger.Logger<unknown, A>, line: LineWriter): Logger.Logger<unknown, A> =>
  Object.assign(Logger.make(logger.log), { [writer]: line })

const writerOf = (logger: Logger.Logger<unknown, unknown>) => (logger as { readonly [writer]?: LineWriter })[writer]

/** Formats times in ms; caches the last one, because most lines have the same time as the previous line. */
export const timestamps = () => memoizeLast((now: number) => new Date(now).toISOString())

/** Quotes texts; caches the last one, because most lines have the same text as the previous line. */
const quoting = () => memoizeLast((text: string) => JSON.stringify(text))

const quotedMethod = quoting()
const quotedClient = quoting()
const quotedAgent = quoting()

/** The same text as the general logger writes. Route, id and key need no escapes: they are checked or from the contract. */
export const json = (line: Line, timestamp: string): string => {
  const { bytes, client, key, method, ms, networks, nulls, requestId, route, status, userAgent } = line
  const size = bytes === undefined ? "" : `,"bytes":${bytes}`
  const named = networks === undefined ? "" : `,"networks":${JSON.stringify(networks)}`
  const unread = nulls === undefined ? "" : `,"nulls":${nulls}`
  const from = client === undefined ? "" : `,"client":${quotedClient(client)}`
  const by = key === undefined ? "" : `,"key":"${key}"`
  const agent = userAgent === undefined ? "" : `,"userAgent":${quotedAgent(userAgent)}`
  return `{"timestamp":"${timestamp}","level":"${levelOf(line).label}","message":"request","method":${quotedMethod(method)},"route":"${route}","status":${status},"ms":${ms}${size}${named}${unread},"requestId":"${requestId}"${from}${by}${agent}}`
}

/** Probes and scrapes are a line every few seconds: they are written from level debug on. */
const levelOf = ({ route }: Line) => (/^\/(health\/|metrics$)/.test(route) ? LogLevel.Debug : LogLevel.Info)

/** Writes to the current loggers, except the tracer's: the span of a request already has the same data. */
export const make = Effect.gen(function* () {
  const loggers = [...(yield* FiberRef.get(FiberRef.currentLoggers))].filter((logger) => logger !== Logger.tracerLogger)
  const least = yield* FiberRef.get(FiberRef.currentMinimumLogLevel)
  const context = yield* Effect.getFiberRefs
  const clock = yield* Effect.clock

  const annotated =
    (logger: Logger.Logger<unknown, unknown>): LineWriter =>
    (line, now) =>
      logger.log({
        fiberId: FiberId.none,
        logLevel: levelOf(line),
        message: ["request"],
        cause: Cause.empty,
        context,
        spans: List.empty(),
        annotations: HashMap.fromIterable(Object.entries(line).filter(([, value]) => value !== undefined)),
        date: new Date(now)
      })
  const writers = loggers.map((logger) => writerOf(logger) ?? annotated(logger))

  return {
    write: (line: Line): void => {
      if (LogLevel.greaterThan(least, levelOf(line))) return
      for (const write of writers) write(line, clock.unsafeCurrentTimeMillis())
    }
  }
})
