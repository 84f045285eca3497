import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../api/Api.ts"
import { TokenRegistry } from "../tokens/TokenRegistry.ts"
import { Upstreams } from "../upstreams/Upstreams.ts"
import { Health } from "./Health.ts"
import { prometheus } from "./Metrics.ts"
import { NetworkCatalogue } from "./NetworkCatalogue.ts"

export const layer = HttpApiBuilder.group(Api, "system", (handlers) =>
  Effect.gen(function* () {
    const health = yield* Health
    const upstreams = yield* Upstreams
    const registry = yield* TokenRegistry
    const catalogue = yield* NetworkCatalogue
    return handlers
      .handle("live", () => Effect.succeed({ status: "live" } as const))
      .handle("ready", () =>
        Effect.zipWith(health.state, upstreams.states, (state, states) => ({
          status: state === "draining" ? ("stopping" as const) : state,
          upstreams: states
        }))
      )
      .handle("metrics", () => Effect.all([registry.measure, upstreams.measure]).pipe(Effect.zipRight(prometheus)))
      .handle("networks", () => catalogue.networks)
  })
)
