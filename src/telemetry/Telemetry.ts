import * as OtlpLogger from "@effect/opentelemetry/OtlpLogger"
import * as OtlpMetrics from "@effect/opentelemetry/OtlpMetrics"
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { everyNth } from "../kernel/everyNth.ts"
import { onChange } from "../kernel/onChange.ts"
import { timeoutFail } from "../kernel/timeout.ts"
import * as declare from "../settings/declare.ts"
import * as AccessLog from "./AccessLog.ts"

/** The address of the collector, or the empty text, and the share of the requests that are traced; sends nothing. */
export const settings = Effect.all({
  url: declare.text({
    name: "OTLP_URL",
    default: "",
    allowed: "the http:// or https:// address of an OpenTelemetry collector that takes OTLP over HTTP",
    check: (value) => /^https?:\/\/\S+$/.test(value),
    meaning: "Where traces, metrics and logs are sent; without it nowhere"
  }),
  share: declare.number({
    name: "OTLP_SAMPLE_RATIO",
    default: 0.05,
    min: 0,
    max: 1,
    meaning: "The share of requests that are traced, besides those whose traceparent says that their caller traces them"
  })
})

/** How long one call to the collector may take. */
const callTime = "5 seconds"

/** The largest number of calls in flight; further calls fail, and their data are lost. */
const maxCalls = 8

/** How long a shutdown waits for the last call of each kind. */
const shutdownTimeout: Duration.DurationInput = "1 second"

const exportInterval = "5 seconds"

/** Logs once that the collector fails, and once that it works again. */
export const watched = Effect.map(HttpClient.HttpClient, (client) => {
  const changed = onChange()
  let calls = 0

  const note = (problem: string | undefined) =>
    changed(
      problem !== undefined,
      problem === undefined
        ? Effect.logInfo("OTLP_URL: the collector takes telemetry again")
        : Effect.logWarning(`OTLP_URL: the collector ${problem}; telemetry is dropped until it takes it again`)
    )

  return HttpClient.transform(client, (response, request) => {
    const fault = () => new HttpClientError.RequestError({ request, reason: "Transport" })
    const limited = Effect.suspend(() => {
      if (calls >= maxCalls) return fault()
      calls++
      return Effect.ensuring(
        timeoutFail(response, { duration: callTime, onTimeout: fault }),
        Effect.sync(() => calls--)
      )
    })
    return limited.pipe(
      Effect.tapBoth({
        onFailure: () => note("cannot be reached"),
        onSuccess: ({ status }) => note(status < 300 ? undefined : `answered with status ${status}`)
      })
    )
  })
})

/**
 * Traces the chosen requests, and the same share of spans without a request, such as those of a refresh. Other spans, and
 * their children, are left to the previous tracer.
 */
export const sampling = (tracer: Tracer.Tracer, otherwise: Tracer.Tracer, share: number): Tracer.Tracer => {
  const chosen = everyNth(share)
  return Tracer.make({
    context: tracer.context,
    span: (name, parent, context, links, startTime, kind, options) => {
      const sampled = kind === "server" || Option.match(parent, { onNone: chosen, onSome: ({ sampled }) => sampled })
      return sampled
        ? tracer.span(name, parent, context, links, startTime, kind, options)
        : Object.assign(otherwise.span(name, parent, context, links, startTime, kind, options), { sampled })
    }
  })
}

const sent = (baseUrl: string, share: number) => {
  const to = (path: string) => ({
    url: `${baseUrl.replace(/\/$/, "")}/v1/${path}`,
    resource: { serviceName: "wallet-data" },
    shutdownTimeout
  })
  // A line for each request would cost more than the request, and the spans say the same.
  const logger = Effect.map(OtlpLogger.make({ ...to("logs"), exportInterval }), (logger) =>
    AccessLog.withWriter(logger, { write: () => {}, repeated: () => () => {} })
  )
  const tracer = Effect.zipWith(
    OtlpTracer.make({ ...to("traces"), exportInterval }),
    Effect.tracer,
    (exporter, before) => Layer.setTracer(sampling(exporter, before, share))
  )
  return Layer.mergeAll(Logger.addScoped(logger), OtlpMetrics.layer(to("metrics")), Layer.unwrapScoped(tracer))
}

/**
 * Exports traces, metrics and logs to the operator's collector. Its calls do not use the client of the upstreams: they are
 * neither simulated nor recorded.
 */
export const layer = Layer.unwrapEffect(
  Effect.map(settings, ({ share, url }) =>
    url === ""
      ? Layer.empty
      : sent(url, share).pipe(
          Layer.provide(OtlpSerialization.layerJson),
          Layer.provide(Layer.effect(HttpClient.HttpClient, watched)),
          Layer.provide(FetchHttpClient.layer)
        )
  )
)
