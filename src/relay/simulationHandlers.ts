import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { InvalidRequest, NotImplemented, UpstreamFailed } from "../api/Problem.ts"
import type { SimulationRequest } from "../api/simulation.ts"
import { Simulation } from "./Simulation.ts"

/** Answers POST /utils/simulate-tx with the provider's own text. */
export const make = Effect.map(
  Simulation,
  ({ simulate }) =>
    ({ payload: { chain, input } }: { readonly payload: SimulationRequest }) =>
      Either.match(simulate, {
        onLeft: (detail) => Effect.fail(new NotImplemented({ detail })),
        onRight: (ask) =>
          ask(chain, { simulation_type: "full", ...input }).pipe(
            Effect.map((text) => HttpServerResponse.text(text, { contentType: "application/json" })),
            Effect.catchTags({
              SimulationRefused: ({ words }) =>
                Effect.fail(
                  new InvalidRequest({
                    detail: `The simulation provider refuses this transaction: ${words}`,
                    issues: [{ path: "input", message: words }]
                  })
                ),
              UpstreamError: ({ message }) =>
                Effect.fail(new UpstreamFailed({ detail: `The simulation failed: ${message}.` }))
            })
          )
      })
)
