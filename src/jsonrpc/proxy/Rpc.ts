import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"

/** A JSON-RPC call as a client made it. */
export interface RpcCall {
  readonly method: string
  /** JSON as the client wrote it, digit by digit; undefined where it gave none. */
  readonly params: string | undefined
}

/** What a node said: the JSON of its result, or of its error object, as it wrote it. */
export interface RpcReply {
  readonly member: "result" | "error"
  readonly text: string
  /** The members that the node has beside those of JSON-RPC, as it wrote them: `"ok":true`. */
  readonly more?: string
}

/** JSON-RPC for clients, whatever stands behind it. */
export interface Rpc {
  /** Who is asked; `GET /networks` tells its state. */
  readonly upstream: string
  /** A refusal by the node is a reply; a failure says that no node answered. */
  readonly call: (call: RpcCall) => Effect.Effect<RpcReply, UpstreamError>
  /** The replies in the order of the calls. Cannot fail as a whole. */
  readonly batch: (
    calls: ReadonlyArray<RpcCall>
  ) => Effect.Effect<ReadonlyArray<Either.Either<RpcReply, UpstreamError>>>
}
