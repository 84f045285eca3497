import * as Schema from "effect/Schema"
import { mustBe, mustBeAsWhole, text } from "../domain/fields.ts"

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

/** For an object that comes in. */
export const anObject = { message: mustBe("a JSON object") } as const

/** For what comes in: a refusal names everything that is wrong, not only the first, and members that are not known. */
export const incoming = { ...anObject, parseOptions: { errors: "all", onExcessProperty: "error" } } as const

/** A body that is the upstream's own: passed on, not interpreted. */
export const passThrough = (description: string, example: unknown) =>
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
