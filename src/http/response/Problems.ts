import * as HttpApiError from "@effect/platform/HttpApiError"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HashSet from "effect/HashSet"
import * as Option from "effect/Option"
import {
  contentType,
  DeadlineExceeded,
  document,
  Internal,
  MethodNotAllowed,
  NotFound,
  Problem,
  ShuttingDown
} from "../../contract/Problem.ts"
import { invalid, notJson, schemaProblem } from "../../contract/problem/issues.ts"
import { deadlineId } from "../Deadlines.ts"
import type { Route } from "../request/Routes.ts"

export const respond = (problem: Problem, requestId: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson(document(problem, requestId), {
    status: problem.status,
    contentType,
    ...(problem.headers === undefined ? {} : { headers: problem.headers })
  })

/** Hides the details of an internal error from the client; the log has them under the request's id. */
export const internal = () =>
  new Internal({ detail: "Something went wrong inside the service; its log has the details." })

/**
 * True if encoding a response failed: it raises the same error as decoding a request, but only the encoding of a
 * response has no name in the contract's schemas.
 */
const isEncoding = (error: HttpApiError.HttpApiDecodeError) => error.message.startsWith("(<declaration schema> <-> ")

/** The body is missing or is not JSON. */
const unreadable = (error: HttpServerError.RequestError): Effect.Effect<Problem> =>
  error.request.text.pipe(
    Effect.orElseSucceed(() => ""),
    Effect.map((text) => invalid([notJson(text, error.cause instanceof Error ? error.cause.message : undefined)]))
  )

/** 404 for an unknown path, 405 for a method that the route does not have. */
export const unrouted = (route: Route | undefined): Problem => {
  if (route === undefined)
    return new NotFound({ detail: "There is no such route; GET /openapi.json lists all of them." })
  const allow = [...route.methods, "OPTIONS"].join(", ")
  return new MethodNotAllowed({ detail: `The route allows only ${allow}.`, headers: { allow } })
}

/** The client has closed the connection. */
const unread = HttpServerResponse.empty({ status: 499 })

export type ProblemOrResponse = Problem | HttpServerResponse.HttpServerResponse

const interrupted = (cause: Cause.Cause<unknown>): ProblemOrResponse => {
  const by = Cause.interruptors(cause)
  if (HashSet.has(by, deadlineId))
    // Closes the connection: the rest of the request's body may never arrive.
    return new DeadlineExceeded({ detail: "The response was not ready in time.", headers: { connection: "close" } })
  if (HashSet.has(by, HttpServerError.clientAbortFiberId)) return unread
  return new ShuttingDown({ detail: "The service stopped before the response was ready." })
}

const faulty = (cause: Cause.Cause<unknown>) =>
  Effect.as(Effect.logError("A request failed with an internal error", cause), internal())

/** Maps the cause that ended a request without a response to a problem for the client. Logs internal errors. */
export const fromCause = (cause: Cause.Cause<unknown>): Effect.Effect<ProblemOrResponse> => {
  if (Cause.isInterruptedOnly(cause)) return Effect.succeed(interrupted(cause))
  const error = Option.getOrUndefined(Cause.failureOption(cause))
  if (error instanceof Problem) return Effect.succeed(error)
  if (error instanceof HttpApiError.HttpApiDecodeError) {
    return isEncoding(error) ? faulty(cause) : Effect.succeed(schemaProblem(error.issues))
  }
  const defect = Option.getOrUndefined(Cause.dieOption(cause))
  return defect instanceof HttpServerError.RequestError ? unreadable(defect) : faulty(cause)
}
