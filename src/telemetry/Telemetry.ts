import * as OtlpLogger from "@effect/opentelemetry/OtlpLogger"
import * as OtlpMetrics from "@effect/opentelemetry/OtlpMetrics"
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as ConfigProvider from "effect/ConfigProvider"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Tracer from "effect/Tracer"
import { evenSampler } from "../kernel/evenSampler.ts"
import { logOnChange } from "../kernel/logOnChange.ts"
import { timeoutFail } from "../kernel/timeout.ts"
import * as AccessLog from "./AccessLog.ts"
import { conceal, concealedIn } from "./concealed.ts"
import { plain } from "./Logging.ts"
import * as Metrics from "./Metrics.ts"
import { type OtlpVariables, resourceOf, settings } from "./OtlpSettings.ts"
import * as ProcessMetrics from "./ProcessMetrics.ts"

/** Timeout of a call to the collector. */
const callTime = "5 seconds"

/** Largest number of calls in flight; further calls fail and their data is lost. */
const maxCalls = 8

/** How long a shutdown waits for the last call of each kind. */
const shutdownTimeout: Duration.DurationInput = "1 second"

const exportInterval = "5 seconds"

/** The kind of telemetry for this address: traces, metrics or logs. */
const kindOf = (url: string) => URL.parse(url)?.pathname.split("/").at(-1) ?? ""

/** The address for a kind of telemetry: a query, which may contain a key, stays behind the path. */
export const addressFor = (base: string, kind: string): string => {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/${kind}`
  return url.href
}

/** Logs once when the collector is unreachable or rejects a kind of telemetry, and once when it works again. */
export const monitoredClient = Effect.map(HttpClient.HttpClient, (client) => {
  const reached = logOnChange()
  const taken = new Map<string, ReturnType<typeof logOnChange>>()
  let calls = 0

  const noteReached = (is: boolean) =>
    reached(
      !is,
      is
        ? Effect.logInfo("OTLP: the collector can be reached again")
        : Effect.logWarning("OTLP: the collector cannot be reached; telemetry is dropped until it can be reached")
    )

  const noteStatus = (kind: string, status: number) => {
    const changed = taken.get(kind) ?? logOnChange()
    taken.set(kind, changed)
    return changed(
      status >= 300,
      status >= 300
        ? Effect.logWarning(
            `OTLP: the collector rejects ${kind} with status ${status}; they are dropped until it accepts them`
          )
        : Effect.logInfo(`OTLP: the collector accepts ${kind} again`)
    )
  }

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
        onFailure: () => noteReached(false),
        onSuccess: ({ status }) => Effect.zipRight(noteReached(true), noteStatus(kindOf(request.url), status))
      })
    )
  })
})

/**
 * Traces the sampled requests, and the same fraction of spans without a request, such as those of a refresh. Other
 * spans and their children use the previous tracer.
 */
export const sampling = (tracer: Tracer.Tracer, otherwise: Tracer.Tracer, share: number): Tracer.Tracer => {
  const chosen = evenSampler(share)
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

const metricsInterval = "10 seconds"

const exporters = (chosen: OtlpVariables) => {
  const { headers, sampleRatio: share, url } = chosen
  const resource = resourceOf(chosen, crypto.randomUUID())
  const to = (kind: string) => ({
    url: addressFor(url, kind),
    resource,
    headers: headers === undefined ? undefined : Redacted.value(headers),
    shutdownTimeout
  })
  // Access lines are not exported: a line would cost more than its request, and the spans have the same data.
  const logger = Effect.map(OtlpLogger.make({ ...to("logs"), exportInterval }), (logger) =>
    AccessLog.withWriter(plain(logger), () => {})
  )
  const tracer = Effect.zipWith(
    OtlpTracer.make({ ...to("traces"), exportInterval }),
    Effect.tracer,
    (exporter, before) => Layer.setTracer(sampling(exporter, before, share))
  )
  const measuring = Effect.flatMap(ProcessMetrics.make, (measure) =>
    Effect.forkScoped(Effect.repeat(measure, Schedule.spaced(metricsInterval)))
  )
  return Layer.mergeAll(
    Logger.addScoped(logger),
    OtlpMetrics.layer({ ...to("metrics"), exportInterval: metricsInterval }),
    Layer.unwrapScoped(tracer),
    Layer.scopedDiscard(measuring)
  )
}

const serializations = { "http/json": OtlpSerialization.layerJson, "http/protobuf": OtlpSerialization.layerProtobuf }

interface MetricData {
  readonly name: string
  readonly gauge?: { readonly dataPoints: ReadonlyArray<{ readonly asDouble?: number }> }
}

interface MetricsData {
  readonly resourceMetrics: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<MetricData> }>
  }>
}

/** The metric without gauges that have no value now; nothing if none is left. */
const withValues = (metric: MetricData): ReadonlyArray<MetricData> => {
  if (metric.gauge === undefined) return [metric]
  const dataPoints = metric.gauge.dataPoints.filter(({ asDouble }) => !Number.isNaN(asDouble))
  return dataPoints.length === 0 ? [] : [{ ...metric, gauge: { ...metric.gauge, dataPoints } }]
}

/** Removes the metrics of the Effect runtime: the exporter reads all metrics of the process. */
const ofService = ({ resourceMetrics }: MetricsData) => ({
  resourceMetrics: resourceMetrics.map((resource) => ({
    ...resource,
    scopeMetrics: resource.scopeMetrics.map((scope) => ({
      ...scope,
      metrics: scope.metrics.filter(({ name }) => !Metrics.runtimeMetrics.test(name)).flatMap(withValues)
    }))
  }))
})

const serialization = (protocol: keyof typeof serializations) =>
  Layer.effect(
    OtlpSerialization.OtlpSerialization,
    Effect.zipWith(OtlpSerialization.OtlpSerialization, conceal, (given, hide) => ({
      logs: (data) => given.logs(concealedIn(hide)(data)),
      traces: (data) => given.traces(concealedIn(hide)(data)),
      metrics: (data) => given.metrics(ofService(data as MetricsData))
    }))
  ).pipe(Layer.provide(serializations[protocol]))

/** Keeps the exporters from reading the environment themselves: they would ignore the `.env` file. */
const noAmbientConfig = Layer.setConfigProvider(ConfigProvider.fromMap(new Map()))

/**
 * Exports traces, metrics and logs to the operator's collector. Its calls do not use the HTTP client of the upstreams,
 * so they are not simulated or recorded.
 */
export const layer = Layer.unwrapEffect(
  Effect.map(settings, (chosen) =>
    chosen.url === ""
      ? Layer.empty
      : exporters(chosen).pipe(
          Layer.provide(serialization(chosen.protocol)),
          Layer.provide(Layer.effect(HttpClient.HttpClient, monitoredClient)),
          Layer.provide(FetchHttpClient.layer),
          Layer.provide(noAmbientConfig)
        )
  )
)
