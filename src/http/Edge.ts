import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpMethod from "@effect/platform/HttpMethod"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { NotFound, type Problem } from "../contract/Problem.ts"
import { maxAddresses } from "../settings/MaxAddresses.ts"
import { ClientAddress } from "./AccessControl.ts"
import * as Cors from "./Cors.ts"
import * as Deadlines from "./Deadlines.ts"
import * as Finish from "./Finish.ts"
import * as JsonBody from "./JsonBody.ts"
import * as Problems from "./Problems.ts"
import * as Query from "./Query.ts"
import { checked, unfinished } from "./RequestBody.ts"
import { type CallState, RequestContext } from "./RequestContext.ts"
import type { Route } from "./Routes.ts"
import { ServerSettings } from "./ServerSettings.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const unknown = () => "unknown"

const askedBy = (request: Request, fiber: Fiber.RuntimeFiber<Response>) => ({
  method: request.method,
  target: request.url,
  header: (name: string) => request.headers[name],
  address: () => Context.getOrElse(fiber.currentContext as Context.Context<ClientAddress>, ClientAddress, unknown)
})

const make = Effect.gen(function* () {
  const { corsOrigins, maxBodyBytes, requestDeadline } = yield* ServerSettings
  const sized = JsonBody.make(yield* maxAddresses)
  const envelope = yield* RequestContext
  const finished = yield* Finish.make
  const within = yield* Deadlines.make(requestDeadline + Deadlines.grace)
  const cors = Cors.make(corsOrigins)

  const options = ({ headers }: Request, { route }: CallState): Effect.Effect<Response, Problem> => {
    if (headers["access-control-request-method"] !== undefined) {
      return Effect.succeed(HttpServerResponse.empty({ status: 204, headers: cors.preflight(headers) }))
    }
    return route === undefined
      ? new NotFound({ detail: "There is no such route." })
      : Effect.succeed(
          HttpServerResponse.empty({ status: 204, headers: { allow: [...route.methods, "OPTIONS"].join(", ") } })
        )
  }

  /** The request as the router and the handlers see it. */
  const prepared = (
    request: Request,
    { method, path, sentPath }: CallState,
    route: Route
  ): Effect.Effect<Request, Problem> => {
    const named = sentPath === path ? request : request.modify({ url: path + request.url.slice(sentPath.length) })
    if (!HttpMethod.hasBody(method as HttpMethod.HttpMethod)) return Effect.succeed(named)
    const body = checked(named, maxBodyBytes)
    const schema = route.body
    return schema === undefined
      ? body
      : Effect.tap(body, ({ text }) =>
          Effect.flatMap(Effect.mapError(text, unfinished), (found) => sized(found, schema))
        )
  }

  const answered = (request: Request, call: CallState, app: HttpApp.Default<unknown>) =>
    Effect.suspend(() => {
      const { asked, method, route } = call
      const refused = envelope.admission(call)
      if (refused !== undefined) return refused
      // The router would find routes under other spellings of their paths, and take a HEAD for a GET everywhere.
      if (route?.methods.has(method) !== true) return Problems.unrouted(route)
      return (
        Query.refusal(asked.target, route.query) ??
        Effect.flatMap(prepared(request, call, route), (seen) =>
          envelope.counting(
            call,
            seen === request ? app : Effect.provideService(app, HttpServerRequest.HttpServerRequest, seen)
          )
        )
      )
    })

  return (app: HttpApp.Default): HttpApp.Default =>
    Effect.withFiberRuntime<Response, never, HttpServerRequest.HttpServerRequest>((fiber) => {
      const request = Context.unsafeGet(fiber.currentContext, HttpServerRequest.HttpServerRequest)
      const call = envelope.begin(askedBy(request, fiber))
      const answer = (call.method === "OPTIONS" ? options(request, call) : within(answered(request, call, app))).pipe(
        Effect.catchAllCause((cause) => Problems.fromCause(cause)),
        Effect.flatMap((found) => finished(call, found, request.source as globalThis.Request, fiber.id())),
        Effect.onError(() => Effect.sync(() => envelope.release(call))),
        Effect.annotateLogs("requestId", call.id)
      ) as Effect.Effect<Response>
      return envelope.spans.around(call, answer)
    })
})

/** All that happens to every request around its handler, in this one place and order. */
export const layer = HttpApiBuilder.middleware(make)
