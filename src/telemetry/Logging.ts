import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as FiberRefs from "effect/FiberRefs"
import * as HashMap from "effect/HashMap"
import * as Inspectable from "effect/Inspectable"
import * as Layer from "effect/Layer"
import * as List from "effect/List"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Struct from "effect/Struct"
import * as declare from "../settings/declare.ts"
import * as AccessLog from "./AccessLog.ts"
import { conceal } from "./concealed.ts"
import * as LogSink from "./LogSink.ts"
import { isTerminal, LogOutput } from "./LogSink.ts"

const text = (part: unknown): string => {
  if (typeof part === "string") return part
  return part instanceof Error ? part.message : Inspectable.toStringUnknown(part, 0)
}

/**
 * The message of a log entry as one text: the parts in order, joined by colons; errors by their message. So the field
 * always has one type in a log store.
 */
const messageOf = (message: unknown): string => (Array.isArray(message) ? message.map(text).join(": ") : text(message))

/** A logger that converts messages by {@link messageOf}. */
export const plain = <A>(logger: Logger.Logger<unknown, A>): Logger.Logger<unknown, A> =>
  Logger.make((options) => logger.log({ ...options, message: [messageOf(options.message)] }))

/** Log levels, with the names that other services use for them. */
const levels = {
  all: LogLevel.All,
  trace: LogLevel.Trace,
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warning: LogLevel.Warning,
  warn: LogLevel.Warning,
  error: LogLevel.Error,
  fatal: LogLevel.Fatal,
  none: LogLevel.None,
  off: LogLevel.None
}

/** Escapes DEL and the C1 control characters: JSON and logfmt do not escape them, and some terminals execute them. */
const escaped = (line: string) =>
  line.replace(/[\x7f-\x9f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

type Conceal = (line: string) => string

/** Writes to a sink, without secrets; warnings and errors are urgent. */
const written = (sink: LogSink.LogSink, text: Logger.Logger<unknown, string>, hide: Conceal) =>
  Logger.make<unknown, void>((options) =>
    sink.write(hide(escaped(text.log(options))), LogLevel.greaterThanEqual(options.logLevel, LogLevel.Warning))
  )

/** One flat object, whose members log stores can query: annotations stand beside the message. */
const flat = Logger.make<unknown, string>((options) => {
  const { annotations, cause, spans } = Logger.structuredLogger.log(options)
  const entry = {
    timestamp: options.date.toISOString(),
    level: options.logLevel.label,
    message: messageOf(options.message),
    ...(cause === undefined ? {} : { cause }),
    ...(Object.keys(spans).length === 0 ? {} : { spans })
  }
  return Inspectable.stringifyCircular({ ...entry, ...annotations, ...entry })
})

const json = (sink: LogSink.LogSink, hide: Conceal) => {
  const timestamp = AccessLog.timestamps()
  return AccessLog.withWriter(written(sink, flat, hide), (line, now) =>
    sink.write(AccessLog.json(line, timestamp(now)), false)
  )
}

/** Replaces the default logger. The sink formats its notice about dropped lines in the same way. */
const replaceLogger = (
  text: Logger.Logger<unknown, string>,
  logger = (sink: LogSink.LogSink, hide: Conceal) => written(sink, text, hide)
) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const clock = yield* Effect.clock
      const sink = yield* LogSink.make((dropped) =>
        text.log({
          fiberId: FiberId.none,
          logLevel: LogLevel.Warning,
          message: [`${dropped} log lines before this line were dropped because the log was not read`],
          cause: Cause.empty,
          context: FiberRefs.empty(),
          spans: List.empty(),
          annotations: HashMap.empty(),
          date: new Date(clock.unsafeCurrentTimeMillis())
        })
      )
      return Logger.replace(Logger.defaultLogger, logger(sink, yield* conceal))
    })
  )

const formats = {
  json: replaceLogger(flat, json),
  logfmt: replaceLogger(plain(Logger.logfmtLogger)),
  /** For terminals; imported on demand, with the part of the runtime that it needs. */
  pretty: Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("./prettyLogger.ts")),
      ({ pretty, request }) =>
        replaceLogger(pretty, (sink, hide) =>
          AccessLog.withWriter(written(sink, pretty, hide), (line, now) => sink.write(request(line, now), false))
        )
    )
  )
}

/** `auto` is pretty on a terminal, otherwise json. */
const choices = ["auto", ...Struct.keys(formats)] as const

/** Variables of the log; does not log. */
export const settings = Effect.all({
  level: declare.choice({
    name: "LOG_LEVEL",
    default: "info" as keyof typeof levels,
    choices: Struct.keys(levels),
    meaning: "The lowest level that is logged"
  }),
  format: declare.choice<(typeof choices)[number]>({
    name: "LOG_FORMAT",
    default: "auto",
    choices,
    meaning: "The format of log lines; auto is pretty on a terminal, otherwise json"
  })
})

/** The format of lines on this output. */
export const lineFormat = Effect.zipWith(settings, LogOutput, ({ format: chosen }, output): keyof typeof formats =>
  chosen === "auto" ? (isTerminal(output) ? "pretty" : "json") : chosen
)

/** Logs to standard output, one line per entry unless pretty. */
export const layer = Layer.unwrapEffect(
  Effect.zipWith(settings, lineFormat, ({ level }, chosen) =>
    Layer.merge(formats[chosen], Logger.minimumLogLevel(levels[level]))
  )
)
