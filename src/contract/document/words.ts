import * as Record from "effect/Record"
import { exampleOf, isObject, type Json } from "./schemas.ts"

// Later versions of the service add words to responses: clients that are generated from the document accept them.

/** The member whose word determines the variant of a union. */
export const discriminant = "family"

const wordsOf = ({ enum: words }: Json): ReadonlyArray<string> =>
  Array.isArray(words) && words.every((word) => typeof word === "string") ? words : []

/** Any text instead of an enumeration, whose words are examples. */
const anyWord = ({ description, enum: _, ...schema }: Json, words: ReadonlyArray<string>): Json => {
  const text = typeof description === "string" ? description : ""
  const known = `Known values: ${words.map((word) => `\`${word}\``).join(", ")}.`
  return {
    ...schema,
    description: words.every((word) => text.includes(word)) ? text : [text, known].filter(Boolean).join(" "),
    examples: words,
    "x-extensible-enum": words
  }
}

const prefix = "#/components/schemas/"

const nameIn = (schema: unknown): string =>
  isObject(schema) && typeof schema.$ref === "string" ? schema.$ref.slice(prefix.length) : ""

const otherWord = "OtherWord"

/** The name of the variant for others, such as `OtherFees` beside `EvmFees`. */
export const otherThan = (variant: string) => variant.replace(/^[A-Z][a-z]+/, "Other")

/** Whether a schema with this name is a variant for others. */
export const isOther = (name: string): boolean => /^Other(?!Word$)/.test(name)

/** The variants of a union that are known. */
export const knownVariants = (variants: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  variants.filter((variant) => !isOther(nameIn(variant)))

/** Whether these names are those of the variants of a union, which differ in their first word only. */
export const areVariants = (names: ReadonlyArray<string>): boolean =>
  names.length > 1 && names.every((name) => otherThan(name) === otherThan(names[0] ?? "") && otherThan(name) !== name)

/** Whether all of these are references to the variants of a union. */
const isUnion = (all: ReadonlyArray<unknown>, schemas: Json): boolean =>
  areVariants(all.map(nameIn)) && all.every((each) => Object(schemas[nameIn(each)]).type === "object")

/** What all of these schemas have in common. */
const common = (all: ReadonlyArray<unknown>, schemas: Json): Json => {
  const found = all.map((schema) => schemas[nameIn(schema)] ?? schema)
  const [first, ...others] = found
  if (others.every((schema) => JSON.stringify(schema) === JSON.stringify(first))) return all[0] as Json
  const description = "The members that each family has; others depend on the family."
  if (!found.every(isObject) || found.some(({ type }) => type !== "object")) return { description }
  const members = found.map(({ properties }) => (isObject(properties) ? properties : {}))
  const names = Object.keys(members[0] ?? {}).filter((name) => members.every((each) => name in each))
  const isRequired = (name: string) => found.every(({ required }) => Array.isArray(required) && required.includes(name))
  const shared = (name: string) => {
    if (name === discriminant) return { $ref: `${prefix}${otherWord}` }
    const inner = common(
      members.map((each) => each[name]),
      schemas
    )
    return inner.type === "object" ? { ...inner, examples: [exampleOf(inner, schemas)] } : inner
  }
  // Generators make a record of any text of an object without members: `in` would not determine the other variants.
  if (names.length === 0)
    return { type: "object", description, properties: { [discriminant]: { $ref: `${prefix}${otherWord}` } } }
  return {
    type: "object",
    description,
    required: names.filter(isRequired),
    properties: Object.fromEntries(names.map((name) => [name, shared(name)]))
  }
}

/**
 * Opens the enumerations of words in a part of the document that describes responses: any text is allowed, the words are
 * examples. Those that determine the variant of a union stay, and each union gets a variant for others.
 */
export const openWords =
  (schemas: Json) =>
  (part: unknown): unknown => {
    const open = (value: unknown): unknown => {
      if (Array.isArray(value)) {
        const other = { $ref: `${prefix}${otherThan(nameIn(value[0]))}` }
        return [...value.map(open), ...(isUnion(value, schemas) ? [other] : [])]
      }
      if (!isObject(value)) return value
      const words = wordsOf(value)
      return words.length > 0 ? anyWord(value, words) : Record.map(value, member)
    }
    const member = (value: unknown, name: string): unknown => {
      if (name === "examples" || name === "example") return value
      if (name !== "properties" || !isObject(value)) return open(value)
      return Record.map(value, (schema, of) => (of === discriminant ? schema : open(schema)))
    }
    return open(part)
  }

/** The names of the variants of each union in a part of the document. */
const unionsIn = (part: unknown, schemas: Json): ReadonlyArray<ReadonlyArray<string>> => {
  const inner = typeof part === "object" && part !== null ? Object.values(part) : []
  const own = Array.isArray(part) && isUnion(part, schemas) ? [part.map(nameIn)] : []
  return [...own, ...inner.flatMap((each) => unionsIn(each, schemas))]
}

/** The variants for others of the unions in these schemas. */
const othersOf = (schemas: Json, opened: Json): Json => {
  const description = "Data of a family that this version does not know, which may have more members."
  return Object.fromEntries(
    unionsIn(schemas, schemas).map((variants) => {
      const shared = common(
        variants.map((variant) => opened[variant]),
        opened
      )
      return [otherThan(variants[0] ?? ""), { ...shared, description }]
    })
  )
}

/** The schemas with open words in those of responses; `isClosed` is true for those of requests. */
export const withOpenWords = (schemas: Json, isClosed: (name: string) => boolean): Json => {
  const opened = Record.map(schemas, (schema, name) => (isClosed(name) ? schema : openWords(schemas)(schema)))
  const description = "A word that this version does not know."
  return {
    ...opened,
    ...othersOf(schemas, opened),
    [otherWord]: { type: "string", description, examples: ["new-family"] }
  }
}
