import * as Headers from "@effect/platform/Headers"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpMethod from "@effect/platform/HttpMethod"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { chartPrefix, namedPrefix } from "../api/openapi.ts"
import { NotFound, Problem } from "../api/Problem.ts"
import * as Compression from "./Compression.ts"
import * as Cors from "./Cors.ts"
import * as Deadlines from "./Deadlines.ts"
import * as Documents from "./Documents.ts"
import * as Gate from "./Gate.ts"
import { Health } from "./Health.ts"
import * as Metrics from "./Metrics.ts"
import { Mode } from "./Mode.ts"
import * as Problems from "./Problems.ts"
import { checked } from "./RequestBody.ts"
import * as Routes from "./Routes.ts"
import { ServerSettings } from "./ServerSettings.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** What is known of a request before anything is done for it. */
interface Call {
  readonly request: Request
  readonly id: string
  readonly method: string
  /** As the contract writes it: with `app` for the configured name. */
  readonly path: string
  readonly route: Routes.Route | undefined
  readonly started: bigint
}

/** Use cases answer at the deadline with what they have; only what overstays it as well is cut off. */
const grace = 500

const saneId = /^[A-Za-z0-9._~-]{1,64}$/

const pathOf = (url: string) => {
  const query = url.indexOf("?")
  return query === -1 ? url : url.slice(0, query)
}

const isBelow = (path: string, prefix: string) =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/")

/** The contract's path of a request's path: undefined for the contract's own name of a route that has another one. */
const contractPath = (appName: string) => {
  const prefix = namedPrefix(appName)
  return (path: string) => {
    if (isBelow(path, prefix)) return chartPrefix + path.slice(prefix.length)
    return isBelow(path, chartPrefix) ? undefined : path
  }
}

const maxLoggedPath = 500

/** One line a request. No query and no header: they may hold transactions and keys. */
const logged = ({ method, request, route }: Call, response: Response, milliseconds: number) =>
  Effect.annotateLogs(Effect.logInfo("request"), {
    method,
    path: pathOf(request.url).slice(0, maxLoggedPath),
    route: route?.template ?? "unmatched",
    status: response.status,
    ms: milliseconds,
    ...(response.body._tag === "Stream" ? {} : { bytes: response.body.contentLength ?? 0 })
  })

const traced = (call: Call, answer: Effect.Effect<Response>) =>
  Effect.withSpan(answer, `${call.method} ${call.route?.template ?? "unmatched"}`, {
    kind: "server",
    captureStackTrace: false,
    attributes: { "http.request.method": call.method, "http.route": call.route?.template ?? "unmatched" },
    parent: Option.getOrUndefined(HttpTraceContext.fromHeaders(call.request.headers))
  })

const make = Effect.gen(function* () {
  const { appName, corsOrigins, maxBodyBytes, requestDeadline } = yield* ServerSettings
  const health = yield* Health
  const mode = yield* Mode
  const clock = yield* Effect.clock
  const gate = yield* Gate.make
  const observe = yield* Metrics.httpMetrics
  const within = yield* Deadlines.make(requestDeadline + grace)
  const cors = Cors.make(corsOrigins)
  const routes = Routes.make(Documents.paths)
  const inContract = contractPath(appName)
  const always = { "x-content-type-options": "nosniff", ...(mode.sandbox ? { "x-sandbox": "true" } : {}) }

  const begin = (request: Request): Call => {
    const given = request.headers["x-request-id"]
    const path = inContract(pathOf(request.url))
    return {
      request,
      id: given !== undefined && saneId.test(given) ? given : crypto.randomUUID(),
      method: request.method,
      path: path ?? "",
      route: path === undefined ? undefined : routes.find(path),
      started: clock.unsafeCurrentTimeNanos()
    }
  }

  const options = ({ request, route }: Call): Effect.Effect<Response, Problem> => {
    if (request.headers["access-control-request-method"] !== undefined) {
      return Effect.succeed(HttpServerResponse.empty({ status: 204, headers: cors.preflight(request.headers) }))
    }
    return route === undefined
      ? new NotFound({ detail: "There is no such route." })
      : Effect.succeed(
          HttpServerResponse.empty({ status: 204, headers: { allow: [...route.methods, "OPTIONS"].join(", ") } })
        )
  }

  /** The request as the router and the handlers see it. */
  const prepared = ({ method, path, request, route }: Call): Effect.Effect<Request, Problem> => {
    const known = pathOf(request.url)
    const named = known === path ? request : request.modify({ url: path + request.url.slice(known.length) })
    return HttpMethod.hasBody(method as HttpMethod.HttpMethod) && route?.methods.has(method) === true
      ? checked(named, maxBodyBytes)
      : Effect.succeed(named)
  }

  const answered = (call: Call, app: HttpApp.Default<unknown>) =>
    Effect.zipRight(
      gate(call.request, call.path),
      Effect.flatMap(prepared(call), (request) =>
        request === call.request ? app : Effect.provideService(app, HttpServerRequest.HttpServerRequest, request)
      )
    )

  const finished = (call: Call, answer: Response | Problem, stopping: boolean): Effect.Effect<Response> => {
    const response = answer instanceof Problem ? Problems.respond(answer, call.id) : answer
    const headers = cors.headers(call.request.headers.origin)
    const complete = HttpServerResponse.setHeaders(
      response,
      Headers.fromInput({
        ...headers,
        ...always,
        ...(stopping ? { connection: "close" } : {}),
        "x-request-id": call.id
      })
    )
    return Effect.tap(Compression.apply(complete, call.request.headers["accept-encoding"]), (sent) => {
      const elapsed = Number(clock.unsafeCurrentTimeNanos() - call.started)
      observe(call.method, call.route?.template ?? "unmatched", sent.status, elapsed / 1e9)
      return logged(call, sent, Math.round(elapsed / 1e5) / 10)
    })
  }

  return (app: HttpApp.Default): HttpApp.Default =>
    Effect.withFiberRuntime<Response, never, HttpServerRequest.HttpServerRequest>((fiber) => {
      const call = begin(Context.unsafeGet(fiber.currentContext, HttpServerRequest.HttpServerRequest))
      const answer = (call.method === "OPTIONS" ? options(call) : within(answered(call, app))).pipe(
        Effect.catchAllCause((cause) => Problems.fromCause(cause, call.method, call.route)),
        Effect.flatMap((found) => Effect.flatMap(health.state, (state) => finished(call, found, state === "stopping"))),
        Effect.annotateLogs("requestId", call.id)
      ) as Effect.Effect<Response>
      return mode.tracing === true ? traced(call, answer) : answer
    })
})

/** All that happens to every request around its handler, in this one place and order. */
export const layer = HttpApiBuilder.middleware(make)
