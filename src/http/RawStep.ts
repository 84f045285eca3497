import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as TimeLimit from "../kernel/TimeLimit.ts"
import * as Deadlines from "./Deadlines.ts"
import { Mode } from "./Mode.ts"
import { RawRoutes } from "./RawRoutes.ts"
import { type CallState, RequestContext } from "./RequestContext.ts"
import * as Query from "./request/Query.ts"
import * as RequestBody from "./request/RequestBody.ts"
import * as DirectFinish from "./response/DirectFinish.ts"
import * as Finish from "./response/Finish.ts"
import * as Problems from "./response/Problems.ts"
import { ServerSettings } from "./ServerSettings.ts"

/**
 * Responds to the routes of {@link RawRoutes} as the HttpApi would, without its router, and without a fiber where the route
 * needs none and nothing is unusual about the request; undefined for all other routes. Goes on when the client leaves.
 */
export class RawStep extends Context.Tag("http/RawStep")<
  RawStep,
  (request: Request, call: CallState) => Promise<Response> | undefined
>() {
  static readonly layer = Layer.scoped(
    RawStep,
    Effect.gen(function* () {
      const { maxBodyBytes, requestDeadline } = yield* ServerSettings
      const { tracing = 0 } = yield* Mode
      const { find } = yield* RawRoutes
      const context = yield* RequestContext
      const finish = yield* Finish.make
      const finishDirect = yield* DirectFinish.make
      const limit = yield* TimeLimit.make(requestDeadline + Deadlines.grace)
      const within = Deadlines.over(limit)
      const run = yield* FiberSet.makeRuntime<never>()

      type Respond = (response: Response) => void

      const ended = (
        request: Request,
        call: CallState,
        response: Effect.Effect<Parameters<typeof finish>[1], unknown>,
        resolve: Respond,
        reject: (defect: unknown) => void
      ): void => {
        const finished = <E>(found: Effect.Effect<Parameters<typeof finish>[1], E>) =>
          Effect.withFiberRuntime<Response, E>((fiber) =>
            found.pipe(
              Effect.flatMap((value) => finish(call, value, request, fiber.id())),
              Effect.map((complete) => HttpServerResponse.toWeb(complete))
            )
          )
        const failed = (cause: Cause.Cause<unknown>) =>
          finished(Effect.annotateLogs(Problems.fromCause(cause), "requestId", call.id))
        // A fiber that was interrupted at the deadline returns no response any more: another one says why it ended.
        run(Effect.interruptible(context.spans.around(call, finished(response)))).addObserver(
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
      }

      return (request, call) => {
        const { method, parameters, route } = call
        if (method !== "POST" || route === undefined) return undefined
        const handler = find(method, route.template, parameters)
        if (handler === undefined) return undefined
        const refusal = () => context.admission(call) ?? Query.refusal(call.incoming.target, route.query)
        const responded = (body: Effect.Effect<string, unknown>) => context.counting(call, handler.respond(body))

        return new Promise((resolve, reject) => {
          const byFiber = (response: Parameters<typeof ended>[2]) => ended(request, call, response, resolve, reject)
          // A span has all that is done for its request in its fiber.
          if (tracing > 0)
            return byFiber(
              within(Effect.suspend(() => refusal() ?? responded(RequestBody.text(request, maxBodyBytes))))
            )
          const refused = refusal()
          if (refused !== undefined) return byFiber(refused)
          const text = RequestBody.promised(request, maxBodyBytes)
          if (text === undefined) return byFiber(within(responded(RequestBody.text(request, maxBodyBytes))))

          let isOver = false
          const over = (): boolean => {
            const before = isOver
            isOver = true
            inTime()
            return before
          }
          const inTime = limit.after(() => {
            if (!over()) byFiber(Deadlines.exceeded)
          })
          text
            .then(
              (body) => {
                if (isOver) return
                const task = handler.direct(body)
                if (task === undefined) {
                  over()
                  return byFiber(within(responded(Effect.succeed(body))))
                }
                task((exit) => {
                  if (over()) return
                  const response = Exit.isSuccess(exit) ? finishDirect(call, exit.value, request) : undefined
                  if (response === undefined) byFiber(DirectFinish.platform(exit))
                  else resolve(response)
                })
              },
              () => over() || byFiber(RequestBody.unfinished())
            )
            .catch(reject)
        })
      }
    })
  )
}
