import * as Effect from "effect/Effect"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as Task from "../../kernel/Task.ts"
import type * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { onlyId } from "../Client.ts"
import * as Request from "../Request.ts"
import * as Response from "../Response.ts"
import type { RpcCall, RpcReply } from "../Rpc.ts"
import type { OnceRule } from "./MethodPolicy.ts"
import type { ReadsOptions } from "./Reads.ts"

/** Maximum number of known sessions; the oldest are evicted. */
const maxSessions = 10_000

/** A reply and its node. */
interface NodeReply {
  readonly node: Endpoint
  readonly reply: RpcReply
}

type SendsOptions = Pick<ReadsOptions, "cache" | "pass" | "policy" | "singleFlight" | "upstream">

/** Sends calls that may change something, and calls of a client's session at a node: each once, to one node. */
export const make = ({ cache, pass, policy, singleFlight, upstream }: SendsOptions) => {
  const sessions = BoundedMap.make<string, Endpoint>({ capacity: maxSessions })

  const passTo = <A>(node: Endpoint, call: RpcCall, decode: ResponseDecoder.Decoder<A>) =>
    Task.toEffect(pass(node, Request.write(call, onlyId, policy.textIds), decode))

  const sendTo = (node: Endpoint, call: RpcCall): Effect.Effect<NodeReply, UpstreamError> =>
    Effect.map(passTo(node, call, Response.unlessLimited), ({ reply }): NodeReply => ({ node, reply }))

  /** Continues if the client disconnects, because the call may have had an effect. Then invalidates earlier reads. */
  const detached = <A>(effect: Effect.Effect<A, UpstreamError>) =>
    singleFlight.detached(Effect.ensuring(effect, Effect.sync(cache.advance)))

  const send = (call: RpcCall) => detached(upstream.once((node) => sendTo(node, call)))

  const inUse = upstream.fault({ reason: "upstream_error", detail: "returned the id of another client" })

  /** The other node at which a client already has a session of this name. */
  const ownerOf = ({ node, reply }: NodeReply): Endpoint | undefined => {
    const owner = reply.member === "error" ? undefined : sessions.get(reply.text)
    return owner === node ? undefined : owner
  }

  /**
   * Nodes number filters alike. If a name is in use, opens another at the node that used it first, else at this node.
   */
  const distinct = (call: RpcCall, opened: NodeReply) => {
    const owner = ownerOf(opened)
    if (owner === undefined) return Effect.succeed(opened)
    const isDistinct = (again: NodeReply) => again.reply.member === "result" && ownerOf(again) === undefined
    const openAt = (node: Endpoint) => Effect.filterOrFail(detached(sendTo(node, call)), isDistinct, () => inUse)
    return Effect.orElse(openAt(owner), () => openAt(opened.node))
  }

  const remember = ({ node, reply }: NodeReply): RpcReply => {
    if (reply.member === "error") return reply
    sessions.set(reply.text, node)
    return reply
  }

  return {
    open: (call: RpcCall): Effect.Effect<RpcReply, UpstreamError> =>
      Effect.map(
        Effect.flatMap(send(call), (opened) => distinct(call, opened)),
        remember
      ),

    /** Sends to the node that opened the session, or to any node if the session is unknown here. */
    inSession: (name: string, call: RpcCall): Effect.Effect<RpcReply, UpstreamError> => {
      const node = sessions.get(name)
      const replied = node === undefined ? upstream.once((any) => sendTo(any, call)) : sendTo(node, call)
      return Effect.map(replied, ({ reply }) => reply)
    },

    decoded: <A>(call: RpcCall, decode: ResponseDecoder.Decoder<A>): Effect.Effect<A, UpstreamError> =>
      detached(upstream.once((node) => passTo(node, call, decode))),

    once: (call: RpcCall, { duplicateResult, more }: OnceRule): Effect.Effect<RpcReply, UpstreamError> =>
      Effect.map(send(call), ({ reply }): RpcReply => {
        const text = reply.member === "error" ? duplicateResult?.(reply.text, call) : undefined
        return text === undefined ? reply : { member: "result", text, ...(more === undefined ? {} : { more }) }
      })
  }
}
