import type { RpcCall, RpcReply } from "./Rpc.ts"

/**
 * How long the result of a read may be told again: for ever; for a moment, that is until there may be another block; or
 * not at all.
 */
export type CacheLifetime = "forever" | "moment" | "never"

/** What may be done with a call. */
export type Rule =
  /** It changes nothing: it may be asked again, elsewhere, and once for several who ask the same. */
  | {
      readonly kind: "read"
      /** Asked about each result, as JSON. */
      readonly cacheFor: (result: string, now: number) => CacheLifetime
      /** It is about an old block, of which not every node has the state. */
      readonly historical?: boolean
      /** Undefined where the result may be passed on; else what is wrong with the node that gave it. */
      readonly isImplausible?: (result: string, now: number) => string | undefined
      /** What is told where every node is in doubt. */
      readonly instead?: (result: string, now: number) => string
    }
  /** It may do something, or nothing is known of it: it goes to one node, once. */
  | {
      readonly kind: "once"
      /** The result, as JSON, where this error says that the node has it already. */
      readonly known?: (error: string, call: RpcCall) => string | undefined
      /** What such a result has beside it; see {@link RpcReply}. */
      readonly more?: RpcReply["more"]
    }
  /** It belongs to what another call began at a node, under that name; `opens` begins such a thing. */
  | { readonly kind: "session"; readonly name: string }
  | { readonly kind: "opens" }

/** What is known about the methods of a kind of node. One of its own for each network. */
export interface MethodPolicy {
  readonly rule: (call: RpcCall) => Rule
  /** Between two blocks, ms. */
  readonly blockTime: number
  /** Whether these nodes take an id only as a text. */
  readonly textIds?: boolean
  /** Looks at a result that is told; true where it tells of a new block, so that what was read before is old. */
  readonly advances?: (call: RpcCall, result: string, now: number) => boolean
}

export const once: Rule = { kind: "once" }

/** Reads whose results are kept all the same way. */
export const read = (keep: CacheLifetime): Rule => ({ kind: "read", cacheFor: () => keep })

/** A dialect that knows only reads by their names. */
export const named =
  (reads: Readonly<Record<string, Rule>>) =>
  ({ method }: RpcCall): Rule =>
    Object.hasOwn(reads, method) ? (reads[method] ?? once) : once
