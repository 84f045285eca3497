import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Exit from "effect/Exit"
import * as Task from "../../kernel/Task.ts"
import * as CallTime from "../../upstream/CallTime.ts"
import type * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { onlyId } from "../Client.ts"
import * as Request from "../Request.ts"
import * as Response from "../Response.ts"
import type { RpcCall, RpcReply } from "../Rpc.ts"
import type { Coalesce } from "./Coalescing.ts"
import type { MethodPolicy, ReadRequest, ReadRule } from "./MethodPolicy.ts"
import type * as NodeOrder from "./NodeOrder.ts"

/** Reply to the client if no node returns a better one. */
export type Fallback =
  | { readonly kind: "reply"; readonly reply: RpcReply }
  /** The error of a node that accepts no more calls. */
  | { readonly kind: "limit"; readonly reply: RpcReply }
  /** JSON of an implausible result. */
  | { readonly kind: "implausible"; readonly result: string }

export type Verdict =
  | { readonly _tag: "Accept"; readonly reply: RpcReply }
  | { readonly _tag: "TryNext"; readonly fault: Fault; readonly fallback: Fallback | undefined }

/** Decides whether the response of a node is returned to the client, or another node gets the call. */
export const judge = (
  { isImplausible }: Pick<ReadRule, "isImplausible">,
  response: Response.ParsedResponse,
  now: number
): Verdict => {
  if (response.reply === undefined) return tryNext(response.fault, undefined)
  const { fault, reply } = response
  if (fault !== undefined) return tryNext(fault, { kind: "reply", reply })
  const problem = reply.member === "result" ? isImplausible?.(reply.text, now) : undefined
  return problem === undefined
    ? { _tag: "Accept", reply }
    : tryNext({ reason: "bad_answer", detail: problem }, { kind: "implausible", result: reply.text })
}

const tryNext = (fault: Fault, fallback: Fallback | undefined): Verdict => ({ _tag: "TryNext", fault, fallback })

export interface ReadOutcome {
  readonly reply: RpcReply
  /** True if no node returned the reply: it then has no information about the newest block. */
  readonly isSubstitute: boolean
}

/** Reply if every node was rejected, from the best fallback; undefined without one. The preferred node is the first. */
export const settle = (
  { substitute }: Pick<ReadRule, "substitute">,
  fallbacks: ReadonlyArray<Fallback>,
  now: number
): ReadOutcome | undefined => {
  const implausible = fallbacks.findLast((fallback) => fallback.kind === "implausible")
  if (substitute !== undefined && implausible !== undefined) {
    const text = substitute(implausible.result, now)
    return { reply: { member: "result", text }, isSubstitute: text !== implausible.result }
  }
  const error =
    fallbacks.find((fallback) => fallback.kind === "reply") ?? fallbacks.find((fallback) => fallback.kind === "limit")
  return error && { reply: error.reply, isSubstitute: false }
}

export interface Rejection {
  readonly error: UpstreamError
  readonly fallback?: Fallback | undefined
}

export type AttemptedNode = Upstream["addresses"][number]

export type Pass = <A>(
  node: Pick<AttemptedNode, "index">,
  body: string,
  decode: ResponseDecoder.Decoder<A>,
  client: RpcCall["client"],
  time?: CallTime.CallTime,
  calls?: number
) => Task.Task<A, UpstreamError>

export interface AttemptOptions {
  readonly policy: MethodPolicy
  readonly order: NodeOrder.NodeOrder
  readonly pass: Pass
  /** Undefined if each read is sent alone. */
  readonly coalesce: Coalesce | undefined
  readonly clock: Clock.Clock
}

/** Judges a response. A node with an implausible result is called after the others for a while. */
export const judged = (
  { clock, order }: Pick<AttemptOptions, "clock" | "order">,
  node: AttemptedNode,
  { rule }: ReadRequest,
  response: Response.ParsedResponse
): Exit.Exit<RpcReply, Rejection> => {
  const now = clock.unsafeCurrentTimeMillis()
  const verdict = judge(rule, response, now)
  if (verdict._tag === "Accept") return Exit.succeed(verdict.reply)
  if (verdict.fallback?.kind === "implausible") order.behind(node, now)
  return Exit.fail({ error: node.fault(verdict.fault), fallback: verdict.fallback })
}

/** Sends one read to one node. The time of the request that carries the read affects the order of the nodes. */
export const attempt =
  (options: AttemptOptions, node: AttemptedNode, read: ReadRequest): Task.Task<RpcReply, Rejection> =>
  (done) => {
    const { clock, coalesce, order, pass, policy } = options
    const { call, rule } = read
    const isHeavy = policy.isHeavy?.(call.method) === true
    let time: CallTime.CallTime | undefined
    let isOver = false
    let limited: RpcReply | undefined
    const decode = Response.limited(Response.single(rule.historical, call), ({ reply }) => {
      limited = reply
    })
    const single: Task.Task<Response.ParsedResponse, UpstreamError> = (ended) => {
      time = CallTime.make(clock, () => read.progress?.onSent())
      return pass(node, Request.write(call, onlyId, policy.textIds), decode, call.client, time)(ended)
    }
    const carried = (by: CallTime.CallTime) => {
      time = by
    }
    const sent = coalesce === undefined ? single : coalesce(node, read, single, carried)
    const settled = Task.mapExit(sent, (exit): Exit.Exit<RpcReply, Rejection> => {
      isOver = true
      if (Exit.isFailure(exit)) {
        const fallback: Fallback | undefined = limited && { kind: "limit", reply: limited }
        return Exit.failCause(Cause.map(exit.cause, (error) => ({ error, fallback })))
      }
      const now = clock.unsafeCurrentTimeMillis()
      order.recordResponse(isHeavy ? undefined : node, call.method, time?.elapsed(now) ?? 0, now)
      return judged(options, node, read, exit.value)
    })
    const cancel = settled(done)
    return () => {
      if (isOver) return
      isOver = true
      const now = clock.unsafeCurrentTimeMillis()
      if (!isHeavy) order.recordCancelled(node, time?.elapsed(now) ?? 0, now)
      cancel()
    }
  }
