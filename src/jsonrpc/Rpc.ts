import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Task from "../kernel/Task.ts"
import type * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"

export interface RpcCall {
  readonly method: string
  /** JSON exactly as written by the client; undefined if it sent no parameters. */
  readonly params: string | undefined
  /** The client, so that clients take turns. Absent for calls of the service. */
  readonly client?: () => string
}

/** The response of a node: the JSON of its result or of its error object, as written by the node. */
export interface RpcReply {
  readonly member: "result" | "error"
  readonly text: string
  /** Members that are not part of JSON-RPC, as written by the node, such as `"ok":true`. */
  readonly more?: string
}

/** JSON-RPC for clients, by nodes or by translation to another API. */
export interface Rpc {
  /** The name of the upstream, under which `GET /networks` shows its state. */
  readonly upstream: string
  /** A rejection by the node is a reply; a failure means that no node responded. */
  readonly call: (call: RpcCall) => Task.Task<RpcReply, UpstreamError>
  /** The replies in the order of the calls. Cannot fail as a whole. */
  readonly batch: (calls: ReadonlyArray<RpcCall>) => Task.Task<ReadonlyArray<Either.Either<RpcReply, UpstreamError>>>
}

/** JSON-RPC of nodes that accept transactions. */
export interface SendingRpc extends Rpc {
  /**
   * Sends a call that must not run twice to one node, and to the next node only if the call certainly had no effect.
   * Continues if the caller is interrupted. The decoder also interprets the node's errors.
   */
  readonly send: <A>(call: RpcCall, decode: ResponseDecoder.Decoder<A>) => Effect.Effect<A, UpstreamError>
}
