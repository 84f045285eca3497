import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { mustBe, mustBeAsWhole, text } from "../domain/fields.ts"

/** A whole number between two bounds, both allowed. */
export const whole = (description: string, least: number, max: number, example: number) => {
  const largest = max === Number.MAX_SAFE_INTEGER ? "2^53 - 1" : max
  const message = mustBeAsWhole(`a whole number from ${least} to ${largest}`)
  return Schema.Number.pipe(Schema.int(), Schema.between(least, max)).annotations({
    description,
    examples: [example],
    message
  })
}

/** For an object in a request. */
export const anObject = { message: mustBe("a JSON object") } as const

/** For requests: a refusal names all problems, not only the first, and unknown members. */
export const incoming = { ...anObject, parseOptions: { errors: "all", onExcessProperty: "error" } } as const

/** A body of an upstream, passed on unchanged. */
export const passThrough = (description: string, example: unknown) =>
  Schema.Unknown.annotations({ description, examples: [example] })

/** The parts of a text between its commas, at most one more than allowed. */
const partsOf = (line: string, max: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const [part] of line.matchAll(/[^,\s][^,]*/g)) {
    found.push(part.trimEnd())
    if (found.length > max) break
  }
  return found
}

/** One to `max` items in one text, separated by commas; blanks around the commas are dropped. */
export const commaSeparated = <A, I extends string>(
  item: Schema.Schema<A, I>,
  max: number,
  description: string,
  example: string
) =>
  Schema.transform(
    Schema.String.annotations({ description, examples: [example] }),
    // Counted before each is checked.
    Schema.Array(Schema.String).pipe(
      Schema.filter((parts) => parts.length > 0 || "needs at least one value"),
      Schema.filter((parts) => parts.length <= max || `has more than ${max} values`)
    ),
    { strict: true, decode: (line) => partsOf(line, max), encode: (parts) => parts.join(",") }
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
    description: "The addresses of one network, in the order of the response.",
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

/** The pairs of a query by network; only the first colon separates, since addresses may have colons. */
const byNetwork = (pairs: ReadonlyArray<string>): Readonly<Record<string, ReadonlyArray<string>>> => {
  const networks = new Map<string, Array<string>>()
  for (const pair of pairs) {
    const colon = pair.indexOf(":")
    const network = pair.slice(0, colon)
    const addresses = networks.get(network) ?? []
    addresses.push(pair.slice(colon + 1))
    networks.set(network, addresses)
  }
  return Object.fromEntries(networks)
}

/** A query has no room for more addresses; how many a request may have is the operator's. */
const maxPairs = 3_000

/** The same as {@link AddressesByNetwork} in a query. */
export const AddressesInQuery = Schema.transform(
  commaSeparated(
    Schema.String.pipe(
      Schema.pattern(/^[^:]+:./, {
        message: mustBe("a network and an address with a colon between them, such as ethereum:0x…")
      })
    ),
    maxPairs,
    "`network:address` pairs separated by commas. Ids and aliases are accepted in any case; networks that are not supported are skipped. Only the first colon separates: `bch:bitcoincash:q…` is an address with a colon.",
    "ethereum:0x00000000219ab540356cBB839Cbe05303d7705Fa,bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"
  ),
  Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) }),
  {
    strict: false,
    decode: byNetwork,
    encode: (networks) =>
      Object.entries(networks).flatMap(([network, addresses]) => addresses.map((address) => `${network}:${address}`))
  }
)

/** The last colon separates the cursor, which has none. */
const byAddress = (items: ReadonlyArray<string>): Readonly<Record<string, Readonly<Record<string, string>>>> => {
  const networks = new Map<string, Array<readonly [string, string]>>()
  for (const item of items) {
    const [first, last] = [item.indexOf(":"), item.lastIndexOf(":")]
    const network = item.slice(0, first)
    const cursors = networks.get(network) ?? []
    cursors.push([item.slice(first + 1, last), item.slice(last + 1)])
    networks.set(network, cursors)
  }
  return Object.fromEntries([...networks].map(([network, cursors]) => [network, Object.fromEntries(cursors)]))
}

/** Cursors of histories in a query. */
export const CursorsInQuery = Schema.transform(
  commaSeparated(
    Schema.String.pipe(
      Schema.pattern(/^[^:]+:.+:[^:]+$/, {
        message: mustBe("a network, an address and its cursor with colons between them, such as ethereum:0x…:1Xj…")
      })
    ),
    maxPairs,
    "Where to go on: `network:address:cursor` items separated by commas, with network and address as `addresses` has them and the `next` of an answer with `meta`.",
    "ethereum:0x00000000219ab540356cBB839Cbe05303d7705Fa:1XJ0YvYc2d0ZK0hVx1Ht7ImgiOjIwMDAwMDAwLCJsIjoiMHg1YyJ9"
  ),
  Schema.Record({ key: Schema.String, value: Schema.Record({ key: Schema.String, value: Schema.String }) }),
  {
    strict: false,
    decode: byAddress,
    encode: (networks) =>
      Object.entries(networks).flatMap(([network, cursors]) =>
        Object.entries(cursors).map(([address, cursor]) => `${network}:${address}:${cursor}`)
      )
  }
)

/** A number or a flag of a body, as a query has it; what does not read as one is refused by the schema of the body. */
export const inQuery = <A extends number | boolean>(value: Schema.Schema<A>) => {
  const { $schema: _, ...jsonSchema } = JSONSchema.make(value)
  const text = Schema.String.annotations({ jsonSchema })
  return Schema.transform(text, value, {
    strict: false,
    decode: (sent) => (/^(true|false|0|[1-9]\d{0,14})$/.test(sent) ? JSON.parse(sent) : sent),
    encode: String
  })
}

/** What the documentation says about a route. */
export const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** Marks a GET with a side effect. HEAD must have none, so such a route does not serve it. */
export class HasSideEffect extends Context.Reference<HasSideEffect>()("contract/HasSideEffect", {
  defaultValue: () => false
}) {}

/** Marks a POST: the members of its body that may stand in its query instead. Its handler reads them there. */
export class QueryMembers extends Context.Reference<QueryMembers>()("contract/QueryMembers", {
  defaultValue: (): ReadonlyArray<string> => []
}) {}

const exampleOf = (ast: SchemaAST.AST): unknown => {
  const own = SchemaAST.getExamplesAnnotation(ast)
  if (Option.isSome(own)) return own.value[0]
  if (SchemaAST.isTypeLiteral(ast))
    return Object.fromEntries(
      ast.propertySignatures.flatMap(({ isOptional, name, type }) =>
        isOptional ? [] : [[name, exampleOf(type)] as const]
      )
    )
  if (SchemaAST.isTupleType(ast)) return ast.rest.map(({ type }) => exampleOf(type))
  return undefined
}

/** A value made of the examples of a schema's members, without those that may be left out. */
export const sampleOf = <A, I>(schema: Schema.Schema<A, I>): A => exampleOf(schema.ast) as A

/** A record whose keys are not named in the contract; `key` is one of them, for its example. */
export const byKey = <A, I>(key: string, value: Schema.Schema<A, I>, description: string) =>
  Schema.Record({ key: Schema.String, value }).annotations({ description, examples: [{ [key]: sampleOf(value) }] })
