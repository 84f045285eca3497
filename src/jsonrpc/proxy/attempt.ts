import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { onlyId } from "../Client.ts"
import * as Request from "../Request.ts"
import * as Response from "../Response.ts"
import type { RpcReply } from "../Rpc.ts"
import { type Fallback, judge } from "./judge.ts"
import type { MethodPolicy } from "./MethodPolicy.ts"
import type * as NodeOrder from "./NodeOrder.ts"
import type { ReadRequest } from "./ProxyRead.ts"

/** Why another node gets the call. */
export interface Rejection {
  readonly error: UpstreamError
  readonly fallback?: Fallback | undefined
}

export interface AttemptOptions {
  readonly policy: MethodPolicy
  readonly order: NodeOrder.NodeOrder
  readonly post: (body: string) => HttpClientRequest.HttpClientRequest
  readonly now: () => number
}

type AttemptedNode = Upstream["addresses"][number]

/** The verdict about a response; a node with an implausible result gets its calls after the others for a while. */
export const judged = (
  { now, order }: Pick<AttemptOptions, "now" | "order">,
  node: AttemptedNode,
  { rule }: ReadRequest,
  response: Response.ParsedResponse
): Effect.Effect<RpcReply, Rejection> => {
  const verdict = judge(rule, response, now())
  if (verdict._tag === "Accept") return Effect.succeed(verdict.reply)
  if (verdict.fallback?.kind === "implausible") order.behind(node, now())
  return Effect.fail({ error: node.fault(verdict.fault), fallback: verdict.fallback })
}

/** One read at one node. How long it took counts for the order of the nodes. */
export const attempt = (
  options: AttemptOptions,
  node: AttemptedNode,
  read: ReadRequest
): Effect.Effect<RpcReply, Rejection> =>
  Effect.suspend(() => {
    const { now, order, policy, post } = options
    const { call, rule } = read
    const started = now()
    let limited: RpcReply | undefined
    const decode = Response.limited(Response.single(rule.historical), ({ reply }) => {
      limited = reply
    })
    const exchange = Effect.onInterrupt(node.pass(post(Request.write(call, onlyId, policy.textIds)), decode), () =>
      Effect.sync(() => order.gaveUp(node, now() - started, now()))
    )
    return Effect.matchEffect(exchange, {
      onFailure: (error) => Effect.fail<Rejection>({ error, fallback: limited && { kind: "reply", reply: limited } }),
      onSuccess: (response) => {
        order.took(node, call.method, now() - started, now())
        return judged(options, node, read, response)
      }
    })
  })
