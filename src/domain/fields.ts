import * as Schema from "effect/Schema"
import { Reason } from "./Reason.ts"

// Fields of what goes over the wire: each has a description and an example, from which the OpenAPI document is made.

export const text = (description: string, example: string) =>
  Schema.String.annotations({ description, examples: [example], message: mustBe("a string") })

export const number = (description: string, example: number) =>
  Schema.Number.annotations({ description, examples: [example] })

export const flag = (description: string, example: boolean) =>
  Schema.Boolean.annotations({ description, examples: [example], message: mustBe("true or false") })

export const textOrNull = (description: string, example: string | null) =>
  Schema.NullOr(Schema.String).annotations({ description, examples: [example] })

export const numberOrNull = (description: string, example: number | null) =>
  Schema.NullOr(Schema.Number).annotations({ description, examples: [example] })

/** One of a few words. */
export const word = <const Words extends readonly [string, ...Array<string>]>(
  description: string,
  words: Words,
  example: Words[number] = words[0]
) => Schema.Literal(...words).annotations({ description, examples: [example], message: oneOf(words) })

/** A member that may be missing; it is left out, never null. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** A millisecond time of 13 digits. */
export const milliseconds = (description: string) => number(`${description}, UNIX time in milliseconds`, 1793450000000)

/** The member beside a null that programs read. */
export const errorCode = Reason.annotations({
  description:
    "Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.",
  examples: ["timeout"]
})

/** A text of which more is quoted nowhere. */
const maxShown = 400

const shown = (value: unknown) => {
  if (typeof value === "bigint") return String(value)
  return JSON.stringify(typeof value === "string" ? value.slice(0, maxShown) : value)
}

/** Why a value is refused: what is allowed, and what it is. */
export const mustBe =
  (allowed: string) =>
  ({ actual }: { readonly actual: unknown }) =>
    `must be ${allowed}; it is ${shown(actual)}`

/** One reason for a value of several types, where the schema would give one for each of them. */
export const mustBeAsWhole = (allowed: string) => (issue: { readonly actual: unknown }) => ({
  message: mustBe(allowed)(issue),
  override: true
})

/** One reason for the whole set, where the schema would give one for each member. */
export const oneOf =
  (words: ReadonlyArray<string>) =>
  ({ actual }: { readonly actual: unknown }) =>
    mustBeAsWhole(`${typeof actual === "string" ? "" : "a string, "}one of ${words.join(", ")}`)({ actual })
