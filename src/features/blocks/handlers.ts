import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../../contract/Api.ts"
import { NotFound } from "../../contract/Problem.ts"
import { withoutResult } from "../../contract/problem/issues.ts"
import { numberOf, numberOrNull } from "../../domain/units.ts"
import { NewestBlocks } from "./NewestBlocks.ts"

const toProblem = withoutResult("The newest block could not be read: ")

/** Handles GET /utils/block. */
export const layer = HttpApiBuilder.group(Api, "blocks", (handlers) =>
  Effect.map(NewestBlocks, ({ of }) =>
    handlers.handle("newest", ({ path }) =>
      Effect.mapBoth(of(path.network), {
        onFailure: (failure) =>
          failure.member === undefined
            ? toProblem(failure)
            : new NotFound({ detail: `The network ${failure.message}.` }),
        onSuccess: ({ block: { at, height }, network, readAt }) => ({
          network,
          height: numberOf(height),
          timestamp: numberOrNull(at),
          at: numberOrNull(at),
          updatedAt: readAt
        })
      })
    )
  )
)
