import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Tracer from "effect/Tracer"

/** Sets an attribute of the current span, if there is a span and the value is defined. */
export const annotate = (key: string, value: unknown): Effect.Effect<void> =>
  Effect.withFiberRuntime<void>(({ currentSpan }) => {
    if (currentSpan?._tag === "Span" && value !== undefined) currentSpan.attribute(key, value)
    return Effect.void
  })

const unread = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** Runs the effect in a span of this name if spans are exported; otherwise without the cost of a span. */
export const span =
  (name: string, options?: Tracer.SpanOptions) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime<A, E, R>((fiber) =>
      fiber.currentTracer === unread || !fiber.getFiberRef(FiberRef.currentTracerEnabled)
        ? self
        : (Effect.withSpan(self, name, { captureStackTrace: false, ...options }) as Effect.Effect<A, E, R>)
    )
