import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Deadlines from "./Deadlines.ts"
import * as Finish from "./Finish.ts"
import * as Problems from "./Problems.ts"
import * as Query from "./Query.ts"
import { RawRoutes } from "./RawRoutes.ts"
import * as RequestBody from "./RequestBody.ts"
import { RequestContext } from "./RequestContext.ts"
import { targetOf } from "./response/ResponseCache.ts"
import { ServerSettings } from "./ServerSettings.ts"

/**
 * Answers the routes of {@link RawRoutes} as the edge would, in one fiber of its own, which goes on when the client
 * leaves; undefined for all else, which then has not been counted yet.
 */
export class Direct extends Context.Tag("http/Direct")<
  Direct,
  { readonly answer: (request: Request, address: () => string) => Promise<Response> | undefined }
>() {
  static readonly layer = Layer.scoped(
    Direct,
    Effect.gen(function* () {
      const { maxBodyBytes, requestDeadline } = yield* ServerSettings
      const { find } = yield* RawRoutes
      const envelope = yield* RequestContext
      const finished = yield* Finish.make
      const within = yield* Deadlines.make(requestDeadline + Deadlines.grace)
      const run = yield* FiberSet.makeRuntime<never>()

      return {
        answer: (request, address) => {
          if (request.method !== "POST") return undefined
          const { headers, method } = request
          const header = (name: string) => headers.get(name) ?? undefined
          const target = targetOf(request.url)
          const call = envelope.begin({ method, target, header, address })
          const { route } = call
          const answered = route === undefined ? undefined : find(method, route.template, call.parameters)
          if (route === undefined || answered === undefined) return undefined
          const sent = <E>(answer: Effect.Effect<Parameters<typeof finished>[1], E>) =>
            Effect.withFiberRuntime<Response, E>((fiber) =>
              answer.pipe(
                Effect.flatMap((found) => finished(call, found, request, fiber.id())),
                Effect.map((complete) => HttpServerResponse.toWeb(complete))
              )
            )
          const response = envelope.spans.around(
            call,
            sent(
              within(
                Effect.suspend(
                  () =>
                    envelope.admission(call) ??
                    Query.refusal(target, route.query) ??
                    envelope.counting(call, answered(RequestBody.text(request, maxBodyBytes)))
                )
              )
            )
          )
          const failed = (cause: Cause.Cause<unknown>) =>
            sent(Effect.annotateLogs(Problems.fromCause(cause), "requestId", call.id))
          return new Promise((resolve, reject) => {
            // A fiber that was interrupted at the deadline comes to no answer any more: why it ended, another one says.
            run(Effect.interruptible(response)).addObserver(
              Exit.match({
                onSuccess: resolve,
                onFailure: (cause) =>
                  run(failed(cause)).addObserver(
                    Exit.match({
                      onSuccess: resolve,
                      onFailure: (defect) => {
                        envelope.release(call)
                        reject(Cause.squash(defect))
                      }
                    })
                  )
              })
            )
          })
        }
      }
    })
  )
}
