import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Context from "effect/Context"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { getParseOptionsAnnotation, getPropertySignatures, type ParseOptions } from "effect/SchemaAST"
import { Api } from "../../contract/Api.ts"
import { chartPrefix, namedPrefix } from "../../contract/openapi.ts"
import { mayBeRepeated, QueryMembers } from "../../contract/wire.ts"

export interface Destination {
  /** Path in the contract, with `app` for the configured name; empty if there is no route. */
  readonly path: string
  /** Values of the path parameters, in order. */
  readonly parameters: ReadonlyArray<string>
  readonly route: Route | undefined
}

const noRoute: Destination = { path: "", parameters: [], route: undefined }

const isBelow = (path: string, prefix: string) =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/")

/** Maps a request's path to the contract's; undefined for the contract's own prefix if another is configured. */
const contractPath = (appName: string) => {
  const prefix = namedPrefix(appName)
  return (path: string) => {
    if (isBelow(path, prefix)) return chartPrefix + path.slice(prefix.length)
    return isBelow(path, chartPrefix) ? undefined : path
  }
}

/** Number of paths whose routes are cached; the cache is then cleared. */
const maxPaths = 1000

/** Longer paths are not cached. */
const maxRemembered = 500

/** Finds the route of a path as sent, without query: a route of the contract or of these templates. */
export const destinationsOf = (appName: string, served: ReadonlyArray<string>) => {
  const routes = make(served)
  const inContract = contractPath(appName)
  const destinations = new Map<string, Destination>()
  return (sentPath: string): Destination => {
    const before = destinations.get(sentPath)
    if (before !== undefined) return before
    const path = inContract(sentPath)
    const destination = (path === undefined ? undefined : routes.find(path)) ?? noRoute
    if (destinations.size >= maxPaths) destinations.clear()
    if (sentPath.length <= maxRemembered) destinations.set(sentPath, destination)
    return destination
  }
}

/** Groups of the contract with their properties, as the library itself reads them. */
type Groups = Readonly<Record<string, HttpApiGroup.HttpApiGroup.AnyWithProps>>

/** A path of the contract and its methods. */
export interface Route {
  /** Path with parameter names, as in the contract; the only form of a path that metrics may contain. */
  readonly template: string
  readonly methods: ReadonlySet<string>
  readonly query: ReadonlyArray<string>
  /** Decodes the body up to the first issue; undefined if the handler reads the body itself. */
  readonly body: Schema.Schema<unknown> | undefined
}

export interface Match {
  readonly route: Route
  /** Normalized path, for the router and the handlers. */
  readonly path: string
  /** Values of the path parameters, decoded, in order. */
  readonly parameters: ReadonlyArray<string>
}

export interface Routes {
  /**
   * Finds the route of a path without query. Accepts one trailing slash and percent-encoded parameters, and no other
   * spelling, so that decisions by route hold for every request that reaches its handler.
   */
  readonly find: (path: string) => Match | undefined
}

/** Longest path parameter: enough for an address with all its aliases. */
export const maxParameter = 4096

/** Encoding makes a parameter at most three times as long; the rest is for the few other segments. */
const maxPath = 4 * maxParameter

const bare = (path: string) => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path)

const decoded = (segment: string): string | undefined =>
  Option.getOrUndefined(
    Option.filter(
      Either.getRight(Either.try(() => decodeURIComponent(segment))),
      ({ length }) => length <= maxParameter
    )
  )

const matching = (route: Route) => {
  const parts = route.template.split("/")
  return (segments: ReadonlyArray<string>): Match | undefined => {
    if (segments.length !== parts.length) return undefined
    const parameters: Array<string> = []
    const path: Array<string> = []
    for (const [index, part] of parts.entries()) {
      const segment = segments[index] ?? ""
      if (!part.startsWith(":")) {
        if (segment !== part) return undefined
        path.push(part)
        continue
      }
      const value = decoded(segment)
      if (value === undefined || value === "") return undefined
      parameters.push(value)
      path.push(encodeURIComponent(value))
    }
    return { route, path: path.join("/"), parameters }
  }
}

/** Decoding a value with very many issues takes much time and memory, so only the first issue is reported. */
const upToFirstIssue: ParseOptions = { errors: "first", onExcessProperty: "error" }

/** The schema of handlers that read the body themselves is only documentation and does not reject unknown members. */
const decodedBody = (schema: Option.Option<Schema.Schema.All>): Route["body"] =>
  schema.pipe(
    Option.filter(({ ast }) => Option.isSome(getParseOptionsAnnotation(ast))),
    Option.map(({ ast }) => Schema.make<unknown>(ast).annotations({ parseOptions: upToFirstIssue })),
    Option.getOrUndefined
  )

/** Finds routes without parameters by a map lookup; tries the few others in order. */
export const make = (served: ReadonlyArray<string>): Routes => {
  const methods = new Map<string, Set<string>>()
  const queries = new Map<string, ReadonlyArray<string>>()
  const bodies = new Map<string, Route["body"]>()
  const add = (method: string, template: string, hasHead = true) => {
    const known = methods.get(template) ?? new Set<string>()
    methods.set(template, known.add(method))
    if (method === "GET" && hasHead) known.add("HEAD")
  }
  for (const template of served) add("GET", template)
  for (const { endpoints } of Object.values(Api.groups as unknown as Groups))
    for (const { annotations, method, path, payloadSchema, urlParamsSchema } of Object.values(endpoints)) {
      add(method, path, mayBeRepeated(method, annotations))
      bodies.set(path, decodedBody(payloadSchema))
      queries.set(
        path,
        Option.match(urlParamsSchema, {
          onNone: () => Context.get(annotations, QueryMembers),
          onSome: ({ ast }) => getPropertySignatures(ast).map(({ name }) => String(name))
        })
      )
    }
  const routes = [...methods].map(
    ([template, set]): Route => ({
      template,
      methods: set,
      query: queries.get(template) ?? [],
      body: bodies.get(template)
    })
  )
  const fixed = new Map(
    routes
      .filter((route) => !route.template.includes(":"))
      .map((route): [string, Match] => [route.template, { route, path: route.template, parameters: [] }])
  )
  const patterns = routes.filter((route) => route.template.includes(":")).map(matching)
  return {
    find: (path) => {
      if (path.length > maxPath) return undefined
      const wanted = bare(path)
      const found = fixed.get(wanted)
      if (found !== undefined) return found
      const segments = wanted.split("/")
      for (const match of patterns) {
        const matched = match(segments)
        if (matched !== undefined) return matched
      }
      return undefined
    }
  }
}
