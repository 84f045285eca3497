import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Context from "effect/Context"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { getParseOptionsAnnotation, getPropertySignatures, type ParseOptions } from "effect/SchemaAST"
import { Api } from "../../contract/Api.ts"
import { HasSideEffect, QueryMembers } from "../../contract/wire.ts"

/** What is read of them, as the library itself reads it. */
type Groups = Readonly<Record<string, HttpApiGroup.HttpApiGroup.AnyWithProps>>

/** One address of the contract and the methods it has. */
export interface Route {
  /** The path as the contract writes it; the only form of a path that metrics may carry. */
  readonly template: string
  readonly methods: ReadonlySet<string>
  /** The parameters of its query. */
  readonly query: ReadonlyArray<string>
  /** What its body must be, decoded up to the first issue; undefined where its handler reads the body itself. */
  readonly body: Schema.Schema<unknown> | undefined
}

/** A path that leads to a route. */
export interface Match {
  readonly route: Route
  /** The one spelling of the path that the router and the handlers see. */
  readonly path: string
  /** The values of its parameters, decoded, in order. */
  readonly parameters: ReadonlyArray<string>
}

export interface Routes {
  /**
   * Where a path without query leads. One trailing slash does not matter and parameters may be percent-encoded; nothing
   * else has a second spelling, so that all that is decided by the route holds for whatever the handler is reached by.
   */
  readonly find: (path: string) => Match | undefined
}

/** A path parameter may be as long as an address with all its aliases. */
export const maxParameter = 4096

/** Encoded characters are at most three times as many, with a slash for each of the few segments. */
const maxPath = 4 * maxParameter

const bare = (path: string) => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path)

const decoded = (segment: string): string | undefined =>
  Option.getOrUndefined(
    Option.filter(
      Either.getRight(Either.try(() => decodeURIComponent(segment))),
      ({ length }) => length <= maxParameter
    )
  )

/** Matches paths with this template. */
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

/** Decoding a value that has very many things wrong with it takes long and a lot of memory: the first is enough. */
const upToFirstIssue: ParseOptions = { errors: "first", onExcessProperty: "error" }

/** Handlers that read the body themselves have a schema for the documentation alone, which refuses no unknown members. */
const decodedBody = (schema: Option.Option<Schema.Schema.All>): Route["body"] =>
  schema.pipe(
    Option.filter(({ ast }) => Option.isSome(getParseOptionsAnnotation(ast))),
    Option.map(({ ast }) => Schema.make<unknown>(ast).annotations({ parseOptions: upToFirstIssue })),
    Option.getOrUndefined
  )

/** Routes without parameters are found by their text, the few others one after the other. */
export const make = (served: ReadonlyArray<string>): Routes => {
  const methods = new Map<string, Set<string>>()
  const queries = new Map<string, ReadonlyArray<string>>()
  const bodies = new Map<string, Route["body"]>()
  const add = (method: string, template: string, acts = false) => {
    const known = methods.get(template) ?? new Set<string>()
    methods.set(template, known.add(method))
    if (method === "GET" && !acts) known.add("HEAD")
  }
  for (const template of served) add("GET", template)
  for (const { endpoints } of Object.values(Api.groups as unknown as Groups))
    for (const { annotations, method, path, payloadSchema, urlParamsSchema } of Object.values(endpoints)) {
      add(method, path, Context.get(annotations, HasSideEffect))
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
