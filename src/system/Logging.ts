import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Struct from "effect/Struct"
import * as declare from "../settings/declare.ts"
import * as AccessLog from "./AccessLog.ts"
import * as LogSink from "./LogSink.ts"

const levels = {
  trace: LogLevel.Trace,
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warning: LogLevel.Warning,
  error: LogLevel.Error,
  none: LogLevel.None
}

/** Warnings and errors go out at once. */
const written = (sink: LogSink.LogSink, text: Logger.Logger<unknown, string>) =>
  Logger.make<unknown, void>((options) =>
    sink.write(text.log(options), LogLevel.greaterThanEqual(options.logLevel, LogLevel.Warning))
  )

const json = (sink: LogSink.LogSink) => {
  const timestamp = AccessLog.timestamps()
  return AccessLog.withDirect(written(sink, Logger.jsonLogger), (line, now, fiber) =>
    sink.write(AccessLog.json(line, timestamp(now), fiber), false)
  )
}

const replaced = (logger: (sink: LogSink.LogSink) => Logger.Logger<unknown, void>) =>
  Layer.unwrapScoped(Effect.map(LogSink.make, (sink) => Logger.replace(Logger.defaultLogger, logger(sink))))

const formats = {
  json: replaced(json),
  logfmt: replaced((sink) => written(sink, Logger.logfmtLogger)),
  pretty: Logger.pretty
}

/** How the service logs; writes nothing. */
export const settings = Effect.all({
  level: declare.choice({
    name: "LOG_LEVEL",
    default: "info" as keyof typeof levels,
    choices: Struct.keys(levels),
    meaning: "The least important lines that are written"
  }),
  format: declare.choice({
    name: "LOG_FORMAT",
    default: "json" as keyof typeof formats,
    choices: Struct.keys(formats),
    meaning: "The form of the lines"
  })
})

/** Log lines on standard output, one a line unless pretty. */
export const layer = Layer.unwrapEffect(
  Effect.map(settings, ({ format, level }) => Layer.merge(formats[format], Logger.minimumLogLevel(levels[level])))
)
