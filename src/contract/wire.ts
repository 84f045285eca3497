import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { isChainName } from "../catalogue/Caip.ts"
import { mustBe, singleMessage, text } from "../domain/fields.ts"

/** A whole number between two bounds, both inclusive. */
export const wholeNumber = (description: string, least: number, max: number, example: number) => {
  const largest = max === Number.MAX_SAFE_INTEGER ? "2^53 - 1" : max
  const message = singleMessage(`a whole number from ${least} to ${largest}`)
  return Schema.Number.pipe(Schema.int(), Schema.between(least, max)).annotations({
    description,
    examples: [example],
    message
  })
}

/** Annotations of an object in a request. */
export const asObject = { message: mustBe("a JSON object") } as const

/** Annotations of a request: an error lists all invalid values, not only the first, and unknown members. */
export const inRequest = { ...asObject, parseOptions: { errors: "all", onExcessProperty: "error" } } as const

/** A body of an upstream, passed on unchanged. */
export const passThrough = (description: string, example: unknown) =>
  Schema.Unknown.annotations({ description, examples: [example] })

/** Splits a text at its commas. Returns at most one part more than allowed. */
const partsOf = (line: string, max: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const [part] of line.matchAll(/[^,\s][^,]*/g)) {
    found.push(part.trimEnd())
    if (found.length > max) break
  }
  return found
}

/** One to `max` items in one text, separated by commas; white space around the commas is ignored. */
export const commaSeparated = <A, I extends string>(
  item: Schema.Schema<A, I>,
  max: number,
  description: string,
  example: string
) =>
  Schema.transform(
    Schema.String.annotations({ description, examples: [example] }),
    // The count is checked before the items.
    Schema.Array(Schema.String).pipe(
      Schema.filter((parts) => parts.length > 0 || "needs at least one value"),
      Schema.filter((parts) => parts.length <= max || `has more than ${max} values`)
    ),
    { strict: true, decode: (line) => partsOf(line, max), encode: (parts) => parts.join(",") }
  ).pipe(
    // Only the first invalid item is reported: in a long list, each takes time and memory.
    Schema.compose(Schema.NonEmptyArray(item).annotations({ parseOptions: { errors: "first" } }), { strict: false })
  )

/** Addresses by network id. Unsupported ids are skipped, so the schema accepts any key and any text. */
export const AddressesByNetwork = Schema.Record({
  key: Schema.String,
  value: Schema.Array(
    text(
      "An address as a wallet shows it, or as an account id (CAIP-10) of this network. A malformed address does not fail the request.",
      "ltc1qexampleaddress"
    )
  ).annotations({
    description: "The addresses of one network, in the order of the response.",
    message: mustBe("a list of addresses"),
    examples: [["0x00000000219ab540356cBB839Cbe05303d7705Fa"]]
  })
}).annotations({
  description:
    "Addresses by network id. Ids, aliases and chain ids (CAIP-2, such as `eip155:1`) are case-insensitive; unsupported ids are skipped, and named in the header `x-partial-failures`.",
  message: mustBe("an object with a list of addresses for each network id"),
  examples: [
    {
      ethereum: ["0x00000000219ab540356cBB839Cbe05303d7705Fa"],
      bitcoin: ["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"]
    }
  ]
})

/** Splits at the colon after the network: the first one, since addresses may contain colons, or that after a CAIP-2 id. */
const networkIn = (text: string): readonly [network: string, rest: string] => {
  const [chain = ""] = /^[^:]+:[^:]+(?=:.)/.exec(text) ?? []
  const end = isChainName(chain) ? chain.length : text.indexOf(":")
  return [text.slice(0, end), text.slice(end + 1)]
}

/** Groups the pairs of a query by network. */
const byNetwork = (pairs: ReadonlyArray<string>): Readonly<Record<string, ReadonlyArray<string>>> => {
  const networks = new Map<string, Array<string>>()
  for (const pair of pairs) {
    const [network, address] = networkIn(pair)
    const addresses = networks.get(network) ?? []
    addresses.push(address)
    networks.set(network, addresses)
  }
  return Object.fromEntries(networks)
}

/** No query is long enough for more addresses; the operator sets the limit per request. */
const maxPairs = 3_000

/** {@link AddressesByNetwork} as a query parameter. */
export const AddressesInQuery = Schema.transform(
  commaSeparated(
    Schema.String.pipe(
      Schema.pattern(/^[^:]+:./, {
        message: mustBe("a network and an address with a colon between them, such as ethereum:0x…")
      })
    ),
    maxPairs,
    "`network:address` pairs separated by commas. Ids, aliases and chain ids (CAIP-2) are case-insensitive; unsupported networks are skipped, and named in `failures` of the stream. Only the first colon separates, or that after a chain id: `bch:bitcoincash:q…` is an address with a colon, `eip155:1:0x…` an address on the network `eip155:1`.",
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

/** Groups cursors by network and address. The last colon separates the cursor, which contains no colon. */
const byAddress = (items: ReadonlyArray<string>): Readonly<Record<string, Readonly<Record<string, string>>>> => {
  const networks = new Map<string, Array<readonly [string, string]>>()
  for (const item of items) {
    const [network, rest] = networkIn(item)
    const last = rest.lastIndexOf(":")
    const cursors = networks.get(network) ?? []
    cursors.push([rest.slice(0, last), rest.slice(last + 1)])
    networks.set(network, cursors)
  }
  return Object.fromEntries([...networks].map(([network, cursors]) => [network, Object.fromEntries(cursors)]))
}

/** History cursors as a query parameter. */
export const CursorsInQuery = Schema.transform(
  commaSeparated(
    Schema.String.pipe(
      Schema.pattern(/^[^:]+:.+:[^:]+$/, {
        message: mustBe("a network, an address and its cursor with colons between them, such as ethereum:0x…:1Xj…")
      })
    ),
    maxPairs,
    "Cursors of the pages to read: `network:address:cursor` items separated by commas, with network and address spelled as in `addresses`, and the `next` of a response with `meta`.",
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

/** A number or boolean of a body as a query parameter. The schema of the body rejects any other text. */
export const inQuery = <A extends number | boolean>(value: Schema.Schema<A>) => {
  const { $schema: _, ...jsonSchema } = JSONSchema.make(value)
  const text = Schema.String.annotations({ jsonSchema })
  return Schema.transform(text, value, {
    strict: false,
    decode: (sent) => (/^(true|false|0|[1-9]\d{0,14})$/.test(sent) ? JSON.parse(sent) : sent),
    encode: String
  })
}

/** Summary and description of a route in the document. */
export const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** Title and description of a group of routes in the document. */
export const titled = (title: string, description: string) => OpenApi.annotations({ title, description })

/** Marks a GET with a side effect, or a POST without one. */
export class HasSideEffect extends Context.Reference<HasSideEffect>()("contract/HasSideEffect", {
  defaultValue: (): boolean | undefined => undefined
}) {}

/** Whether clients may repeat a request: a GET, which then also serves HEAD, unless it is marked, and a marked POST. */
export const mayBeRepeated = (method: string, annotations: Context.Context<never>): boolean =>
  !(Context.get(annotations, HasSideEffect) ?? method !== "GET")

/** Marks a POST with the body members that may be sent in its query instead; its handler reads them from there. */
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

/** Builds a value from the examples of the required members of a schema. */
export const sampleOf = <A, I>(schema: Schema.Schema<A, I>): A => exampleOf(schema.ast) as A

/** A record whose keys are not defined by the contract; `key` is the key of its example. */
export const recordOf = <A, I>(key: string, value: Schema.Schema<A, I>, description: string) =>
  Schema.Record({ key: Schema.String, value }).annotations({ description, examples: [{ [key]: sampleOf(value) }] })
