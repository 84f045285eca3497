import * as Headers from "@effect/platform/Headers"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { everyNth } from "../kernel/everyNth.ts"
import { Mode } from "./Mode.ts"
import type { CallState } from "./RequestContext.ts"

/** The spans of the requests that are traced: those whose caller traces them, and a share of those whose caller does not say. */
export const make = Effect.gen(function* () {
  const { tracing = 0 } = yield* Mode
  const tracer = yield* Effect.tracer
  const clock = yield* Effect.clock
  const chosen = everyNth(tracing)
  const spans = new WeakMap<CallState, Tracer.Span>()

  /** To be called once for a request that has been taken; its span ends with its answer. */
  const open = (call: CallState): Tracer.Span | undefined => {
    if (tracing === 0) return undefined
    const { incoming, method, route, started } = call
    const traceparent = incoming.header("traceparent")
    const parent =
      traceparent === undefined ? Option.none() : HttpTraceContext.w3c(Headers.unsafeFromRecord({ traceparent }))
    if (!Option.match(parent, { onNone: chosen, onSome: ({ sampled }) => sampled })) return undefined
    const template = route?.template ?? "unmatched"
    const span = tracer.span(`${method} ${template}`, parent, Context.empty(), [], started, "server")
    span.attribute("http.request.method", method)
    span.attribute("http.route", template)
    spans.set(call, span)
    return span
  }

  return {
    open,
    /** With the request's span as that of its answer; where it has none, without any. */
    around: <A, E, R>(call: CallState, answer: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
      if (tracing === 0) return answer
      const span = open(call)
      return span === undefined
        ? Effect.withTracerEnabled(answer, false)
        : (Effect.withParentSpan(answer, span) as Effect.Effect<A, E, R>)
    },
    end: (call: CallState, status: number): void => {
      const span = spans.get(call)
      if (span === undefined) return
      span.attribute("http.response.status_code", status)
      span.end(clock.unsafeCurrentTimeNanos(), status < 500 ? Exit.void : Exit.fail(`status ${status}`))
    }
  }
})
