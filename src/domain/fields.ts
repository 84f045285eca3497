import * as Schema from "effect/Schema"
import { Reason } from "./Reason.ts"

// Fields of requests and responses. The OpenAPI document is made from their descriptions and examples.

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

/** An enum of strings. */
export const enumOf = <const Words extends readonly [string, ...Array<string>]>(
  description: string,
  words: Words,
  example: Words[number] = words[0]
) => Schema.Literal(...words).annotations({ description, examples: [example], message: oneOf(words) })

/** An optional field: absent, never null. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** A UNIX time in milliseconds (13 digits). */
export const milliseconds = (description: string) => number(`${description}, UNIX time in milliseconds`, 1793450000000)

/** Machine-readable reason next to a null. */
export const errorCode = Reason.annotations({
  description:
    "Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: the upstream could not be reached or returned an error; bad_answer: the upstream returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price; not_listed: no source lists it, which is no failure.",
  examples: ["timeout"]
})

/** Maximum characters of a value that an error message quotes. */
const maxQuotedLength = 400

const shown = (value: unknown) => {
  if (typeof value === "bigint") return String(value)
  return JSON.stringify(typeof value === "string" ? value.slice(0, maxQuotedLength) : value)
}

/** Message for an invalid value: the allowed values and the actual value. */
export const mustBe =
  (allowed: string) =>
  ({ actual }: { readonly actual: unknown }) =>
    `must be ${allowed}; it is ${shown(actual)}`

/** A single message for a union, where the schema would return a message per type. */
export const singleMessage = (allowed: string) => (issue: { readonly actual: unknown }) => ({
  message: mustBe(allowed)(issue),
  override: true
})

/** A single message for an enum, where the schema would return a message per literal. */
export const oneOf =
  (words: ReadonlyArray<string>) =>
  ({ actual }: { readonly actual: unknown }) =>
    singleMessage(`${typeof actual === "string" ? "" : "a string, "}one of ${words.join(", ")}`)({ actual })
