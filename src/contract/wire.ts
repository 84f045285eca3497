import * as Schema from "effect/Schema"
import { Reason } from "../domain/Reason.ts"

/** Text that goes out as it is. Every field of the contract says what it is and shows one value. */
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

/** A whole number between two bounds, both allowed. */
export const whole = (description: string, least: number, most: number, example: number) => {
  const largest = most === Number.MAX_SAFE_INTEGER ? "2^53 - 1" : most
  const message = mustBeAsWhole(`a whole number from ${least} to ${largest}`)
  return Schema.Number.pipe(Schema.int(), Schema.between(least, most)).annotations({
    description,
    examples: [example],
    message
  })
}

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

/** For an object that comes in. */
export const anObject = { message: mustBe("a JSON object") } as const

/** For what comes in: a refusal names everything that is wrong, not only the first, and members that are not known. */
export const incoming = { ...anObject, parseOptions: { errors: "all", onExcessProperty: "error" } } as const

/** A member that may be missing; it is left out, never null. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** A body that is the upstream's own: passed on, not interpreted. */
export const passedOn = (description: string, example: unknown) =>
  Schema.Unknown.annotations({ description, examples: [example] })

/** What stands between the commas of a text, one part more at most than there may be. */
const partsOf = (line: string, most: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const [part] of line.matchAll(/[^,\s][^,]*/g)) {
    found.push(part.trimEnd())
    if (found.length > most) break
  }
  return found
}

/** At least one item in one text and no more than so many, separated by commas; blanks around the commas are dropped. */
export const commaSeparated = <A, I extends string>(
  item: Schema.Schema<A, I>,
  most: number,
  description: string,
  example: string
) =>
  Schema.transform(
    Schema.String.annotations({ description, examples: [example] }),
    // Counted before they are looked at one by one.
    Schema.Array(Schema.String).pipe(
      Schema.filter((parts) => parts.length > 0 || "needs at least one value"),
      Schema.filter((parts) => parts.length <= most || `has more than ${most} values`)
    ),
    { strict: true, decode: (line) => partsOf(line, most), encode: (parts) => parts.join(",") }
  ).pipe(
    // The first item that is wrong is enough of a long list: each takes time and memory.
    Schema.compose(Schema.NonEmptyArray(item).annotations({ parseOptions: { errors: "first" } }), { strict: false })
  )

/** Network id -> addresses. Ids that are not supported are skipped, so any key and any text is let in. */
export const AddressesByNetwork = Schema.Record({
  key: Schema.String,
  value: Schema.Array(
    text("An address as a wallet shows it. A malformed one does not fail the request.", "ltc1qexampleaddress")
  ).annotations({
    description: "The addresses of one network, in the order in which they are answered.",
    message: mustBe("a list of addresses"),
    examples: [["0x00000000219ab540356cBB839Cbe05303d7705Fa"]]
  })
}).annotations({
  description:
    "Addresses by network id. Ids and aliases are accepted in any case; ids that are not supported are skipped.",
  message: mustBe("an object with a list of addresses for each network id"),
  examples: [
    {
      ethereum: ["0x00000000219ab540356cBB839Cbe05303d7705Fa"],
      bitcoin: ["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"]
    }
  ]
})

/** A millisecond time of 13 digits. */
export const milliseconds = (description: string) => number(`${description}, UNIX time in milliseconds`, 1793450000000)

/** The member beside a null that programs read. */
export const errorCode = Reason.annotations({
  description:
    "Why a number is null, for programs. invalid_address: not an address of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: it could not be reached or returned an error; bad_answer: it returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something; no_price: no source has a current price.",
  examples: ["timeout"]
})
