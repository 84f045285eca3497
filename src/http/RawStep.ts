import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Task from "../kernel/Task.ts"
import { type TimeLimit, timeLimit, timer } from "../kernel/timeout.ts"
import type { CallState } from "./CallState.ts"
import * as Deadlines from "./Deadlines.ts"
import { type DirectResponse, type RawHandler, RawRoutes } from "./RawRoutes.ts"
import { RequestContext } from "./RequestContext.ts"
import * as Query from "./request/Query.ts"
import * as RequestBody from "./request/RequestBody.ts"
import * as Finish from "./response/Finish.ts"
import * as Problems from "./response/Problems.ts"
import { ServerSettings } from "./ServerSettings.ts"

/**
 * Responds to the routes of {@link RawRoutes} as the HttpApi would, without its router; undefined for all other routes.
 * Starts a fiber only for a step that needs one. If the client disconnects, cancels the handler's task.
 */
export class RawStep extends Context.Tag("http/RawStep")<
  RawStep,
  (request: Request, call: CallState) => Promise<Response> | undefined
>() {
  static readonly layer = Layer.scoped(
    RawStep,
    Effect.gen(function* () {
      const { requestDeadline } = yield* ServerSettings
      const { find } = yield* RawRoutes
      const context = yield* RequestContext
      const clock = yield* Effect.clock
      const finish = yield* Finish.make
      const ofEffect = Task.fromEffect(yield* FiberSet.makeRuntime<never>())
      const after = yield* timeLimit(requestDeadline + Deadlines.grace)

      /** Builds the responses that need a fiber: compressed responses and failures. */
      const finished = (request: Request, call: CallState, exit: Exit.Exit<DirectResponse, unknown>) =>
        (Exit.isSuccess(exit) ? Effect.succeed(Finish.toPlatform(exit.value)) : Problems.fromCause(exit.cause)).pipe(
          Effect.annotateLogs("requestId", call.id),
          Effect.flatMap((found) => finish.inFiber(call, found, request)),
          Effect.map((complete) => HttpServerResponse.toWeb(complete))
        )

      /** Reads a body in a fiber that counts its bytes. If interrupted, releases what the request has reserved. */
      const counting =
        (call: CallState): Task.OfEffect =>
        (body) =>
          ofEffect(Effect.onInterrupt(body, () => Effect.sync(() => context.release(call))))

      /** The handler's work. If it continues without the client or after the deadline, what the request holds is kept. */
      const accounted =
        (call: CallState, work: ReturnType<RawHandler>): ReturnType<RawHandler> =>
        (done) => {
          const cancel = work(done)
          return () => cancel(() => context.keep(call))
        }

      const respond = (
        request: Request,
        call: CallState,
        route: NonNullable<CallState["route"]>,
        handler: RawHandler
      ) =>
        new Promise<Response>((resolve, reject) => {
          context.spans.open(call)
          const refused = Query.refusal(call.incoming.target, route.query)
          const found = refused
            ? Task.ended(Exit.fail(refused))
            : Task.flatMap(RequestBody.text(request, context.bodyLimits(call), counting(call)), (text) => {
                const overloaded = context.slot(call)
                return overloaded
                  ? Task.ended(Exit.fail(overloaded))
                  : accounted(call, handler(call.parameters, text, context.countBatchCalls(call), call.identity.client))
              })
          const defective = (defect: Cause.Cause<unknown>) => {
            context.release(call)
            reject(Cause.squash(defect))
          }
          Task.limited(
            aborted(request, clock),
            Task.limited(after, found, Deadlines.exceeded),
            disconnected
          )((exit) => {
            const direct = Exit.isSuccess(exit) ? finish.directly(call, exit.value, request) : undefined
            if (direct !== undefined) resolve(direct)
            else ofEffect(finished(request, call, exit))(Exit.match({ onSuccess: resolve, onFailure: defective }))
          })
        })

      return (request, call) => {
        const { method, route } = call
        const handler = method === "POST" && route !== undefined ? find(route.template) : undefined
        return handler && route && respond(request, call, route, handler)
      }
    })
  )
}

/** Time from which a disconnected client is noticed, ms: the runtime's signal costs more than most calls take. */
const noticedAfter = 100

/** Calls back if the client disconnects. */
const aborted =
  (request: Request, clock: Clock.Clock): TimeLimit =>
  (onAbort) => {
    let stop = timer(clock, noticedAfter, () => {
      const { signal } = request
      if (signal.aborted) return onAbort()
      signal.addEventListener("abort", onAbort)
      stop = () => signal.removeEventListener("abort", onAbort)
    })
    return () => stop()
  }

const disconnected = (): Exit.Exit<never> => Exit.interrupt(HttpServerError.clientAbortFiberId)
