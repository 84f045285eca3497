import { isObject, type Json, namesIn } from "./schemas.ts"
import { knownVariants } from "./words.ts"

type Schemas = ReadonlyArray<Json>

const alternatives = ({ anyOf, ...schema }: Json): Schemas =>
  Array.isArray(anyOf) ? anyOf.flatMap(alternatives) : [schema]

const referenced = (schema: Json, schemas: Json) =>
  typeof schema.$ref === "string" ? (schemas[schema.$ref.replace("#/components/schemas/", "")] as Json) : schema

const partsOf = <A = Json>(schemas: Schemas, member: string) => schemas.flatMap((schema) => (schema[member] ?? []) as A)

/** The description that all of them have. */
const descriptionOf = (schemas: Schemas) => {
  const [description, ...others] = new Set(schemas.map((schema) => schema.description))
  return description === undefined || others.length > 0 ? {} : { description }
}

/** One schema for the values of several: for objects, all their members, of which only common members are required. */
const union = (members: Schemas, schemas: Json): Json => {
  const all = knownVariants(members.flatMap(alternatives))
  const different = [...new Map(all.map((schema) => [JSON.stringify(schema), schema])).values()]
  const others = different.filter(({ type }) => type !== "null")
  const isNullable = others.length < different.length
  if (isNullable) return { ...descriptionOf(members), anyOf: [union(others, schemas), { type: "null" }] }
  const [first = {}] = others
  if (others.length === 1) return first
  const found = others.map((schema) => referenced(schema, schemas))
  const [{ type } = {}] = found
  if (found.some((schema) => schema.type !== type)) return {}
  const described = { ...descriptionOf(found), type }
  if (type === "array") return { ...described, items: union(partsOf(found, "items"), schemas) }
  if (type !== "object") return described
  const names = [...new Set(found.flatMap(({ properties }) => Object.keys(properties ?? {})))]
  const membersOf = (name: string) =>
    found.flatMap(({ properties }) => (isObject(properties) && isObject(properties[name]) ? [properties[name]] : []))
  return {
    ...described,
    required: names.filter((name) => found.every(({ required }) => Array.isArray(required) && required.includes(name))),
    properties: Object.fromEntries(names.map((name) => [name, union(membersOf(name), schemas)]))
  }
}

/** Removes what OpenAPI 3.0 lacks or generators ignore, and adds the size of integers: Kotlin's default is 32 bits. */
const plain = ({
  "x-extensible-enum": _____,
  "x-stream": _,
  contentMediaType,
  enum: allowed,
  example: __,
  examples: ___,
  type,
  ...others
}: Json) => {
  const isWhole = type === "integer" || (Array.isArray(allowed) && allowed.every(Number.isInteger))
  return {
    ...others,
    ...(isWhole ? { type: "integer", format: "int64" } : type === undefined ? {} : { type }),
    ...(contentMediaType === undefined ? {} : { format: "binary" }),
    // Generators do not support enumerations of numbers and booleans.
    ...(type === "string" && allowed !== undefined ? { enum: allowed } : {})
  }
}

const each = (members: Json, schemas: Json): Json =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, converted(member, schemas)]))

/** Converts a schema or another part of the document to OpenAPI 3.0. */
const converted = (part: unknown, schemas: Json): unknown => {
  if (Array.isArray(part)) return part.map((member) => converted(member, schemas))
  if (!isObject(part)) return part
  const { anyOf, ...own } = part
  if (!Array.isArray(anyOf)) {
    const { content, enum: allowed, mapping, properties, ...others } = plain(part) as Json
    return {
      ...each(others, schemas),
      ...(allowed === undefined ? {} : { enum: allowed }),
      ...(isObject(properties) ? { properties: each(properties, schemas) } : {}),
      // Generators only use the first type.
      ...(isObject(content) ? { content: each(Object.fromEntries(Object.entries(content).slice(0, 1)), schemas) } : {})
    }
  }
  const { anyOf: nullable, ...single } = union(anyOf, schemas)
  if (!Array.isArray(nullable)) return converted({ ...single, ...own }, schemas)
  const [value] = nullable as Schemas
  const { $ref, ...inline } = value ?? {}
  // Any value is also null. OpenAPI 3.0 requires a type beside `nullable`; all references are to objects.
  if (value === undefined || Object.keys(value).length === 0) return converted(own, schemas)
  const reference = $ref === undefined ? {} : { type: "object", allOf: [{ $ref }] }
  return { ...(converted({ ...inline, ...own }, schemas) as Json), ...reference, nullable: true }
}

/**
 * The document as OpenAPI 3.0, in forms that generators of Swift and Kotlin support: a union is one type with the members
 * of all, and `POST /history` always has `meta`. Without examples and descriptions of streams.
 */
export const forGenerators = (document: object): Json => {
  const { components, paths, ...spec } = document as Json
  const { schemas, ...shared } = components as Json & { readonly schemas: Json }
  const { "/history#meta": history, ...others } = paths as Json
  const parts = converted({ paths: { ...others, "/history": history }, components: shared }, schemas) as Json
  const all = each(schemas, schemas)
  const used = namesIn(parts, all)
  return {
    ...spec,
    openapi: "3.0.3",
    paths: parts.paths,
    components: {
      ...(parts.components as Json),
      schemas: Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)))
    }
  }
}
