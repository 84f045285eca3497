import { isObject, type Json } from "../../contract/document/schemas.ts"

/** A member of a request outside its body. */
export interface RequestParameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required?: boolean
  readonly description?: string
  readonly schema: Json
}

export interface DocumentedBody {
  readonly schema: Json
  readonly example?: unknown
}

/** An operation of the OpenAPI document. */
export interface DocumentedOperation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description: string
  readonly deprecated?: boolean
  readonly parameters?: ReadonlyArray<RequestParameter>
  readonly requestBody?: { readonly content: Readonly<Record<string, DocumentedBody>> }
  readonly responses: Readonly<Record<string, Answer>>
}

export interface Answer {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Readonly<Record<string, DocumentedBody>>
}

/** The parts of the OpenAPI document that the reference shows. */
export interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>
    readonly responses: Readonly<Record<string, Answer>>
  }
}

/** An operation with its method and path. */
export interface DocumentedRoute {
  readonly method: string
  readonly path: string
  readonly operation: DocumentedOperation
}

export const routesOf = ({ paths }: Document): ReadonlyArray<DocumentedRoute> =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  )

/** The name of a referenced part. */
export const nameOf = (reference: unknown): string => String(reference ?? "").replace(/^.*\//, "")

/** The body that a route takes or returns, with its type of content. */
export const bodyOf = (
  content: DocumentedOperation["requestBody"] | Answer
): (DocumentedBody & { readonly type: string }) | undefined =>
  Object.entries(content?.content ?? {}).map(([type, body]) => ({ type, ...body }))[0]

/** The example of a request's body, without the members that are not required. */
export const exampleOf = (document: Document, { operation: { requestBody } }: DocumentedRoute): unknown => {
  const body = bodyOf(requestBody)
  if (body === undefined) return undefined
  const { required } = document.components.schemas[nameOf(body.schema.$ref)] ?? body.schema
  if (!Array.isArray(required) || !isObject(body.example)) return body.example
  // JSON-RPC calls without an id have no response.
  return Object.fromEntries(Object.entries(body.example).filter(([name]) => name === "id" || required.includes(name)))
}

/** The example of a parameter. */
export const valueOf = ({ schema }: RequestParameter): string => {
  const [example] = (schema.examples ?? schema.enum ?? []) as ReadonlyArray<unknown>
  return String(example ?? "")
}

/** The parameters that a request must have, in the path and the query. */
export const requiredOf = ({ operation: { parameters = [] } }: DocumentedRoute): ReadonlyArray<RequestParameter> =>
  parameters.filter((parameter) => parameter.required === true && parameter.in !== "header")
