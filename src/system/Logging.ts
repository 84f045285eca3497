import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Struct from "effect/Struct"
import * as declare from "../settings/declare.ts"

const levels = {
  trace: LogLevel.Trace,
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warning: LogLevel.Warning,
  error: LogLevel.Error,
  none: LogLevel.None
}

const formats = { json: Logger.json, logfmt: Logger.logFmt, pretty: Logger.pretty }

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
