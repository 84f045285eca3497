import * as Effect from "effect/Effect"
import type { StoreState } from "../../storage/Store.ts"
import * as Metrics from "../../telemetry/Metrics.ts"
import type { UpstreamState } from "../../upstream/Upstreams.ts"
import { WorkerGroup } from "../../workers/WorkerGroup.ts"

/** The health of one process. */
export interface OwnHealth {
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

/** How long the reports of other workers are cached. */
const maxAge = "1 second"

/**
 * Health and metrics of all processes that serve on this port, from any of them. `health` and `families` are those of
 * this process. A process that does not report in time is missing.
 */
export const make = (
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
      Effect.map(collect(kind), (all) =>
        all.flatMap((found) => (found.worker === worker ? [] : [found])).map(({ report }) => report as A)
      )
    return {
      isAlone: false,
      health: yield* Effect.cachedWithTTL(Effect.zipWith(health, others<OwnHealth>("health"), joinedHealth), maxAge),
      metrics: yield* Effect.cachedWithTTL(
        Effect.zipWith(labelled, others<Metrics.Families>("metrics"), (own, more) => Metrics.text([own, ...more])),
        maxAge
      )
    }
  })
