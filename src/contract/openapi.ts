import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { Api } from "./Api.ts"
import { completed, headerComponents, shareProblems } from "./document/responses.ts"
import { isObject, type Json, namesIn, tidyEach, tidyWithin } from "./document/schemas.ts"
import { openWords, withOpenWords } from "./document/words.ts"

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
const splitHistory = (paths: Json, schemas: Json): { readonly paths: Json; readonly schemas: Json } => {
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

type Operation = OpenApi.OpenAPISpecOperation

/** True for routes that need no API key. */
export const needsNoApiKey = (path: string) =>
  path.startsWith("/health/") ||
  path.startsWith("/page/") ||
  path.startsWith("/icon/") ||
  ["/", "/openapi.json", "/docs", "/llms.txt", "/favicon.ico"].includes(path)

/** Path prefix of the chart routes in the contract; the operator configures the name of its first segment. */
export const chartPrefix = "/app/mdata"
export const namedPrefix = (appName: string) => `/${appName}/mdata`

/** A description as its first sentence and a list of the others, if there are several. */
export const listed = (text: string): string => {
  const [first = "", ...others] = text.split(/(?<=\.\)?) (?=[A-Z`*])/)
  return others.length < 2 ? text : `${first}\n\n${others.map((sentence) => `- ${sentence}`).join("\n")}`
}

const refined = (path: string, operation: Operation): Operation => ({
  ...operation,
  description: listed(String(operation.description)),
  security: needsNoApiKey(path) ? [] : [{}, { apiKey: [] }, ...(path === "/metrics" ? [{ metricsKey: [] }] : [])]
})

const renamed = (path: string, appName: string) =>
  path.startsWith(chartPrefix) ? namedPrefix(appName) + path.slice(chartPrefix.length) : path

/** Names of the schemas of decoded request bodies, with referenced schemas; bodies for nodes are excluded. */
const bodies = ({ components, paths }: OpenApi.OpenAPISpec): ReadonlySet<string> => {
  const own = Object.entries(paths).map(([path, { post }]) => (isForwarded(path) ? undefined : post?.requestBody))
  return namesIn(own, components.schemas as Json)
}

const isForwarded = (path: string) => path.startsWith("/utils/rpc/")

/** Forbids unknown members in request bodies. Responses stay open, since they may get more members and words. */
const closed = (spec: OpenApi.OpenAPISpec): Json => {
  const refusing = bodies(spec)
  const schemas = Record.map(spec.components.schemas, (schema, name) =>
    refusing.has(name) ? { ...schema, additionalProperties: false } : schema
  )
  return withOpenWords(schemas as Json, (name) => refusing.has(name))
}

/** An operation whose responses have open words, also those of its streams. */
const answeringOpenly = (operation: Operation, schemas: Json): Operation => {
  const open = openWords(schemas)
  const stream = (operation as { readonly "x-stream"?: unknown })["x-stream"]
  return {
    ...operation,
    responses: open(operation.responses) as Operation["responses"],
    ...(stream === undefined ? {} : { "x-stream": open(stream) })
  }
}

const securitySchemes = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "Required if the operator has set API_KEYS or API_KEYS_FILE."
  },
  metricsKey: {
    type: "http",
    scheme: "bearer",
    description: "The same key, in the header that metrics collectors send."
  }
}

/** Adds data that the generator lacks: app name, API key, header fields, examples, and allowed members of bodies. */
const complete = (generated: OpenApi.OpenAPISpec, appName: string): OpenApi.OpenAPISpec => {
  const tidied = tidyWithin(generated.paths) as Json
  const { paths, schemas: open } = splitHistory(tidied, tidyEach(generated.components.schemas as never))
  const spec = { ...generated, paths, components: { ...generated.components, schemas: open } } as OpenApi.OpenAPISpec
  const schemas = closed(spec)
  const { paths: referring, responses } = shareProblems(
    Object.fromEntries(
      Object.entries(spec.paths).map(([path, item]) => [
        renamed(path, appName),
        Record.map(item as Record<string, Operation>, (operation) =>
          completed(answeringOpenly(refined(path, operation), schemas) as never, schemas)
        )
      ])
    )
  )
  const components = { schemas, responses, headers: headerComponents, securitySchemes }
  return { ...spec, paths: referring, components } as unknown as OpenApi.OpenAPISpec
}

/** The OpenAPI document of the contract, with the configured app name. Run it once: each step takes up to 30 ms. */
export const describe = Effect.fnUntraced(function* (options: { readonly appName: string; readonly version: string }) {
  const parts: ReadonlyArray<OpenApi.OpenAPISpec> = yield* Effect.forEach(Object.entries(Api.groups), ([name, group]) =>
    Effect.map(Effect.yieldNow(), () => {
      const alone: typeof Api = Object.create(Api, { groups: { value: { [name]: group } } })
      return OpenApi.fromApi(alone, { additionalPropertiesStrategy: "allow" })
    })
  )
  yield* Effect.yieldNow()
  const [first] = parts as [OpenApi.OpenAPISpec]
  const merged = {
    ...first,
    info: { ...first.info, version: options.version },
    tags: parts.flatMap(({ tags }) => tags)
  }
  merged.paths = Object.assign({}, ...parts.map(({ paths }) => paths))
  merged.components.schemas = Object.assign({}, ...parts.map(({ components }) => components.schemas))
  return complete(merged, options.appName)
})
