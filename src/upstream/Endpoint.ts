import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as Effect from "effect/Effect"
import type * as ResponseDecoder from "./response/ResponseDecoder.ts"
import type { Fault, UpstreamError } from "./UpstreamError.ts"

/** One address of an upstream: no other address is called. */
export interface Endpoint {
  /** Its index in the order of preference, from 0; stable, so that a caller can remember what works where. */
  readonly index: number
  /** An error of this upstream, for what only the caller can see is wrong with its answers. */
  readonly fault: (fault: Fault) => UpstreamError
  /** May be repeated: passing faults are tried again after a short, jittered wait. */
  readonly read: <A>(
    request: HttpClientRequest.HttpClientRequest,
    interpret: ResponseDecoder.Decoder<A>
  ) => Effect.Effect<A, UpstreamError>
  /** Must not be repeated: goes out once. */
  readonly send: <A>(
    request: HttpClientRequest.HttpClientRequest,
    interpret: ResponseDecoder.Decoder<A>
  ) => Effect.Effect<A, UpstreamError>
  /** As `tell`, for a client's own call to a node: with its own permits, beside the calls of the service. */
  readonly pass: Endpoint["send"]
}
