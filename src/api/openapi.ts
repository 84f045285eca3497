import * as OpenApi from "@effect/platform/OpenApi"
import { Api } from "./Api.ts"

type Operation = OpenApi.OpenAPISpecOperation

/** Routes that answer without an API key. */
export const isOpen = (path: string) => path.startsWith("/health/") || path === "/openapi.json" || path === "/docs"

/** The path segment of the chart routes in the contract; the operator names it. */
export const chartPrefix = "/app/mdata"
export const namedPrefix = (appName: string) => `/${appName}/mdata`

const refined = (path: string, operation: Operation): Operation => {
  const takesNothing = operation.parameters.length === 0 && operation.requestBody === undefined
  const { 400: refused, ...responses } = operation.responses
  return {
    ...operation,
    security: isOpen(path) ? [] : [{}, { apiKey: [] }],
    responses: takesNothing || refused === undefined ? responses : { 400: refused, ...responses }
  }
}

const renamed = (path: string, appName: string) =>
  path.startsWith(chartPrefix) ? namedPrefix(appName) + path.slice(chartPrefix.length) : path

/** What the generator cannot know: the configured name, the API key, and which routes have nothing to refuse. */
const complete = (spec: OpenApi.OpenAPISpec, appName: string): OpenApi.OpenAPISpec => ({
  ...spec,
  components: {
    ...spec.components,
    securitySchemes: {
      apiKey: {
        type: "apiKey",
        in: "header",
        name: "x-api-key",
        description: "Needed where the operator has set API_KEYS."
      }
    }
  },
  paths: Object.fromEntries(
    Object.entries(spec.paths).map(([path, item]) => [
      renamed(path, appName),
      Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, refined(path, operation)]))
    ])
  )
})

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
