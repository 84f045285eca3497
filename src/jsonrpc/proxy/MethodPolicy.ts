import type * as SingleFlight from "../../kernel/SingleFlight.ts"
import type { RpcCall, RpcReply } from "../Rpc.ts"

/** How long the result of a read may be cached: forever; for a moment, until the next block is possible; or never. */
export type CacheLifetime = "forever" | "moment" | "never"

/** The call changes nothing: it may be repeated, sent to another node, and shared by several clients. */
export interface ReadRule {
  readonly kind: "read"
  /** Cache lifetime of a result (JSON). */
  readonly cacheFor: (result: string, now: number) => CacheLifetime
  /** True if some result may be cached forever: other processes may have it. */
  readonly mayBeFinal?: boolean
  /** The call needs the state of an old block, which not every node has. */
  readonly historical?: boolean
  /** True if a node that is behind the network returns this result too: one further node then gets the call. */
  readonly mayBeBehind?: (result: string) => boolean
  /** Returns the problem of the node that returned this result; undefined if the result may be passed on. */
  readonly isImplausible?: (result: string, now: number) => string | undefined
  /** Result if no node has a plausible result. */
  readonly substitute?: (result: string, now: number) => string
}

export interface ReadRequest {
  readonly call: RpcCall
  readonly rule: ReadRule
  /** Of a read that other callers may join. */
  readonly progress?: SingleFlight.Progress
}

/** The call may change something, or its method is unknown: it is sent once, to one node. */
export interface OnceRule {
  readonly kind: "once"
  /** True if the node responds when something has happened: the call has the time of the client's request. */
  readonly isLong?: boolean
  /** Result (JSON) of a call if this error means that the node already has it, such as a transaction. */
  readonly duplicateResult?: (error: string, call: RpcCall) => string | undefined
  /** Further members of such a response; see {@link RpcReply}. */
  readonly more?: RpcReply["more"]
}

export type Rule =
  | ReadRule
  | OnceRule
  /** The call opens a session at a node, such as a filter; its result is the name of the session. */
  | { readonly kind: "opens" }
  /** The call belongs to the session with this name, at the node that opened it. */
  | { readonly kind: "session"; readonly name: string }

/** Rules for the methods of a kind of node. Each network has its own instance. */
export interface MethodPolicy {
  readonly rule: (call: RpcCall) => Rule
  /** True if the time of a read with this method depends on what the client requests, and shows nothing about the node. */
  readonly isHeavy?: (method: string) => boolean
  /** Time between two blocks, ms. */
  readonly blockTime: number
  /** True if these nodes accept an id only as a string. */
  readonly textIds?: boolean
  /** Called with each result of a read; returns true if it shows a new block, so that earlier results are outdated. */
  readonly advances?: (call: RpcCall, result: string, now: number) => boolean
}

export const once: OnceRule = { kind: "once" }

/** A read whose results all have this cache lifetime. */
export const read = (lifetime: CacheLifetime): ReadRule => ({
  kind: "read",
  cacheFor: () => lifetime,
  mayBeFinal: lifetime === "forever"
})

/** Rules by method name. Reads are listed by cache lifetime, separated by spaces; all other methods are sent once. */
export const named = (reads: Partial<Record<CacheLifetime, string>>, others: Readonly<Record<string, Rule>> = {}) => {
  const rules = new Map(Object.entries(others))
  for (const lifetime of ["forever", "moment", "never"] as const)
    for (const method of reads[lifetime]?.trim().split(/\s+/) ?? []) rules.set(method, read(lifetime))
  return ({ method }: RpcCall): Rule => rules.get(method) ?? once
}
