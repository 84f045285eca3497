import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { programName, release } from "../settings/build.ts"
import * as declare from "../settings/declare.ts"

type Pairs = Readonly<Record<string, string>>

const decoded = (text: string) => Either.getOrUndefined(Either.try(() => decodeURIComponent(text.trim())))

/** Parses comma-separated, percent-encoded `key=value` pairs, the form of the standard; undefined if malformed. */
export const pairsOf = (text: string): Pairs | undefined => {
  const pairs: Array<readonly [string, string]> = []
  for (const item of text.split(",").filter((part) => part.trim() !== "")) {
    const equals = item.indexOf("=")
    const [key, value] = [decoded(item.slice(0, Math.max(equals, 0))), decoded(item.slice(equals + 1))]
    if (key === undefined || key === "" || value === undefined) return undefined
    pairs.push([key, value])
  }
  return Object.fromEntries(pairs)
}

const isPairs = (text: string) => pairsOf(text) !== undefined

/** True for valid header fields: names without blanks or colons, values without line breaks. */
const isHeaders = (text: string) =>
  Object.entries(pairsOf(text) ?? { "": "" }).every(
    ([key, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(key) && !/[\r\n\0]/.test(value)
  )

const endpoint = declare.url({
  name: "OTEL_EXPORTER_OTLP_ENDPOINT",
  default: "",
  meaning:
    "The OpenTelemetry collector that receives traces, metrics and logs, by OTLP over HTTP; if not set, nothing is sent"
})

const alias = declare.url({
  name: "OTLP_URL",
  default: "",
  meaning: "Alias of OTEL_EXPORTER_OTLP_ENDPOINT, which takes precedence"
})

const attributesOf = (text: string): Pairs => pairsOf(text) ?? {}

const protocols = ["http/json", "http/protobuf"] as const
type Protocol = (typeof protocols)[number]

/** The variables of telemetry, with the standard names; sends nothing. */
export const settings = Effect.all({
  endpoint,
  alias,
  protocol: declare.choice({
    name: "OTEL_EXPORTER_OTLP_PROTOCOL",
    default: "http/json" as Protocol,
    choices: protocols,
    meaning: "The encoding of telemetry"
  }),
  headers: Effect.map(
    declare.secret({
      name: "OTEL_EXPORTER_OTLP_HEADERS",
      allowed: "name=value pairs separated by commas, percent-encoded",
      check: isHeaders,
      meaning: "Header fields of requests to the collector, such as its key"
    }),
    (given) => (given === undefined ? undefined : Redacted.make(attributesOf(Redacted.value(given))))
  ),
  serviceName: declare.text({
    name: "OTEL_SERVICE_NAME",
    default: "",
    allowed: "any text",
    meaning: "The name of the service in telemetry; default: service.name of OTEL_RESOURCE_ATTRIBUTES, or wallet-data"
  }),
  attributes: Effect.map(
    declare.text({
      name: "OTEL_RESOURCE_ATTRIBUTES",
      default: "",
      allowed: "name=value pairs separated by commas, percent-encoded",
      check: isPairs,
      meaning:
        "Attributes of this process in telemetry besides name, version and id, such as deployment.environment=test"
    }),
    attributesOf
  ),
  sampleRatio: declare.number({
    name: "OTLP_SAMPLE_RATIO",
    default: 0.05,
    min: 0,
    max: 1,
    meaning: "The fraction of requests to trace; requests with a traceparent follow its sampled flag; 0 traces nothing"
  })
}).pipe(Effect.map(({ alias: other, endpoint: url, ...rest }) => ({ ...rest, url: url === "" ? other : url })))

export type OtlpVariables = Effect.Effect.Success<typeof settings>

/** The sender of telemetry: name, version and instance id of the service; the operator's attributes take precedence. */
export const resourceOf = (
  { attributes, serviceName }: Pick<OtlpVariables, "attributes" | "serviceName">,
  instance: string
) => {
  const {
    "service.name": name = programName,
    "service.version": serviceVersion = release.version,
    ...rest
  } = attributes
  return {
    serviceName: serviceName === "" ? name : serviceName,
    serviceVersion,
    attributes: { "service.instance.id": instance, ...rest }
  }
}
