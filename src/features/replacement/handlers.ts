import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../../contract/Api.ts"
import { withoutResult } from "../../contract/problem/issues.ts"
import { Replacements } from "./Replacements.ts"

const toProblem = withoutResult("The transaction could not be read: ")

/** Handles POST /transactions/replacement. */
export const layer = HttpApiBuilder.group(Api, "replacement", (handlers) =>
  Effect.map(Replacements, ({ of }) =>
    handlers.handle("replacement", ({ payload: { hash, network } }) => Effect.mapError(of(network, hash), toProblem))
  )
)
