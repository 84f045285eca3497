import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { flag, optional } from "../../domain/fields.ts"
import type { InvalidRequest } from "../Problem.ts"
import { Currency } from "../prices/currencies.ts"
import { invalid, schemaProblem } from "../problem/issues.ts"
import { inQuery, inRequest, QueryMembers } from "../wire.ts"

const detail = flag(
  "If true, native coins have their complete `breakdown`, even if this needs further upstream calls.",
  true
)

/** Optional members of the body of a balance request. */
export const inBody = { currency: optional(Currency), detail: optional(detail) }

/** The same options as query parameters. */
export const inUrl = { currency: optional(Currency), detail: optional(inQuery(detail)) }

const Members = Schema.Struct(inUrl).annotations(inRequest)
export type BalanceOptions = typeof Members.Type

const names = ["currency", "detail"] as const

const parameters = [
  {
    name: "currency",
    in: "query",
    required: false,
    description: "The same as `currency` in the body.",
    schema: { type: "string", examples: ["eur"] }
  },
  {
    name: "detail",
    in: "query",
    required: false,
    description: "The same as `detail` in the body.",
    schema: { type: "boolean", examples: [true] }
  }
] as const

/**
 * Documents that these members of the body may be sent in the query instead. They are not declared as parameters of the
 * endpoint, so typed clients do not require both.
 */
export const documentQuery = (context: Context.Context<never> = Context.empty()): Context.Context<never> => {
  const before = Option.getOrUndefined(Context.getOption(context, OpenApi.Transform))
  const documented = OpenApi.annotations({
    transform: (operation) => {
      const own = (operation.parameters ?? []) as ReadonlyArray<unknown>
      return { ...(before?.(operation) ?? operation), parameters: [...own, ...parameters] }
    }
  })
  return Context.add(Context.merge(context, documented), QueryMembers, names) as Context.Context<never>
}

const decode = Schema.decodeUnknown(Members)

/** Options from the body, or else from the query. Fails if both have an option with different values. */
export const optionsOf = (url: string, body: BalanceOptions): Effect.Effect<BalanceOptions, InvalidRequest> => {
  const start = url.indexOf("?")
  if (start === -1) return Effect.succeed(body)
  return decode(Object.fromEntries(new URLSearchParams(url.slice(start + 1)))).pipe(
    Effect.catchTag("ParseError", (error) =>
      Effect.flatMap(ParseResult.ArrayFormatter.formatError(error), (issues) => Effect.fail(schemaProblem(issues)))
    ),
    Effect.flatMap((query) => {
      const differing = names.filter(
        (name) => body[name] !== undefined && query[name] !== undefined && body[name] !== query[name]
      )
      return differing.length > 0
        ? Effect.fail(
            invalid(
              differing.map((name) => ({
                path: name,
                message: `is ${query[name]} in the query and ${body[name]} in the body`
              }))
            )
          )
        : Effect.succeed({ ...query, ...body })
    })
  )
}
