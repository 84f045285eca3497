import * as HttpApi from "@effect/platform/HttpApi"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import { getPropertySignatures } from "effect/SchemaAST"
import { Acts } from "../api/Acts.ts"
import { Api } from "../api/Api.ts"

/** One address of the contract and the methods it has. */
export interface Route {
  /** The path as the contract writes it; the only form of a path that metrics may carry. */
  readonly template: string
  readonly methods: ReadonlySet<string>
  /** The parameters of its query. */
  readonly query: ReadonlyArray<string>
}

export interface Routes {
  /** The route of a path without query; a trailing slash does not matter. */
  readonly find: (path: string) => Route | undefined
}

const bare = (path: string) => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path)

/** Routes without parameters are found by their text, the few others one after the other. */
export const make = (served: ReadonlyArray<string>): Routes => {
  const methods = new Map<string, Set<string>>()
  const queries = new Map<string, ReadonlyArray<string>>()
  const add = (method: string, template: string, acts = false) => {
    const known = methods.get(template) ?? new Set<string>()
    methods.set(template, known.add(method))
    if (method === "GET" && !acts) known.add("HEAD")
  }
  for (const template of served) add("GET", template)
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      add(endpoint.method, endpoint.path, Context.get(endpoint.annotations, Acts))
      queries.set(
        endpoint.path,
        Option.match(endpoint.urlParamsSchema, {
          onNone: () => [],
          onSome: ({ ast }) => getPropertySignatures(ast).map(({ name }) => String(name))
        })
      )
    }
  })
  const routes = [...methods].map(
    ([template, set]): Route => ({ template, methods: set, query: queries.get(template) ?? [] })
  )
  const fixed = new Map(routes.filter((route) => !route.template.includes(":")).map((route) => [route.template, route]))
  const patterns = routes
    .filter((route) => route.template.includes(":"))
    .map((route) => ({ route, pattern: new RegExp(`^${route.template.replace(/:[A-Za-z0-9_]+/g, "[^/]+")}$`) }))
  return {
    find: (path) => {
      const wanted = bare(path)
      return fixed.get(wanted) ?? patterns.find(({ pattern }) => pattern.test(wanted))?.route
    }
  }
}
