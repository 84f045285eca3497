import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as HashMap from "effect/HashMap"
import * as List from "effect/List"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { ofLast } from "../kernel/ofLast.ts"

/** Who sent a request. */
export interface Sender {
  /** The address of the client; the empty text where it is not known. */
  readonly client: string
  /** The name of the API key that was accepted. */
  readonly key?: string | undefined
  /** The browser or program, as it calls itself. */
  readonly userAgent?: string | undefined
}

/** One line a request. No query, and of the header nothing else: they may hold transactions and keys. */
export interface Line extends Sender {
  readonly method: string
  readonly path: string
  readonly route: string
  readonly status: number
  readonly ms: number
  /** Not known of a stream. */
  readonly bytes?: number | undefined
  readonly requestId: string
}

/** A line without what is new in each that is written of the same response. */
export type RepeatedLine = Omit<Line, "bytes" | "ms" | "requestId" | keyof Sender> & { readonly bytes: number }

const writer = Symbol.for("wallet-data/AccessLog/writer")

/** Writes lines that requests left at a time (ms), without annotations in between. */
export interface LineWriter {
  readonly write: (line: Line, now: number, fiber: FiberId.FiberId) => void
  readonly repeated: (line: RepeatedLine) => (now: number, ms: number, requestId: string, sender: Sender) => void
}

/** A logger with a writer of its own for the lines of requests, which are by far the most. */
export const withWriter = <A>(logger: Logger.Logger<unknown, A>, lines: LineWriter): Logger.Logger<unknown, A> =>
  Object.assign(Logger.make(logger.log), { [writer]: lines })

const writerOf = (logger: Logger.Logger<unknown, unknown>) => (logger as { readonly [writer]?: LineWriter })[writer]

/** A time in ms as text; most lines are of the same one as the line before. */
export const timestamps = () => ofLast((now: number) => new Date(now).toISOString())

/** A text in quotation marks; most lines have the same one as the line before. */
const quoting = () => ofLast((text: string) => JSON.stringify(text))

const quotedMethod = quoting()
const quotedPath = quoting()

/** What stands in the annotations of a line before its milliseconds. */
const described = ({ method, path, route, status }: Pick<Line, "method" | "path" | "route" | "status">) =>
  `"method":${quotedMethod(method)},"path":${quotedPath(path)},"route":"${route}","status":${status}`

/** The last annotations of a line: who sent the request. */
const senders = () => {
  const [client, agent] = [quoting(), quoting()]
  return ({ client: address, key, userAgent }: Sender): string =>
    `"client":${client(address)}${key === undefined ? "" : `,"key":"${key}"`}${userAgent === undefined ? "" : `,"userAgent":${agent(userAgent)}`}`
}

/** The same text in one piece: the engine puts the parts of a text together when a character of it is read, and not before. */
const flat = (text: string) => {
  text.charCodeAt(0)
  return text
}

const beginning = '{"message":"request","logLevel":"INFO","timestamp":"'

const sender = senders()

/** What `Logger.json` would write of the line. Route, id and key need no escapes: they are checked, or from the contract. */
export const json = (line: Line, timestamp: string, fiber: FiberId.FiberId): string => {
  const { bytes, ms, requestId } = line
  const size = bytes === undefined ? "" : `,"bytes":${bytes}`
  const annotations = `${described(line)},"ms":${ms}${size},"requestId":"${requestId}",${sender(line)}`
  const id = fiber === FiberId.none ? "" : FiberId.threadName(fiber)
  return `${beginning}${timestamp}","annotations":{${annotations}},"spans":{},"fiberId":"${id}"}`
}

/** The same for lines that differ in time, duration and id alone. */
export const repeatedJson = (line: RepeatedLine) => {
  const before = flat(`","annotations":{${described(line)},"ms":`)
  const after = flat(`,"bytes":${line.bytes},"requestId":"`)
  return (timestamp: string, ms: number, requestId: string, from: Sender): string =>
    `${beginning}${timestamp}${before}${ms}${after}${requestId}",${sender(from)}},"spans":{},"fiberId":""}`
}

/** Writes to the loggers that are there when it is made; the span of a request needs no line that says the same. */
export const make = Effect.gen(function* () {
  const loggers = [...(yield* FiberRef.get(FiberRef.currentLoggers))].filter((item) => item !== Logger.tracerLogger)
  const enabled = LogLevel.lessThanEqual(yield* FiberRef.get(FiberRef.currentMinimumLogLevel), LogLevel.Info)
  const context = yield* Effect.getFiberRefs
  const clock = yield* Effect.clock

  const annotated = (logger: Logger.Logger<unknown, unknown>): LineWriter => {
    const write: LineWriter["write"] = (line, now, fiberId) =>
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
    return {
      write,
      repeated: (line) => (now, ms, requestId, sender) =>
        write({ ...line, ms, requestId, ...sender }, now, FiberId.none)
    }
  }
  const writers = enabled ? loggers.map((logger) => writerOf(logger) ?? annotated(logger)) : []

  return {
    write: (line: Line, fiber: FiberId.FiberId = FiberId.none): void => {
      for (const { write } of writers) write(line, clock.unsafeCurrentTimeMillis(), fiber)
    },
    /** Writes a line for each request that gets the same response again. */
    repeated: (line: RepeatedLine) => {
      const writes = writers.map(({ repeated }) => repeated(line))
      return (now: number, ms: number, requestId: string, sender: Sender): void => {
        for (const write of writes) write(now, ms, requestId, sender)
      }
    }
  }
})
