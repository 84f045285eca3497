export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Members that hold values and not schemas. */
const values: ReadonlySet<string> = new Set(["example", "examples", "enum", "const", "default"])

/** Generators make an open end of what may follow `prefixItems`, and Spectral wants `items`: a list of one type and length says the same. */
const evenTuple = ({ items: _, maxItems: __, minItems: ___, prefixItems, ...schema }: Json): Json => {
  const [first, ...others] = prefixItems as ReadonlyArray<unknown>
  if (others.some((item) => JSON.stringify(item) !== JSON.stringify(first)))
    throw new Error("a tuple of several types is not written in the document yet")
  return { ...schema, items: first, minItems: others.length + 1, maxItems: others.length + 1 }
}

const isReferenceInAllOf = (schema: Json) =>
  Array.isArray(schema.allOf) && schema.allOf.length === 1 && isObject(schema.allOf[0]) && "$ref" in schema.allOf[0]

/** Of what the library writes, what says nothing or is refused by tools is left out. */
const withoutNoise = (schema: Json): Json => {
  if (isReferenceInAllOf(schema)) return (schema.allOf as ReadonlyArray<Json>)[0] ?? {}
  // The same `$id` for every unknown value; the names of checks as titles.
  const { $id: _, title: __, ...own } = schema
  const { additionalProperties, properties, required, ...rest } = own
  const said = {
    ...rest,
    ...(Array.isArray(required) && required.length === 0 ? {} : { required }),
    ...(isObject(properties) && Object.keys(properties).length === 0 ? {} : { properties }),
    ...(additionalProperties === true ? {} : { additionalProperties })
  }
  const present = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
  return Array.isArray(present.prefixItems) ? evenTuple(present) : present
}

/** A schema in the form that tools read, with all schemas in it. */
export const tidy = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(tidy)
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(withoutNoise(schema)).map(([name, value]) => [
      name,
      name === "properties" && isObject(value) ? tidyEach(value) : values.has(name) ? value : tidy(value)
    ])
  )
}

/** The same of each member. */
export const tidyEach = (schemas: Json): Json =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, tidy(schema)]))

/** The same of every schema in a part of the document, wherever it stands. */
export const tidyWithin = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(tidyWithin)
  if (!isObject(part)) return part
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      name,
      name === "schema" || name === "itemSchema" ? tidy(value) : values.has(name) ? value : tidyWithin(value)
    ])
  )
}

const nameOf = (reference: unknown) => (typeof reference === "string" ? (reference.split("/").at(-1) ?? "") : undefined)

/** A value of a schema, made of the examples of its members; those that may be left out are. Undefined where one has none. */
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
