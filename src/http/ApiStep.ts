import type * as Headers from "@effect/platform/Headers"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpMethod from "@effect/platform/HttpMethod"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import type * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberRef from "effect/FiberRef"
import { constTrue } from "effect/Function"
import * as ParseResult from "effect/ParseResult"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as Schema from "effect/Schema"
import { NotFound, type Problem } from "../contract/Problem.ts"
import { maxDepth, schemaProblem, sizeProblem } from "../contract/problem/issues.ts"
import { CurrentTally } from "../kernel/Tally.ts"
import { CurrentHold } from "../kernel/Task.ts"
import { measure } from "../kernel/text/jsonText.ts"
import { maxAddresses } from "../settings/variables.ts"
import * as Cors from "./access/Cors.ts"
import type { CallState } from "./CallState.ts"
import { CurrentCall } from "./CurrentCall.ts"
import * as Deadlines from "./Deadlines.ts"
import { RequestContext } from "./RequestContext.ts"
import * as Query from "./request/Query.ts"
import { checked, readText, withText } from "./request/RequestBody.ts"
import type { Route } from "./request/Routes.ts"
import * as Finish from "./response/Finish.ts"
import * as Problems from "./response/Problems.ts"
import { ServerSettings } from "./ServerSettings.ts"

/** For a body with more values, only the first issue is reported. */
const maxDetailed = 200

/** Each address may be the only one of its network and have one more value; 100 is for the rest of the body. */
const maxValues = (maxAddresses: number) => 4 * maxAddresses + 100

/**
 * Rejects a body before the library decodes it, because the library collects every issue regardless of the size. A text
 * that is not JSON passes: the library reports the error.
 */
const bodyChecks = (maxAddresses: number) => {
  const max = maxValues(maxAddresses)
  return (text: string, schema: NonNullable<Route["body"]>): Effect.Effect<void, Problem> =>
    Effect.suspend((): Effect.Effect<void, Problem> => {
      const refused = sizeProblem(text, max)
      if (refused !== undefined) return refused
      if (measure(text, { depth: maxDepth, values: maxDetailed }).values <= maxDetailed) return Effect.void
      const value = Either.try(() => JSON.parse(text) as unknown)
      if (Either.isLeft(value)) return Effect.void
      return Schema.decodeUnknown(schema)(value.right).pipe(
        Effect.asVoid,
        Effect.mapError((error) => schemaProblem(ParseResult.ArrayFormatter.formatErrorSync(error)))
      )
    })
}

type ServerRequest = HttpServerRequest.HttpServerRequest
type ServerResponse = HttpServerResponse.HttpServerResponse

const middleware = Effect.gen(function* () {
  const { corsOrigins, requestDeadline } = yield* ServerSettings
  const sized = bodyChecks(yield* maxAddresses)
  const context = yield* RequestContext
  const finish = yield* Finish.make
  const within = yield* Deadlines.make(requestDeadline + Deadlines.grace)
  const cors = Cors.make(corsOrigins)

  const options = ({ headers }: ServerRequest, { route }: CallState): Effect.Effect<ServerResponse, Problem> => {
    const allowed = (headers: Headers.Input) => Effect.succeed(HttpServerResponse.empty({ status: 204, headers }))
    if (headers["access-control-request-method"] !== undefined) return allowed(cors.preflight(headers))
    return route === undefined
      ? new NotFound({ detail: "There is no such route." })
      : allowed({ allow: [...route.methods, "OPTIONS"].join(", ") })
  }

  /** The request as the router and the handlers see it. */
  const prepared = (request: ServerRequest, call: CallState, route: Route): Effect.Effect<ServerRequest, Problem> => {
    const { method, path, sentPath } = call
    const named = sentPath === path ? request : request.modify({ url: path + request.url.slice(sentPath.length) })
    if (!HttpMethod.hasBody(method as HttpMethod.HttpMethod)) return Effect.succeed(named)
    const schema = route.body
    return Effect.flatMap(checked(named, context.bodyLimits(call)), (readable) =>
      Effect.flatMap(readText(readable), (text) =>
        Effect.as(schema === undefined ? Effect.void : sized(text, schema), withText(readable, text))
      )
    )
  }

  const routed = (request: ServerRequest, call: CallState, app: HttpApp.Default<unknown>) =>
    Effect.suspend(() => {
      const { incoming, method, route } = call
      // The router would also match other spellings of a path, and treat every HEAD as a GET.
      if (route?.methods.has(method) !== true) return Problems.unrouted(route)
      return (
        Query.refusal(incoming.target, route.query) ??
        Effect.flatMap(
          prepared(request, call, route),
          (seen) =>
            context.slot(call) ??
            (seen === request ? app : Effect.provideService(app, HttpServerRequest.HttpServerRequest, seen))
        )
      )
    })

  return (app: HttpApp.Default): HttpApp.Default =>
    Effect.withFiberRuntime<ServerResponse, never, HttpServerRequest.HttpServerRequest>((fiber) => {
      const request = Context.unsafeGet(fiber.currentContext, HttpServerRequest.HttpServerRequest)
      const call = Context.unsafeGet(fiber.currentContext as Context.Context<unknown>, CurrentCall)
      const response = (call.method === "OPTIONS" ? options(request, call) : within(routed(request, call, app))).pipe(
        Effect.catchAllCause((cause) => Problems.fromCause(cause)),
        Effect.flatMap((found) => finish.inFiber(call, found, request.source as globalThis.Request)),
        Effect.onError(() => Effect.sync(() => context.release(call))),
        Effect.annotateLogs("requestId", call.id)
      ) as Effect.Effect<ServerResponse>
      return context.spans.around(call, response)
    })
})

/** Middleware of the HttpApi: all steps before and after a handler, in their order. */
export const layer = HttpApiBuilder.middleware(middleware)

/** Responds with the HttpApi. Turns off fiber metrics and the platform's spans, whose attributes contain the query. */
export const make = Effect.gen(function* () {
  const httpApp = yield* HttpApiBuilder.httpApp
  const runtime = yield* Effect.runtime<HttpRouter.HttpRouter.DefaultServices>()
  const routed = HttpApp.toWebHandlerRuntime(Runtime.disableRuntimeFlag(runtime, RuntimeFlags.RuntimeMetrics))(httpApp)
  const context = yield* RequestContext
  const scheduler = yield* FiberRef.get(FiberRef.currentScheduler)
  // The scheduler starts requests too: if a thousand arrive in one turn of the event loop, they start in several.
  return (request: Request, call: CallState) =>
    new Promise<Response>((resolve) => {
      const services = Context.make(CurrentCall, call).pipe(
        Context.add(CurrentHold, () => context.keep(call)),
        Context.add(CurrentTally, call.tally)
      )
      // The router notices only clients that disconnect later. The client does not receive this response.
      const begin = () => {
        if (!request.signal.aborted) return routed(request, services as Context.Context<never>)
        context.ended(call, 499, 0)
        return new Response(null, { status: 499 })
      }
      scheduler.scheduleTask(() => resolve(begin()), 0)
    })
}).pipe(Effect.locally(HttpMiddleware.currentTracerDisabledWhen, constTrue))
