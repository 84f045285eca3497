import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Task from "../../kernel/Task.ts"
import type * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { onlyId } from "../Client.ts"
import * as Request from "../Request.ts"
import * as Response from "../Response.ts"
import type { RpcReply } from "../Rpc.ts"
import type { Coalesce } from "./Coalescing.ts"
import { type Fallback, judge } from "./judge.ts"
import type { MethodPolicy } from "./MethodPolicy.ts"
import type * as NodeOrder from "./NodeOrder.ts"
import type { ReadRequest } from "./ProxyRead.ts"

/** Why another node gets the call. */
export interface Rejection {
  readonly error: UpstreamError
  readonly fallback?: Fallback | undefined
}

export type AttemptedNode = Upstream["addresses"][number]

/** Passes a body on to a node. */
export type Pass = <A>(
  node: Pick<AttemptedNode, "index">,
  body: string,
  decode: ResponseDecoder.Decoder<A>
) => Task.Task<A, UpstreamError>

export interface AttemptOptions {
  readonly policy: MethodPolicy
  readonly order: NodeOrder.NodeOrder
  readonly pass: Pass
  /** Undefined where each read goes out by itself. */
  readonly coalesce: Coalesce | undefined
  readonly now: () => number
}

/** The verdict about a response; a node with an implausible result gets its calls after the others for a while. */
export const judged = (
  { now, order }: Pick<AttemptOptions, "now" | "order">,
  node: AttemptedNode,
  { rule }: ReadRequest,
  response: Response.ParsedResponse
): Exit.Exit<RpcReply, Rejection> => {
  const verdict = judge(rule, response, now())
  if (verdict._tag === "Accept") return Exit.succeed(verdict.reply)
  if (verdict.fallback?.kind === "implausible") order.behind(node, now())
  return Exit.fail({ error: node.fault(verdict.fault), fallback: verdict.fallback })
}

/** One read at one node. How long it took counts for the order of the nodes. */
export const attempt =
  (options: AttemptOptions, node: AttemptedNode, read: ReadRequest): Task.Task<RpcReply, Rejection> =>
  (done) => {
    const { coalesce, now, order, pass, policy } = options
    const { call, rule } = read
    const started = now()
    let isOver = false
    let limited: RpcReply | undefined
    const decode = Response.limited(Response.single(rule.historical), ({ reply }) => {
      limited = reply
    })
    const single: Task.Task<Response.ParsedResponse, UpstreamError> = (ended) =>
      pass(node, Request.write(call, onlyId, policy.textIds), decode)(ended)
    const sent = coalesce === undefined ? single : coalesce(node, read, single)
    const settled = Task.mapExit(sent, (exit): Exit.Exit<RpcReply, Rejection> => {
      isOver = true
      if (Exit.isFailure(exit)) {
        const fallback: Fallback | undefined = limited && { kind: "reply", reply: limited }
        return Exit.failCause(Cause.map(exit.cause, (error) => ({ error, fallback })))
      }
      const ended = now()
      order.took(node, call.method, ended - started, ended)
      return judged(options, node, read, exit.value)
    })
    const cancel = settled(done)
    return () => {
      if (isOver) return
      isOver = true
      order.gaveUp(node, now() - started, now())
      cancel()
    }
  }
