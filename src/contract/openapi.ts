import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { Api } from "./Api.ts"
import { splitHistory } from "./document/history.ts"
import { completed, headerComponents, shareProblems } from "./document/responses.ts"
import { type Json, namesIn, tidyEach, tidyWithin } from "./document/schemas.ts"

type Operation = OpenApi.OpenAPISpecOperation

/** True for routes that need no API key. */
export const needsNoApiKey = (path: string) =>
  path.startsWith("/health/") ||
  path.startsWith("/page/") ||
  path.startsWith("/icon/") ||
  ["/", "/openapi.json", "/docs", "/favicon.ico"].includes(path)

/** Path prefix of the chart routes in the contract; the operator configures the name of its first segment. */
export const chartPrefix = "/app/mdata"
export const namedPrefix = (appName: string) => `/${appName}/mdata`

const refined = (path: string, operation: Operation): Operation => ({
  ...operation,
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

/** Forbids unknown members in request bodies. Responses stay open, since they may get more members. */
const closed = (spec: OpenApi.OpenAPISpec) => {
  const refusing = bodies(spec)
  return Record.map(spec.components.schemas, (schema, name) =>
    refusing.has(name) ? { ...schema, additionalProperties: false } : schema
  )
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
          completed(refined(path, operation) as never, schemas)
        )
      ])
    )
  )
  const components = { schemas, responses, headers: headerComponents, securitySchemes }
  return { ...spec, paths: referring, components } as unknown as OpenApi.OpenAPISpec
}

/** The contract with the configured app name, and its OpenAPI document. Run it once: each step takes up to 30 ms. */
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
  const spec = complete(merged, options.appName)
  // Without groups, so that the document is not generated again.
  return { api: HttpApi.make("wallet-data").annotateContext(OpenApi.annotations({ transform: () => spec })), spec }
})
