import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../../contract/Api.ts"
import { NotImplemented, UpstreamFailed } from "../../contract/Problem.ts"
import { invalid } from "../../contract/problem/issues.ts"
import type { NoResult } from "../reading.ts"
import { Replacements } from "./Replacements.ts"

const toProblem = ({ member, message, reason }: NoResult) => {
  if (member !== undefined) return invalid([{ path: member, message }])
  return reason === "not_configured" || reason === "sunset"
    ? new NotImplemented({ detail: `${message}.` })
    : new UpstreamFailed({ detail: `The transaction could not be read: ${message}.` })
}

/** Handles POST /transactions/replacement. */
export const layer = HttpApiBuilder.group(Api, "replacement", (handlers) =>
  Effect.map(Replacements, ({ of }) =>
    handlers.handle("replacement", ({ payload: { hash, network } }) => Effect.mapError(of(network, hash), toProblem))
  )
)
