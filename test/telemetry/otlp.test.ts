import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import manifest from "../../package.json" with { type: "json" }
import { SettingError, Settings } from "../../src/settings/Settings.ts"
import * as OtlpSettings from "../../src/telemetry/OtlpSettings.ts"
import * as Telemetry from "../../src/telemetry/Telemetry.ts"
import { assert, describe, it } from "../support/vitest.ts"

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number }
}

const asRecord = (attributes: ReadonlyArray<Attribute>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))

/** A collector that stores the last request by path. */
const collector = Effect.acquireRelease(
  Effect.sync(() => {
    const received = new Map<string, { readonly headers: Headers; readonly body: string }>()
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        received.set(new URL(request.url).pathname, { headers: request.headers, body: await request.text() })
        return new Response("{}")
      }
    })
    return { received, server, url: server.url.href.replace(/\/$/, "") }
  }),
  ({ server }) => Effect.promise(() => server.stop(true))
)

/** The data that the collector receives after some work with these variables. */
const sent = Effect.fnUntraced(function* (environment: (url: string) => Readonly<Record<string, string>>) {
  const { received, url } = yield* collector
  const said = Effect.annotateLogs(Effect.logInfo("said"), { header: "Bearer secret" })
  const attributes = { "http.response.status_code": 204, header: "Bearer secret" }
  const work = Effect.withSpan(said, "work", { attributes })
  const telemetry = Telemetry.layer.pipe(
    Layer.provide(Settings.layer({ OTLP_SAMPLE_RATIO: "1", ...environment(url) })),
    Layer.provideMerge(Logger.remove(Logger.defaultLogger))
  )
  yield* Effect.scoped(Effect.provide(work, telemetry))
  return received
})

describe("telemetry", () => {
  it.scopedLive("is sent to the collector of the standard variables, with the attributes of the sender", function* () {
    const received = yield* sent((url) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=wallets%20of%20ours,authorization=Bearer%20secret",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test,service.name=of-attributes"
    }))
    assert.deepStrictEqual([...received.keys()].sort(), ["/v1/logs", "/v1/metrics", "/v1/traces"])
    const { body = "{}", headers } = received.get("/v1/traces") ?? {}
    assert.strictEqual(headers?.get("x-team"), "wallets of ours")
    assert.strictEqual(headers?.get("authorization"), "Bearer secret")
    const [{ resource, scopeSpans }] = JSON.parse(body).resourceSpans
    const attributes = asRecord(resource.attributes)
    assert.deepInclude(attributes, {
      "service.name": "of-attributes",
      "service.version": manifest.version,
      "deployment.environment": "test"
    })
    assert.match(String(attributes["service.instance.id"]), /^[0-9a-f-]{36}$/)
    assert.strictEqual(resource.attributes.length, 4)
    assert.deepInclude(asRecord(scopeSpans[0].spans[0].attributes), { "http.response.status_code": 204 })
    assert.include(received.get("/v1/logs")?.body ?? "", '"stringValue":"said"')
    for (const path of ["/v1/logs", "/v1/traces"]) {
      assert.include(received.get(path)?.body ?? "", '"key":"header"')
      assert.notInclude(received.get(path)?.body ?? "", "Bearer secret")
    }
    const metrics = received.get("/v1/metrics")?.body ?? ""
    assert.include(metrics, "process_resident_memory_bytes")
    assert.notInclude(metrics, "effect_fiber")
  })

  it.scopedLive("is sent to OTLP_URL too, as protobuf if configured", function* () {
    const received = yield* sent((url) => ({
      OTLP_URL: url,
      OTEL_SERVICE_NAME: "purse",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf"
    }))
    const { body = "", headers } = received.get("/v1/traces") ?? {}
    assert.strictEqual(headers?.get("content-type"), "application/x-protobuf")
    assert.include(body, "purse")
  })

  it("rejects variables that are not in the form of the standard, without showing secrets", function* () {
    for (const [name, value] of [
      ["OTEL_EXPORTER_OTLP_HEADERS", "secret-without-a-name"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "a b=secret"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "a=secret%0d%0ab"],
      ["OTEL_RESOURCE_ATTRIBUTES", "=x"],
      ["OTEL_RESOURCE_ATTRIBUTES", "a=%zz"],
      ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"]
    ] as const) {
      const error = yield* Effect.flip(Effect.provide(OtlpSettings.settings, Settings.layer({ [name]: value })))
      assert.instanceOf(error, SettingError)
      assert.strictEqual(error.variable, name)
      assert.notInclude(error.message, "secret")
    }
  })
})
