import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { Problem } from "../../contract/Problem.ts"
import { maxDepth, oversized, undecodable } from "../../contract/problem/issues.ts"
import { measure } from "../../kernel/text/jsonText.ts"
import type { Route } from "./Routes.ts"

/** Of a body with more values, one issue is reported and not all of them. */
const maxDetailed = 200

/** An address may be the only one of its network and have another value beside it; the rest is what surrounds them. */
const maxValues = (maxAddresses: number) => 4 * maxAddresses + 100

/**
 * Fails with why a body of this text is refused before the library decodes it, which it does to the last issue whatever the
 * size. A text that is no JSON passes: the library says what is wrong with it.
 */
export const make = (maxAddresses: number) => {
  const max = maxValues(maxAddresses)
  return (text: string, schema: NonNullable<Route["body"]>): Effect.Effect<void, Problem> =>
    Effect.suspend((): Effect.Effect<void, Problem> => {
      const refused = oversized(text, max)
      if (refused !== undefined) return refused
      if (measure(text, { depth: maxDepth, values: maxDetailed }).values <= maxDetailed) return Effect.void
      const value = Either.try(() => JSON.parse(text) as unknown)
      if (Either.isLeft(value)) return Effect.void
      return Schema.decodeUnknown(schema)(value.right).pipe(
        Effect.asVoid,
        Effect.mapError((error) => undecodable(ParseResult.ArrayFormatter.formatErrorSync(error)))
      )
    })
}
