import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { InvalidRequest, NotImplemented, UpstreamFailed } from "../../contract/Problem.ts"
import type { SimulationRequest } from "../../contract/simulation/SimulationApi.ts"
import { Simulation } from "./Simulation.ts"

/** POST /utils/simulate-tx: responds with the provider's text. */
export const simulating = Effect.map(
  Simulation,
  ({ simulate }) =>
    ({ payload: { chain, input } }: { readonly payload: SimulationRequest }) =>
      Either.match(simulate, {
        onLeft: (detail) => Effect.fail(new NotImplemented({ detail })),
        onRight: (run) =>
          run(chain, { simulation_type: "full", ...input }).pipe(
            Effect.map((text) => HttpServerResponse.text(text, { contentType: "application/json" })),
            Effect.catchTags({
              SimulationRefused: ({ providerMessage }) =>
                Effect.fail(
                  new InvalidRequest({
                    detail: `The simulation provider refuses this transaction: ${providerMessage}`,
                    issues: [{ path: "input", message: providerMessage }]
                  })
                ),
              UpstreamError: ({ message }) =>
                Effect.fail(new UpstreamFailed({ detail: `The simulation failed: ${message}.` }))
            })
          )
      })
)
