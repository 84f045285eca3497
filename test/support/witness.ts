import { inspect } from "node:util"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Tracer from "effect/Tracer"

/** Records every log line of every level, and every span with its attributes, events and exit. */
export const telemetryRecorder = () => {
  const seen: Array<string> = []
  const note = (...things: ReadonlyArray<unknown>) => {
    for (const thing of things) seen.push(typeof thing === "string" ? thing : inspect(thing, { depth: 12 }))
  }
  const logger = Logger.make(({ annotations, cause, message, spans }) =>
    note(message, Cause.pretty(cause, { renderErrorCause: true }), [...annotations], [...spans])
  )
  const tracer = Tracer.make({
    context: (run) => run(),
    span: (name, parent, context, links, startTime, kind) => {
      const attributes = new Map<string, unknown>()
      const span: Tracer.Span = {
        _tag: "Span",
        name,
        spanId: "00f067aa0ba902b7",
        traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
        parent,
        context,
        links,
        kind,
        sampled: true,
        attributes,
        status: { _tag: "Started", startTime },
        end: (_, exit) => note(name, [...attributes], Exit.isFailure(exit) ? exit.cause : "succeeded"),
        attribute: (key, value) => void attributes.set(key, value),
        event: (event, _, more) => note(event, more),
        addLinks: (more) => note(more)
      }
      return span
    }
  })
  return {
    seen,
    layer: Layer.mergeAll(
      Logger.replace(Logger.defaultLogger, logger),
      Logger.minimumLogLevel(LogLevel.All),
      Layer.setTracer(tracer)
    )
  }
}
