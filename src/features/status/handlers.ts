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
import { release } from "../../settings/build.ts"
import { Store, type StoreState } from "../../storage/Store.ts"
import * as Metrics from "../../telemetry/Metrics.ts"
import { families } from "../../telemetry/Metrics.ts"
import * as ProcessMetrics from "../../telemetry/ProcessMetrics.ts"
import { type UpstreamState, Upstreams } from "../../upstream/Upstreams.ts"
import type { Collected } from "../../workers/processes.ts"
import { WorkerGroup } from "../../workers/WorkerGroup.ts"
import { Availability } from "./Availability.ts"
import { warnOfUnknown } from "./leverNames.ts"
import { NetworkList } from "./NetworkList.ts"

interface OwnHealth {
  readonly store?: { readonly kind: string; readonly state: StoreState }
  readonly upstreams: ReadonlyArray<UpstreamState>
}

/** The time of the newest call of an upstream, ms. */
const newestCall = ({ lastFailure, lastOkAt = 0 }: UpstreamState) => Math.max(lastOkAt, lastFailure?.at ?? 0)

/** The state of each upstream in the process that called it last. */
const newest = (all: ReadonlyArray<ReadonlyArray<UpstreamState>>): ReadonlyArray<UpstreamState> => {
  const states = new Map<string, UpstreamState>()
  for (const state of all.flat()) {
    const before = states.get(state.name)
    if (before === undefined || newestCall(state) > newestCall(before)) states.set(state.name, state)
  }
  return [...states.values()]
}

const order: ReadonlyArray<StoreState> = ["up", "read-only", "down"]

/** The worst store state: a process that cannot use the store does not share limits with the others. */
const worst = (stores: ReadonlyArray<OwnHealth["store"]>) =>
  stores.reduce((found, store) =>
    store !== undefined && order.indexOf(store.state) > order.indexOf(found?.state ?? "up") ? store : found
  )

/** The joined health of several workers, with the number of serving workers. */
const joinedHealth = (own: OwnHealth, others: ReadonlyArray<OwnHealth>): OwnHealth & { readonly workers: number } => {
  const all = [own, ...others]
  const store = worst(all.map(({ store }) => store))
  return {
    ...(store === undefined ? {} : { store }),
    upstreams: newest(all.map(({ upstreams }) => upstreams)),
    workers: all.length
  }
}

/** The gauges of the workers of one parent, which the parent counts. */
const workers = ({ serving, wanted }: Collected): Metrics.Families => [
  Metrics.gauge("workers_wanted", "Workers that should serve: WORKERS", wanted),
  Metrics.gauge("workers_serving", "Workers that serve now", serving)
]

/** How long the reports of other workers are cached. */
const reportMaxAge = "1 second"

/**
 * Health and metrics of all processes that serve on this port, from any of them. `health` and `families` are those of
 * this process. A process that does not report in time is missing.
 */
const workerReports = (
  health: Effect.Effect<OwnHealth>,
  families: (labels: Metrics.Labels) => Effect.Effect<Metrics.Families>
) =>
  Effect.gen(function* () {
    const { collect, reporting, worker } = yield* WorkerGroup
    if (worker === undefined)
      return { health, metrics: Effect.map(families({}), (own) => Metrics.text([own])), isAlone: true }
    const labelled = families({ worker: String(worker) })
    yield* reporting((kind): Effect.Effect<unknown> => (kind === "health" ? health : labelled))

    const others = <A>(kind: "health" | "metrics") =>
      Effect.map(collect(kind), (collected) => ({
        collected,
        reports: (collected?.reports ?? []).flatMap((found) => (found.worker === worker ? [] : [found.report as A]))
      }))
    return {
      isAlone: false,
      health: yield* Effect.cachedWithTTL(
        Effect.zipWith(health, others<OwnHealth>("health"), (own, { reports }) => joinedHealth(own, reports)),
        reportMaxAge
      ),
      metrics: yield* Effect.cachedWithTTL(
        Effect.zipWith(labelled, others<Metrics.Families>("metrics"), (own, { collected, reports }) =>
          Metrics.text([own, ...reports, ...(collected === undefined ? [] : [workers(collected)])])
        ),
        reportMaxAge
      )
    }
  })

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
    const { isAlone, metrics, ...all } = yield* workerReports(own, (labels) =>
      Effect.zipRight(process, families(labels))
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
      .handle("availability", () => availability.report)
  })
)

const networks = HttpApiBuilder.group(Api, "networks", (handlers) =>
  Effect.map(NetworkList, (catalogue) => handlers.handle("networks", () => catalogue.networks))
)

/** Counts are stored while the routes that return them exist. */
export const layer = Layer.mergeAll(
  routes,
  networks,
  Layer.scopedDiscard(
    Effect.zipRight(
      Effect.flatMap(Availability, ({ keepStored }) => forkBackground(keepStored)),
      forkBackground(warnOfUnknown)
    )
  )
)
