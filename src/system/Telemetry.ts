import * as Otlp from "@effect/opentelemetry/Otlp"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as declare from "../settings/declare.ts"

/** The collector, or the empty text; sends nothing. */
export const settings = declare.text({
  name: "OTLP_URL",
  default: "",
  allowed: "the http:// or https:// address of an OpenTelemetry collector that takes OTLP over HTTP",
  check: (value) => /^https?:\/\/\S+$/.test(value),
  meaning: "Where traces, metrics and logs are sent; without it nowhere"
})

/**
 * Traces, metrics and logs to a collector of the operator's. Its calls do not go through the client of the upstreams:
 * they are neither simulated nor recorded.
 */
export const layer = Layer.unwrapEffect(
  Effect.map(settings, (baseUrl) =>
    baseUrl === ""
      ? Layer.empty
      : Otlp.layerJson({ baseUrl, resource: { serviceName: "wallet-data" } }).pipe(Layer.provide(FetchHttpClient.layer))
  )
)
