import type { Fault } from "../../upstream/UpstreamError.ts"
import type * as Response from "../Response.ts"
import type { RpcReply } from "../Rpc.ts"
import type { ReadRule } from "./MethodPolicy.ts"

/** What a client gets where no node responds better. */
export type Fallback =
  /** The node's error. */
  | { readonly kind: "reply"; readonly reply: RpcReply }
  /** The JSON of a result that is not plausible. */
  | { readonly kind: "implausible"; readonly result: string }

export type Verdict =
  | { readonly _tag: "Accept"; readonly reply: RpcReply }
  | { readonly _tag: "TryNext"; readonly fault: Fault; readonly fallback: Fallback | undefined }

/** Whether the response of a node goes to the client, or another node gets the call. */
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

/** The reply to a read. */
export interface Settled {
  readonly reply: RpcReply
  /** No node returned it: it says nothing about the newest block. */
  readonly isSubstitute: boolean
}

/** The reply where every node was rejected, the newest fallback first; undefined where there is none. */
export const settle = (
  { substitute }: Pick<ReadRule, "substitute">,
  fallbacks: ReadonlyArray<Fallback>,
  now: number
): Settled | undefined => {
  const implausible = fallbacks.findLast((fallback) => fallback.kind === "implausible")
  if (substitute !== undefined && implausible !== undefined) {
    const text = substitute(implausible.result, now)
    return { reply: { member: "result", text }, isSubstitute: text !== implausible.result }
  }
  const error = fallbacks.findLast((fallback) => fallback.kind === "reply")
  return error && { reply: error.reply, isSubstitute: false }
}
