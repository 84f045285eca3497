import { isObject, type Json } from "./schemas.ts"

/** Path of the form with `meta: true`. A fragment is not sent, so both forms are requests to the same route. */
const withMeta = "/history#meta"

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const body = (name: string) => ({ content: { "application/json": { schema: reference(name) } }, required: true })

/** Request body of one form, with this value as the only allowed `meta`. */
const requestOf = (schema: Json, meta: boolean, description: string): Json => {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required: ReadonlyArray<unknown> = Array.isArray(schema.required) ? schema.required : []
  return {
    ...schema,
    description,
    required: meta ? [...required, "meta"] : required,
    properties: {
      ...properties,
      meta: { ...(isObject(properties.meta) ? properties.meta : {}), enum: [meta], examples: [meta] }
    }
  }
}

interface HistoryOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly responses: {
    readonly 200: {
      readonly content: { readonly "application/json": { readonly schema: { readonly anyOf: [Json, Json] } } }
    }
  }
  readonly "x-stream"?: unknown
}

const answering = (operation: HistoryOperation, schema: unknown, description: unknown) => ({
  ...operation.responses,
  200: { description, content: { "application/json": { schema } } }
})

/**
 * Splits `POST /history` into two operations with one response schema each, by the value of `meta` in the request body:
 * client generators produce unusable types for a union of responses.
 */
export const splitHistory = (paths: Json, schemas: Json): { readonly paths: Json; readonly schemas: Json } => {
  const { post } = paths["/history"] as { readonly post: HistoryOperation }
  const { "x-stream": _, ...single } = post
  const [wrapped, plain] = post.responses[200].content["application/json"].schema.anyOf
  const request = schemas.HistoryRequest as Json
  const described = (schemas.HistoryWithMeta as Json).description
  const operations = {
    "/history": {
      post: {
        ...post,
        description: `${post.description} A request with \`meta: true\` is described at \`${withMeta}\`.`,
        requestBody: body("HistoryRequest"),
        responses: answering(post, plain, plain.description)
      }
    },
    [withMeta]: {
      post: {
        ...single,
        operationId: `${post.operationId}WithMeta`,
        summary: `${post.summary}, and how complete they are`,
        description: `\`POST /history\` with \`meta: true\` in the body: \`data\` has the same transactions, and \`meta\` says how complete each list is. The path is \`/history\`: the fragment is not sent, and only distinguishes the two forms in this document. The description of the other form also applies here.`,
        requestBody: body("HistoryWithMetaRequest"),
        responses: answering(post, wrapped, described)
      }
    }
  }
  return {
    paths: Object.fromEntries(
      Object.entries(paths).flatMap(([path, item]) =>
        path === "/history" ? Object.entries(operations) : [[path, item]]
      )
    ),
    schemas: {
      ...schemas,
      HistoryRequest: requestOf(request, false, String(request.description)),
      HistoryWithMetaRequest: requestOf(
        request,
        true,
        `${String(request.description)} The response has \`data\` and \`meta\`.`
      )
    }
  }
}
