import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Api } from "../../contract/Api.ts"
import { Live, metricsType, NetworkDescription, NotReady, Ready } from "../../contract/StatusApi.ts"
import { Health } from "../../http/Health.ts"
import { type CachedResponse, ResponseCache } from "../../http/response/ResponseCache.ts"
import { forkBackground } from "../../kernel/Background.ts"
import { TokenRegistry } from "../../providers/TokenRegistry.ts"
import { release } from "../../settings/build.ts"
import { Store } from "../../storage/Store.ts"
import { families } from "../../telemetry/Metrics.ts"
import * as ProcessMetrics from "../../telemetry/ProcessMetrics.ts"
import { Upstreams } from "../../upstream/Upstreams.ts"
import { Availability } from "./Availability.ts"
import { NetworkList } from "./NetworkList.ts"
import * as workerReports from "./workerReports.ts"

const encoder = new TextEncoder()

/** A response is renewed at this age, ms, or as soon as the state of the service changes. */
const maxAge = 1000

type Content = Pick<CachedResponse, "body" | "contentType" | "status">

const textual = (contentType: string, text: string, status = 200): Content => ({
  status,
  contentType,
  body: encoder.encode(text)
})

/** Encodes a value of this schema to the response that the router would send. */
const json = <A extends object, I>(schema: Schema.Schema<A, I>) => {
  const encode = Schema.encode(schema)
  return (value: A, status?: number) =>
    Effect.orDie(Effect.map(encode(value), (encoded) => textual("application/json", JSON.stringify(encoded), status)))
}

/** A response with this content, cached for {@link maxAge} while the state of the service does not change. */
const briefly = (health: Context.Tag.Service<Health>, content: Effect.Effect<Content>) =>
  Effect.zipWith(Clock.currentTimeMillis, content, (at, fields): CachedResponse => {
    const state = health.current()
    return {
      ...fields,
      headers: {},
      isCurrent: (now) => health.current() === state && at <= now && now < at + maxAge
    }
  })

const liveJson = json(Live)
const readyJson = json(Schema.Union(Ready, NotReady))
const networksJson = json(Schema.Array(NetworkDescription))

const routes = HttpApiBuilder.group(Api, "status", (handlers) =>
  Effect.gen(function* () {
    const health = yield* Health
    const upstreams = yield* Upstreams
    const store = (yield* Store).health
    const registry = yield* TokenRegistry
    const catalogue = yield* NetworkList
    const availability = yield* Availability
    const responses = yield* ResponseCache
    const add = (path: string, content: Effect.Effect<Content>) => responses.add(path, briefly(health, content))

    const live = Effect.succeed({ status: "live" as const, ...release })
    const own = Effect.gen(function* () {
      return {
        ...(store === undefined ? {} : { store: { kind: store.kind, state: yield* store.state } }),
        upstreams: yield* upstreams.states
      }
    })
    const process = yield* ProcessMetrics.make
    const { isAlone, metrics, ...all } = yield* workerReports.make(own, (labels) =>
      Effect.zipRight(Effect.all([registry.measure, upstreams.measure, process]), families(labels))
    )
    const ready = Effect.zipWith(health.state, all.health, (state, report) => ({
      status: state === "draining" ? ("stopping" as const) : state,
      ...report
    }))

    yield* add(
      "/health/live",
      Effect.flatMap(live, (value) => liveJson(value))
    )
    // With several workers, the router responds: these reports wait for other processes, which this lookup must not do.
    if (isAlone) {
      yield* add(
        "/health/ready",
        Effect.flatMap(ready, (value) => readyJson(value, value.status === "ready" ? 200 : 503))
      )
      yield* add(
        "/metrics",
        Effect.map(metrics, (text) => textual(metricsType, text))
      )
    }
    yield* add(
      "/networks",
      Effect.flatMap(catalogue.networks, (value) => networksJson(value))
    )
    return handlers
      .handle("live", () => live)
      .handle("ready", () => ready)
      .handle("metrics", () => metrics)
      .handle("networks", () => catalogue.networks)
      .handle("availability", () => availability.report)
  })
)

/** Counts are stored while the routes that return them exist. */
export const layer = Layer.merge(
  routes,
  Layer.scopedDiscard(Effect.flatMap(Availability, ({ keepStored }) => forkBackground(keepStored)))
)
