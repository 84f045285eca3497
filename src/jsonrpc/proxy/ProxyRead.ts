import type { RpcCall } from "../Rpc.ts"
import type { ReadRule } from "./MethodPolicy.ts"

/** A call that changes nothing, and what may be done with it. */
export interface ReadRequest {
  readonly call: RpcCall
  readonly rule: ReadRule
}

/** A read on its way through the steps of the proxy, none of which changes it. */
export interface ProxyRead extends ReadRequest {
  /** Equal for equal calls. */
  readonly key: string
  /** When it was requested, ms. */
  readonly start: number
  /** The newest block then, as {@link ResponseCache} counts them. */
  readonly block: number
}

export const keyOf = ({ method, params = "" }: RpcCall): string => `${method}\n${params}`

/** A read that follows a transaction does not join a read that was requested before it. */
export const runKeyOf = ({ block, key }: Pick<ProxyRead, "block" | "key">): string => `${block}\n${key}`
