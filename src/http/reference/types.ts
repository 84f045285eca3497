import { isObject, type Json } from "../../contract/document/schemas.ts"
import { escaped, prose } from "./markup.ts"
import { nameOf } from "./parts.ts"

const list = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(isObject) : [])

const literals = (values: ReadonlyArray<unknown>) => values.map((value) => escaped(JSON.stringify(value))).join(" | ")

/** The type of a schema in the notation of TypeScript, with links to the named types. */
export const typeOf = (schema: Json): string => {
  if (schema.$ref !== undefined) {
    const name = escaped(nameOf(schema.$ref))
    return `<a href="#type-${name}">${name}</a>`
  }
  if (Array.isArray(schema.enum)) return literals(schema.enum)
  const known = schema["x-extensible-enum"]
  if (Array.isArray(known)) return `${literals(known)} | string`
  const either = list(schema.anyOf ?? schema.oneOf)
  if (either.length > 0) return [...new Set(either.map(typeOf))].join(" | ")
  if (schema.type === "array") {
    const item = isObject(schema.items) ? typeOf(schema.items) : "unknown"
    return item.includes(" | ") ? `(${item})[]` : `${item}[]`
  }
  if (isObject(schema.additionalProperties) && schema.properties === undefined)
    return `{[key]: ${typeOf(schema.additionalProperties)}}`
  return escaped(String(schema.type ?? "any JSON"))
}

/** The schema of the objects in a value, if they have no name: their members are listed with the value. */
const objectIn = (schema: Json): Json | undefined => {
  if (isObject(schema.properties)) return schema
  const inner = [schema.items, schema.additionalProperties, ...list(schema.anyOf)].filter(isObject)
  return inner.map(objectIn).find((found) => found !== undefined)
}

/** The members of an object as a list of names, types and descriptions. */
export const membersOf = (schema: Json): string => {
  const own = objectIn(schema)
  if (own === undefined || !isObject(own.properties)) return ""
  const required: ReadonlyArray<unknown> = Array.isArray(own.required) ? own.required : []
  const rows = Object.entries(own.properties).map(([name, member]) =>
    isObject(member) ? memberOf(name, member, required.includes(name)) : ""
  )
  return `<dl>${rows.join("")}</dl>`
}

/** One member or parameter. */
export const memberOf = (name: string, schema: Json, isRequired: boolean, text = schema.description): string =>
  `<dt><code>${escaped(name)}</code> <span class="type">${typeOf(schema)}</span>${isRequired ? ' <span class="must">required</span>' : ""}</dt><dd>${typeof text === "string" ? prose(text) : ""}${membersOf(schema)}</dd>`
