import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Fibers from "../kernel/Fibers.ts"
import * as TimeLimit from "../kernel/TimeLimit.ts"
import * as Deadlines from "./Deadlines.ts"
import { Mode } from "./Mode.ts"
import { type RawHandler, RawRoutes } from "./RawRoutes.ts"
import { type CallState, RequestContext } from "./RequestContext.ts"
import * as Query from "./request/Query.ts"
import * as RequestBody from "./request/RequestBody.ts"
import type { Route } from "./request/Routes.ts"
import * as Finish from "./response/Finish.ts"
import * as Problems from "./response/Problems.ts"
import { ServerSettings } from "./ServerSettings.ts"

/** A request, what responds to it, and where its response goes. */
interface Exchange {
  readonly request: Request
  readonly route: Route
  readonly handler: RawHandler
  readonly call: CallState
  readonly resolve: (response: Response) => void
  readonly reject: (defect: unknown) => void
}

/** Runs what responds to a request in a fiber of its own, and finishes its response. */
const inFiber = Effect.gen(function* () {
  const context = yield* RequestContext
  const finish = yield* Finish.make
  const run = yield* Fibers.make()

  return (
    { call, reject, request, resolve }: Exchange,
    answer: Effect.Effect<Problems.ProblemOrResponse, unknown>
  ): void => {
    const finished = <E>(found: Effect.Effect<Problems.ProblemOrResponse, E>) =>
      Effect.withFiberRuntime<Response, E>((fiber) =>
        found.pipe(
          Effect.flatMap((value) => finish.inFiber(call, value, request, fiber.id())),
          Effect.map((complete) => HttpServerResponse.toWeb(complete))
        )
      )
    const failed = (cause: Cause.Cause<unknown>) =>
      finished(Effect.annotateLogs(Problems.fromCause(cause), "requestId", call.id))
    const onDefect = (defect: Cause.Cause<unknown>) => {
      context.release(call)
      reject(Cause.squash(defect))
    }
    // A fiber that was interrupted at the deadline returns no response any more: another one says why it ended.
    run(Effect.interruptible(context.spans.around(call, finished(answer)))).addObserver(
      Exit.match({
        onSuccess: resolve,
        onFailure: (cause) => run(failed(cause)).addObserver(Exit.match({ onSuccess: resolve, onFailure: onDefect }))
      })
    )
  }
})

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
      const { requestDeadline } = yield* ServerSettings
      const { tracing = 0 } = yield* Mode
      const { find } = yield* RawRoutes
      const context = yield* RequestContext
      const finish = yield* Finish.make
      const limit = yield* TimeLimit.make(requestDeadline + Deadlines.grace)
      const within = Deadlines.over(limit)
      const byFiber = yield* inFiber

      const refusalOf = ({ call, route }: Exchange) => call.refused ?? Query.refusal(call.incoming.target, route.query)

      const responded = ({ call, handler }: Exchange, body: Effect.Effect<string, unknown>) =>
        within(context.counting(call, handler.respond(call.parameters, body)))

      const inText = (exchange: Exchange) => {
        const text = RequestBody.text(exchange.request, context.bodyLimits(exchange.call))
        return responded(
          exchange,
          Effect.tap(text, () => context.slot(exchange.call))
        )
      }

      /** Goes on with the text of a body, in a fiber where the request needs one. */
      const directly = (exchange: Exchange, body: Promise<string>): void => {
        const { call, handler, reject, request, resolve } = exchange
        let isOver = false
        /** Whether there was an outcome before; the first one counts. */
        const over = (): boolean => {
          const before = isOver
          isOver = true
          inTime()
          return before
        }
        const inTime = limit.after(() => {
          if (!over()) byFiber(exchange, Deadlines.exceeded)
        })
        const read = (text: string): void => {
          if (isOver) return
          const refused = context.slot(call)
          const task = refused === undefined ? handler.direct(call.parameters, text) : undefined
          if (task === undefined) {
            over()
            byFiber(exchange, refused ?? responded(exchange, Effect.succeed(text)))
            return
          }
          task((exit) => {
            if (over()) return
            const response = Exit.isSuccess(exit) ? finish.directly(call, exit.value, request) : undefined
            if (response === undefined) byFiber(exchange, Effect.map(exit, Finish.toPlatform))
            else resolve(response)
          })
        }
        const unread = () => {
          if (!over()) byFiber(exchange, RequestBody.unfinished())
        }
        body.then(read, unread).catch((defect) => {
          if (!over()) return byFiber(exchange, Effect.die(defect))
          context.release(call)
          reject(defect)
        })
      }

      const respond = (exchange: Exchange): void => {
        // All that is done for a request with a span is in the fiber of that span.
        const first = tracing > 0 ? Effect.suspend(() => refusalOf(exchange) ?? inText(exchange)) : refusalOf(exchange)
        const body =
          first === undefined ? RequestBody.promised(exchange.request, context.bodyLimits(exchange.call)) : undefined
        if (body instanceof Promise) directly(exchange, body)
        else byFiber(exchange, first ?? body ?? inText(exchange))
      }

      return (request, call) => {
        const { method, route } = call
        if (method !== "POST" || route === undefined) return undefined
        const handler = find(method, route.template)
        return handler && new Promise((resolve, reject) => respond({ request, call, route, handler, resolve, reject }))
      }
    })
  )
}
