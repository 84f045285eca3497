import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../../contract/Api.ts"
import { withoutResult } from "../../contract/problem/issues.ts"
import { Estimates } from "./Estimates.ts"

const toProblem = withoutResult("The transaction could not be estimated: ")

/** Handles POST /transactions/estimate. */
export const layer = HttpApiBuilder.group(Api, "estimate", (handlers) =>
  Effect.map(Estimates, ({ of }) =>
    handlers.handle("estimate", ({ payload: { network, transaction } }) =>
      Effect.mapError(of(network, transaction), toProblem)
    )
  )
)
