import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type * as FiberId from "effect/FiberId"
import { Problem } from "../api/Problem.ts"
import * as Compression from "../ready/Compression.ts"
import { type Call, Envelope } from "./Envelope.ts"
import * as Problems from "./Problems.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The last that happens to an answer: it gets the fields of all answers and the form that the client takes, and is counted. */
export const make = Effect.map(
  Envelope,
  (envelope) => (call: Call, answer: Response | Problem, accepted: string | undefined, fiber: FiberId.FiberId) => {
    const response = answer instanceof Problem ? Problems.respond(answer, call.id) : answer
    const complete = HttpServerResponse.setHeaders(response, envelope.fields(call, response.headers))
    return Effect.map(Compression.apply(complete, accepted), (sent) => {
      const bytes = sent.body._tag === "Stream" ? undefined : (sent.body.contentLength ?? 0)
      envelope.ended(call, sent.status, bytes, fiber)
      return sent
    })
  }
)
