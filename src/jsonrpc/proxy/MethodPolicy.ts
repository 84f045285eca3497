import type { RpcCall, RpcReply } from "../Rpc.ts"

/**
 * How long the result of a read may be returned again: for ever; for a moment, that is until there may be another block; or
 * not at all.
 */
export type CacheLifetime = "forever" | "moment" | "never"

/** The call changes nothing: it may be sent again, to another node, and once for several clients. */
export interface ReadRule {
  readonly kind: "read"
  /** Called for each result, as JSON. */
  readonly cacheFor: (result: string, now: number) => CacheLifetime
  /** It is about an old block, of which not every node has the state. */
  readonly historical?: boolean
  /** What is wrong with the node that returned this result; undefined where the result may be passed on. */
  readonly isImplausible?: (result: string, now: number) => string | undefined
  /** What is returned where no node has a plausible result. */
  readonly substitute?: (result: string, now: number) => string
}

/** A call that changes nothing, and what may be done with it. */
export interface ReadRequest {
  readonly call: RpcCall
  readonly rule: ReadRule
}

/** The call may change something, or its method is unknown: it goes to one node, once. */
export interface OnceRule {
  readonly kind: "once"
  /** The result, as JSON, where this error says that the node has it already. */
  readonly duplicateResult?: (error: string, call: RpcCall) => string | undefined
  /** The members beside such a result; see {@link RpcReply}. */
  readonly more?: RpcReply["more"]
}

/** What may be done with a call. */
export type Rule =
  | ReadRule
  | OnceRule
  /** It begins something at a node, under the name that it returns. */
  | { readonly kind: "opens" }
  /** It continues what another call began at a node, under that name. */
  | { readonly kind: "session"; readonly name: string }

/** What is known about the methods of a kind of node. Each network has an instance. */
export interface MethodPolicy {
  readonly rule: (call: RpcCall) => Rule
  /** Between two blocks, ms. */
  readonly blockTime: number
  /** Whether these nodes accept an id only as a text. */
  readonly textIds?: boolean
  /** Sees each result of a read; true where there is a new block by it, so that earlier results are outdated. */
  readonly advances?: (call: RpcCall, result: string, now: number) => boolean
}

export const once: OnceRule = { kind: "once" }

/** A read whose results are all cached alike. */
export const read = (lifetime: CacheLifetime): ReadRule => ({ kind: "read", cacheFor: () => lifetime })

/** The rules of a policy that knows reads by their names alone. */
export const named =
  (rules: Readonly<Record<string, Rule>>) =>
  ({ method }: RpcCall): Rule =>
    Object.hasOwn(rules, method) ? (rules[method] ?? once) : once
