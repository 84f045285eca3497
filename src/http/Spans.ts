import * as Headers from "@effect/platform/Headers"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { evenSampler } from "../kernel/evenSampler.ts"
import type { CallState } from "./CallState.ts"
import { Mode } from "./Mode.ts"

/** Spans of traced requests: requests that the client samples, and a share of the requests without a `traceparent`. */
export const make = Effect.gen(function* () {
  const { tracing = 0 } = yield* Mode
  const tracer = yield* Effect.tracer
  const clock = yield* Effect.clock
  const chosen = evenSampler(tracing)
  const spans = new WeakMap<CallState, Tracer.Span>()

  /** Starts the span of a request, if it is traced. Call once per request, in the step that responds. */
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
    /** Runs the effect with the request's span as parent; without tracing if the request has no span. */
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
