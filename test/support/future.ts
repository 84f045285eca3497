import { isObject, type Json, operations, resolved } from "./document.ts"

// Responses of a later version of the service: each open word is one that this version does not know, and each object
// has one more member.

const word = "from-the-future"

/** The turn in which all is null that may be. */
const nulls = 10

const alternativesOf = (schema: Json): ReadonlyArray<Json> =>
  Array.isArray(schema.anyOf) ? schema.anyOf.flatMap((each) => alternativesOf(resolved(each))) : [schema]

/** A value of a schema. `turn` selects the variant of each union. */
const valueOf = (part: unknown, turn: number): unknown => {
  const schema = resolved(part)
  const { additionalProperties, items, properties, type } = schema
  const [only] = (schema.enum ?? []) as ReadonlyArray<unknown>
  const [example] = (schema.examples ?? []) as ReadonlyArray<unknown>
  const alternatives = alternativesOf(schema)
  const others = alternatives.filter((each) => each.type !== "null")
  if (turn === nulls && others.length < alternatives.length) return null
  if (alternatives.length > 1) return valueOf(others[turn % others.length], turn)
  if ("x-extensible-enum" in schema) return word
  if (only !== undefined) return only
  if (isObject(properties)) {
    const members = Object.entries(properties).map(([name, member]) => [name, valueOf(member, turn)])
    return { ...Object.fromEntries(members), [word]: { [word]: [turn] } }
  }
  if (isObject(additionalProperties)) return { bitcoin: valueOf(additionalProperties, turn) }
  if (isObject(items)) return Array.from({ length: Number(schema.minItems ?? 1) }, () => valueOf(items, turn))
  if (example !== undefined) return example
  const plain: Readonly<Record<string, unknown>> = {
    object: { [word]: [turn] },
    array: [],
    null: null,
    boolean: true,
    string: word
  }
  const selected = String([type].flat()[turn % [type].flat().length])
  return selected in plain ? plain[selected] : 7
}

/** The schema of the JSON that an operation returns; undefined if it returns none. */
const schemaOf = (operation: Json): unknown => {
  const { content } = resolved(Object(operation.responses)[200] ?? {})
  return Object(Object(content)["application/json"]).schema
}

/** Successful responses of each operation that returns JSON, by its id. */
export const futures: ReadonlyArray<readonly [id: string, responses: ReadonlyArray<unknown>]> = operations.flatMap(
  ({ operation }) => {
    const schema = schemaOf(operation as never)
    const all = Array.from({ length: nulls + 1 }, (_, turn) => valueOf(schema ?? {}, turn))
    return schema === undefined ? [] : [[String(operation.operationId), all] as const]
  }
)
