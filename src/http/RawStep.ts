import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Deadlines from "./Deadlines.ts"
import { RawRoutes } from "./RawRoutes.ts"
import { type CallState, RequestContext } from "./RequestContext.ts"
import * as Query from "./request/Query.ts"
import * as RequestBody from "./request/RequestBody.ts"
import * as Finish from "./response/Finish.ts"
import * as Problems from "./response/Problems.ts"
import { ServerSettings } from "./ServerSettings.ts"

/**
 * Answers the routes of {@link RawRoutes} as the HttpApi would, in one fiber of its own, which goes on when the client
 * leaves; undefined for all other routes.
 */
export class RawStep extends Context.Tag("http/RawStep")<
  RawStep,
  (request: Request, call: CallState) => Promise<Response> | undefined
>() {
  static readonly layer = Layer.scoped(
    RawStep,
    Effect.gen(function* () {
      const { maxBodyBytes, requestDeadline } = yield* ServerSettings
      const { find } = yield* RawRoutes
      const context = yield* RequestContext
      const finish = yield* Finish.make
      const within = yield* Deadlines.make(requestDeadline + Deadlines.grace)
      const run = yield* FiberSet.makeRuntime<never>()

      return (request, call) => {
        const { method, parameters, route } = call
        if (method !== "POST" || route === undefined) return undefined
        const handler = find(method, route.template, parameters)
        if (handler === undefined) return undefined
        const finished = <E>(response: Effect.Effect<Parameters<typeof finish>[1], E>) =>
          Effect.withFiberRuntime<Response, E>((fiber) =>
            response.pipe(
              Effect.flatMap((found) => finish(call, found, request, fiber.id())),
              Effect.map((complete) => HttpServerResponse.toWeb(complete))
            )
          )
        const admitted = Effect.suspend(
          () =>
            context.admission(call) ??
            Query.refusal(call.incoming.target, route.query) ??
            context.counting(call, handler(RequestBody.text(request, maxBodyBytes)))
        )
        const response = context.spans.around(call, finished(within(admitted)))
        const failed = (cause: Cause.Cause<unknown>) =>
          finished(Effect.annotateLogs(Problems.fromCause(cause), "requestId", call.id))
        return new Promise((resolve, reject) => {
          // A fiber that was interrupted at the deadline returns no response any more: another one says why it ended.
          run(Effect.interruptible(response)).addObserver(
            Exit.match({
              onSuccess: resolve,
              onFailure: (cause) =>
                run(failed(cause)).addObserver(
                  Exit.match({
                    onSuccess: resolve,
                    onFailure: (defect) => {
                      context.release(call)
                      reject(Cause.squash(defect))
                    }
                  })
                )
            })
          )
        })
      }
    })
  )
}
