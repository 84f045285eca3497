import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Api } from "../../contract/Api.ts"
import { Live, metricsType, NetworkDescription, NotReady, Ready } from "../../contract/StatusApi.ts"
import { Health } from "../../http/Health.ts"
import { type Content, Snapshots } from "../../http/response/Snapshots.ts"
import { TokenRegistry } from "../../providers/TokenRegistry.ts"
import { prometheus } from "../../telemetry/Metrics.ts"
import { Upstreams } from "../../upstream/Upstreams.ts"
import { NetworkList } from "./NetworkList.ts"

const encoder = new TextEncoder()

const textual = (contentType: string, text: string, status = 200): Content => ({
  status,
  contentType,
  body: encoder.encode(text)
})

/** What the router answers with a value that has this schema. */
const json = <A extends object, I>(schema: Schema.Schema<A, I>) => {
  const encode = Schema.encode(schema)
  return (value: A, status?: number) =>
    Effect.orDie(Effect.map(encode(value), (encoded) => textual("application/json", JSON.stringify(encoded), status)))
}

const liveJson = json(Live)
const readyJson = json(Schema.Union(Ready, NotReady))
const networksJson = json(Schema.Array(NetworkDescription))

export const layer = HttpApiBuilder.group(Api, "status", (handlers) =>
  Effect.gen(function* () {
    const health = yield* Health
    const upstreams = yield* Upstreams
    const registry = yield* TokenRegistry
    const catalogue = yield* NetworkList
    const snapshots = yield* Snapshots

    const live = Effect.succeed({ status: "live" } as const)
    const ready = Effect.zipWith(health.state, upstreams.states, (state, states) => ({
      status: state === "draining" ? ("stopping" as const) : state,
      upstreams: states
    }))
    const metrics = Effect.all([registry.measure, upstreams.measure]).pipe(Effect.zipRight(prometheus))

    yield* snapshots.add(
      "/health/live",
      Effect.flatMap(live, (value) => liveJson(value))
    )
    yield* snapshots.add(
      "/health/ready",
      Effect.flatMap(ready, (value) => readyJson(value, value.status === "ready" ? 200 : 503))
    )
    yield* snapshots.add(
      "/metrics",
      Effect.map(metrics, (text) => textual(metricsType, text))
    )
    yield* snapshots.add(
      "/networks",
      Effect.flatMap(catalogue.networks, (value) => networksJson(value))
    )
    return handlers
      .handle("live", () => live)
      .handle("ready", () => ready)
      .handle("metrics", () => metrics)
      .handle("networks", () => catalogue.networks)
  })
)
