import * as Record from "effect/Record"

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Members that contain values, not schemas. */
const values: ReadonlySet<string> = new Set(["example", "examples", "enum", "const", "default"])

/** Writes a tuple as a list of fixed length: generators treat `prefixItems` as open, and Spectral requires `items`. */
const tupleAsList = ({ items: _, maxItems: __, minItems: ___, prefixItems, ...schema }: Json): Json => {
  const [first, ...others] = prefixItems as ReadonlyArray<unknown>
  if (others.some((example) => JSON.stringify(example) !== JSON.stringify(first)))
    throw new Error("tuples of several types are not supported in the document")
  return { ...schema, items: first, minItems: others.length + 1, maxItems: others.length + 1 }
}

const isReferenceInAllOf = (schema: Json) =>
  Array.isArray(schema.allOf) && schema.allOf.length === 1 && isObject(schema.allOf[0]) && "$ref" in schema.allOf[0]

/** Removes parts of the library's output that have no meaning or that tools reject. */
const withoutNoise = (schema: Json): Json => {
  if (isReferenceInAllOf(schema)) return (schema.allOf as ReadonlyArray<Json>)[0] ?? {}
  // Every unknown value has the same `$id`; titles are only names of checks.
  const { $id: _, title: __, ...own } = schema
  const { additionalProperties, properties, required, ...rest } = own
  const said = {
    ...rest,
    ...(Array.isArray(required) && required.length === 0 ? {} : { required }),
    ...(isObject(properties) && Object.keys(properties).length === 0 ? {} : { properties }),
    ...(additionalProperties === true ? {} : { additionalProperties })
  }
  const present = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
  return Array.isArray(present.prefixItems) ? tupleAsList(present) : present
}

/** A schema in a form that tools accept, including all schemas in it. */
export const tidy = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(tidy)
  if (!isObject(schema)) return schema
  return Record.map(withoutNoise(schema), (value, name) =>
    name === "properties" && isObject(value) ? tidyEach(value) : values.has(name) ? value : tidy(value)
  )
}

/** Applies {@link tidy} to each member. */
export const tidyEach = (schemas: Json): Json => Record.map(schemas, tidy)

/** Applies {@link tidy} to every schema in a part of the document, at any depth. */
export const tidyWithin = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(tidyWithin)
  if (!isObject(part)) return part
  return Record.map(part, (value, name) =>
    name === "schema" || name === "itemSchema" ? tidy(value) : values.has(name) ? value : tidyWithin(value)
  )
}

const nameOf = (reference: unknown) => (typeof reference === "string" ? (reference.split("/").at(-1) ?? "") : undefined)

/** Builds a value of a schema from the examples of its required members. Undefined for a schema without an example. */
export const exampleOf = (schema: unknown, named: Json): unknown => {
  if (!isObject(schema)) return undefined
  const reference = nameOf(schema.$ref)
  if (reference !== undefined) return exampleOf(named[reference], named)
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if (Array.isArray(schema.anyOf)) return exampleOf(schema.anyOf[0], named)
  if (isObject(schema.properties)) {
    const required: ReadonlyArray<unknown> = Array.isArray(schema.required) ? schema.required : []
    return Object.fromEntries(
      Object.entries(schema.properties).flatMap(([name, member]) =>
        required.includes(name) ? [[name, exampleOf(member, named)] as const] : []
      )
    )
  }
  if (!isObject(schema.items)) return undefined
  const item = exampleOf(schema.items, named)
  return item === undefined ? undefined : [item]
}

/** Names of the schemas that a part of the document refers to, with those that these schemas refer to. */
export const namesIn = (part: unknown, schemas: Json): ReadonlySet<string> => {
  const direct = (value: unknown) =>
    [...JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = ""]) => name)
  const found = new Set(direct(part))
  // Iterating a set also visits names that are added during the loop.
  for (const name of found) for (const inner of direct(schemas[name])) found.add(inner)
  return found
}
