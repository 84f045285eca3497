import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { Problem } from "../../contract/Problem.ts"
import { maxDepth, schemaProblem, sizeProblem } from "../../contract/problem/issues.ts"
import { measure } from "../../kernel/text/jsonText.ts"
import type { Route } from "./Routes.ts"

/** For a body with more values, only the first issue is reported. */
const maxDetailed = 200

/** Each address may be the only one of its network and have one more value; 100 is for the rest of the body. */
const maxValues = (maxAddresses: number) => 4 * maxAddresses + 100

/**
 * Rejects a body before the library decodes it, because the library collects every issue regardless of the size. A text
 * that is not JSON passes: the library reports the error.
 */
export const make = (maxAddresses: number) => {
  const max = maxValues(maxAddresses)
  return (text: string, schema: NonNullable<Route["body"]>): Effect.Effect<void, Problem> =>
    Effect.suspend((): Effect.Effect<void, Problem> => {
      const refused = sizeProblem(text, max)
      if (refused !== undefined) return refused
      if (measure(text, { depth: maxDepth, values: maxDetailed }).values <= maxDetailed) return Effect.void
      const value = Either.try(() => JSON.parse(text) as unknown)
      if (Either.isLeft(value)) return Effect.void
      return Schema.decodeUnknown(schema)(value.right).pipe(
        Effect.asVoid,
        Effect.mapError((error) => schemaProblem(ParseResult.ArrayFormatter.formatErrorSync(error)))
      )
    })
}
