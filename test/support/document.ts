import * as Effect from "effect/Effect"
import { describe } from "../../src/contract/openapi.ts"

export const spec = Effect.runSync(describe({ appName: "app", version: "0.0.0" }))

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Members that contain example values, not parts of the document. */
const values: ReadonlySet<string> = new Set(["example", "examples", "enum"])

/** Every object in a document with its path, without example values. */
export const walk = (value: unknown, path: string): ReadonlyArray<readonly [string, Json]> => {
  if (Array.isArray(value)) return value.flatMap((member, index) => walk(member, `${path}/${index}`))
  if (!isObject(value)) return []
  const inner = Object.entries(value).filter(([name]) => !values.has(name))
  return [[path, value], ...inner.flatMap(([name, member]) => walk(member, `${path}/${name}`))]
}

/** Resolves a reference. */
export const resolved = (part: unknown): Json => {
  const { $ref } = part as Json
  if (typeof $ref !== "string") return part as Json
  const [, ...names] = $ref.split("/")
  return names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), spec) as Json
}

export const named = (schema: string) => resolved({ $ref: `#/components/schemas/${schema}` })

export const operations = Object.entries(spec.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation }))
)

export const responseOf = (path: string, method: string, status: number): Json => {
  const found = operations.find((operation) => operation.path === path && operation.method === method)
  return resolved(found?.operation.responses[status] ?? {})
}

/** Every schema and nested schema with its path. */
export const schemas: ReadonlyArray<readonly [string, Json]> = [
  ...Object.entries(spec.components.schemas).flatMap(([name, schema]) => walk(schema, name)),
  ...walk({ ...spec, components: { ...spec.components, schemas: {} } }, "").flatMap(([path, value]) =>
    [value.schema, value.itemSchema].flatMap((schema) => (isObject(schema) ? walk(schema, path) : []))
  )
].filter(([path]) => !path.endsWith("/properties"))
