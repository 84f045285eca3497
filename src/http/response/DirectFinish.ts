import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { DirectResponse } from "../RawRoutes.ts"
import { type CallState, RequestContext } from "../RequestContext.ts"
import * as Compression from "./Compression.ts"

const json = { "content-type": "application/json" }
const varied = { ...json, vary: "accept-encoding" }
const none = {}

/** As {@link Finish}, for a response that needs no fiber; undefined for a response that is compressed. */
export const make = Effect.map(
  RequestContext,
  (context) =>
    (call: CallState, { body, status }: DirectResponse, request: Request): Response | undefined => {
      const bytes = body === undefined ? 0 : Buffer.byteLength(body)
      const isCompressible = bytes >= Compression.worthwhile
      const accepted = isCompressible ? request.headers.get("accept-encoding") : null
      if (accepted !== null && Compression.negotiate(accepted) !== undefined) return undefined
      const headers = context.headers(call, body === undefined ? none : isCompressible ? varied : json)
      const response = new Response(body, { status, headers })
      context.ended(call, status, bytes)
      return response
    }
)

/** As a response of the platform. */
export const toPlatform = ({ body, status }: DirectResponse) =>
  body === undefined
    ? HttpServerResponse.empty({ status })
    : HttpServerResponse.text(body, { contentType: json["content-type"], status })

/** What a task has ended with, for {@link Finish}. */
export const platform = (exit: Exit.Exit<DirectResponse>): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(exit, toPlatform)
