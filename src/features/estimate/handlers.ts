import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../../contract/Api.ts"
import { NotImplemented, UpstreamFailed } from "../../contract/Problem.ts"
import { invalid } from "../../contract/problem/issues.ts"
import type { NoResult } from "../reading.ts"
import { Estimates } from "./Estimates.ts"

const toProblem = ({ member, message, reason }: NoResult) => {
  if (member !== undefined) return invalid([{ path: member, message }])
  return reason === "not_configured" || reason === "sunset"
    ? new NotImplemented({ detail: `${message}.` })
    : new UpstreamFailed({ detail: `The transaction could not be estimated: ${message}.` })
}

/** Handles POST /transactions/estimate. */
export const layer = HttpApiBuilder.group(Api, "estimate", (handlers) =>
  Effect.map(Estimates, ({ of }) =>
    handlers.handle("estimate", ({ payload: { network, transaction } }) =>
      Effect.mapError(of(network, transaction), toProblem)
    )
  )
)
