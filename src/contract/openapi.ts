import * as OpenApi from "@effect/platform/OpenApi"
import { Api } from "./Api.ts"
import { splitHistory } from "./document/history.ts"
import { completed, headerComponents, shared } from "./document/responses.ts"
import { type Json, tidyEach, tidyWithin } from "./document/schemas.ts"

type Operation = OpenApi.OpenAPISpecOperation

/** Routes that answer without an API key. */
export const isOpen = (path: string) =>
  path.startsWith("/health/") ||
  path.startsWith("/page/") ||
  ["/", "/openapi.json", "/docs", "/favicon.ico"].includes(path)

/** The path segment of the chart routes in the contract; the operator names it. */
export const chartPrefix = "/app/mdata"
export const namedPrefix = (appName: string) => `/${appName}/mdata`

const refined = (path: string, operation: Operation): Operation => ({
  ...operation,
  security: isOpen(path) ? [] : [{}, { apiKey: [] }, ...(path === "/metrics" ? [{ metricsKey: [] }] : [])]
})

const renamed = (path: string, appName: string) =>
  path.startsWith(chartPrefix) ? namedPrefix(appName) + path.slice(chartPrefix.length) : path

const namesIn = (schema: unknown) =>
  [...JSON.stringify(schema ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = ""]) => name)

/** The schemas of the bodies that are decoded, with all that they refer to; what is passed on to nodes is none. */
const bodies = ({ components, paths }: OpenApi.OpenAPISpec): ReadonlySet<string> => {
  const found = new Set(
    Object.entries(paths).flatMap(([path, { post }]) => (isPassedOn(path) ? [] : namesIn(post?.requestBody)))
  )
  // A set is iterated to its end, what is added meanwhile included.
  for (const name of found) for (const inner of namesIn(components.schemas[name])) found.add(inner)
  return found
}

const isPassedOn = (path: string) => path.startsWith("/utils/rpc/")

/** A body with a member that is not known is refused; an answer may get more members. */
const closed = (spec: OpenApi.OpenAPISpec) => {
  const refusing = bodies(spec)
  return Object.fromEntries(
    Object.entries(spec.components.schemas).map(([name, schema]) => [
      name,
      refusing.has(name) ? { ...schema, additionalProperties: false } : schema
    ])
  )
}

const securitySchemes = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "Needed where the operator has set API_KEYS or API_KEYS_FILE."
  },
  metricsKey: {
    type: "http",
    scheme: "bearer",
    description: "The same key, as collectors of metrics send it."
  }
}

/** What the generator cannot know: the configured name, the API key, header fields, examples, and which members bodies may have. */
const complete = (generated: OpenApi.OpenAPISpec, appName: string): OpenApi.OpenAPISpec => {
  const tidied = tidyWithin(generated.paths) as Json
  const { paths, schemas: open } = splitHistory(tidied, tidyEach(generated.components.schemas as never))
  const spec = { ...generated, paths, components: { ...generated.components, schemas: open } } as OpenApi.OpenAPISpec
  const schemas = closed(spec)
  const { paths: referring, responses } = shared(
    Object.fromEntries(
      Object.entries(spec.paths).map(([path, item]) => [
        renamed(path, appName),
        Object.fromEntries(
          Object.entries(item).map(([method, operation]) => [
            method,
            completed(refined(path, operation) as never, schemas)
          ])
        )
      ])
    )
  )
  const components = { schemas, responses, headers: headerComponents, securitySchemes }
  return { ...spec, paths: referring, components } as unknown as OpenApi.OpenAPISpec
}

/** The contract with the operator's names in it, and its OpenAPI document. To be called once: the document is costly. */
export const describe = (options: { readonly appName: string; readonly version: string }) => {
  const api = Api.annotateContext(
    OpenApi.annotations({
      version: options.version,
      transform: (spec) => complete(spec as OpenApi.OpenAPISpec, options.appName)
    })
  )
  return { api, spec: OpenApi.fromApi(api, { additionalPropertiesStrategy: "allow" }) }
}
