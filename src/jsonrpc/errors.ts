import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Fault } from "../upstream/UpstreamError.ts"

/** Codes of the specification; -32000, from its range for servers, means that no node responded. */
export const codes = { parse: -32700, invalid: -32600, refused: -32601, unanswered: -32000 } as const

/** The node understood the call and rejects it: a revert, an unknown method, invalid parameters. */
export class RpcError extends Schema.TaggedError<RpcError>()("RpcError", {
  code: Schema.Number,
  detail: Schema.String,
  data: Schema.optional(Schema.Unknown)
}) {
  override get message() {
    return `the node rejected the call (${this.code})`
  }
}

/** Reads an error object; some nodes return a string instead. */
export const rpcErrorOf = (error: unknown): RpcError => {
  const { code, data, message } = Predicate.isRecord(error) ? error : { code: 0, data: undefined, message: error }
  return new RpcError({ code: Number(code ?? 0) || 0, detail: typeof message === "string" ? message : "", data })
}

/**
 * Meaning of a node's error. `refused` concerns the call: every node would return it. The others concern the node, and
 * the next node may process the call.
 */
export type Meaning =
  | "refused"
  | "behind"
  | "rateLimited"
  | "quota"
  | "tooWide"
  | "noHistory"
  | "unable"
  | "notFromNode"

/** The call failed in the virtual machine. Matched for every code, because some nodes use -32603. */
const execution = /revert|out of ?gas|invalid ?(fe ?)?opcode|invalid ?jump|stack ?(under|over)flow|evm error/i

const behind = /node is (behind|unhealthy)/i

/** The node lost its connection to another node, or its time: the other node may have processed the call. */
export const connectionLost =
  /\b(get|post) "|\beof\b|end of stream|(connection|stream)\b.{0,30}(abort|closed|lost|refused|reset)|(aborted|closed|reset) (by|\w{0,10} ?connection|the connection)|broken pipe|hang up|disconnect|retries exceeded|econn\w|timed? ?out|deadline exceeded|context cancell?ed/i

/** A gateway limits the caller before a node gets the call. */
const rateLimit = /rate limit|too many requests?\b|(request|call)s? (limit|count|rate)/i

/** Probably such a limit, but perhaps one of the call, or of another node. */
const quota = /exceeded|limit reached|quota|capacity|credits/i

/** Limits of a call, a transaction or an account are not rate limits: every node has them. */
const otherLimit =
  /gas|size|initcode|depth|memory|stack|budget|range|results|deadline|timed? ?(out|limit)|delegated account|account limit|sender capacity|nonce limit|max-?fee|block ?height|cus meter/i

/** A block range or a result exceeds a limit of the node; other nodes allow more. */
const tooWide =
  /(limited to|up to|maximum|exceed\w*) .*\bblocks? (range|distance)|\branges? over|range (is )?too|block range.*(limit|exceed|too)|returned more than \d+/i

/** The node has no state of old blocks, or not for callers without a key. */
const noHistory = /no historical|historical (state|data|rpc)|archive|personal token/i

const unable =
  /missing trie node|no state available|header not found|unfinalized|tenant disabled|api key|unauthorized|not synced|pruned|internal error|timeout|timed out|deadline|unavailable|no response|upstream|backend/i

/** Resource not found or unavailable, internal error; -28: bitcoind is starting. */
const unableCodes = [-32001, -32002, -32603, -28]

/** The order matters: Solana's code for a node that is behind is -32005, which others use for a rate limit. */
const meanings: ReadonlyArray<readonly [Meaning, (error: RpcError) => boolean]> = [
  // Code 3 is a revert (EIP-1474 and geth's practice).
  ["refused", ({ code, detail }) => code === 3 || execution.test(detail)],
  ["behind", ({ detail }) => behind.test(detail)],
  ["rateLimited", ({ code }) => code === 429 || code === -32029],
  ["unable", ({ detail }) => connectionLost.test(detail)],
  ["rateLimited", ({ code, detail }) => !otherLimit.test(detail) && (code === -32005 || rateLimit.test(detail))],
  ["quota", ({ detail }) => !otherLimit.test(detail) && quota.test(detail)],
  ["tooWide", ({ detail }) => tooWide.test(detail)],
  ["noHistory", ({ detail }) => noHistory.test(detail)],
  ["unable", ({ code, detail }) => unable.test(detail) || unableCodes.includes(code)]
]

/** The meaning of an error in a response with these members. */
export const meaningOf = (error: RpcError, response: Readonly<Record<string, unknown>>): Meaning => {
  const [meaning] = meanings.find(([, matches]) => matches(error)) ?? []
  return meaning ?? (response.jsonrpc === undefined && response.id === undefined ? "notFromNode" : "refused")
}

const unavailable: Fault = { reason: "upstream_error", detail: "the node cannot answer at the moment" }

const faults: Readonly<Record<Exclude<Meaning, "refused">, Fault>> = {
  behind: { reason: "upstream_error", detail: "the node is behind the network" },
  rateLimited: { reason: "rate_limited", detail: "rate limit reached", unsent: true },
  quota: { reason: "rate_limited", detail: "a limit is reached" },
  tooWide: { reason: "upstream_error", detail: "the call exceeds a limit of the node" },
  noHistory: unavailable,
  unable: unavailable,
  notFromNode: { reason: "upstream_error", detail: "returned an error outside of JSON-RPC" }
}

/** Fault if another node should get the call; undefined if the error concerns the call. */
export const faultOf = (error: RpcError, response: Readonly<Record<string, unknown>>): Fault | undefined => {
  const meaning = meaningOf(error, response)
  return meaning === "refused" ? undefined : faults[meaning]
}

/** Statuses that concern the caller or come from a gateway: the call was not processed, regardless of the body. */
const gatewayStatuses = [401, 402, 403, 408, 429, 502, 503, 504]

export const isRejectedByGateway = (status: number): boolean => gatewayStatuses.includes(status)

/** Public nodes reject calls about old blocks with the status that others use for clients without access. */
export const refusesHistory = (
  { status, text }: { readonly status: number; readonly text: string },
  isHistorical: boolean
): boolean => status === 403 && (isHistorical || noHistory.test(text))

/** A node's HTTP status is not final for the call: after a closed path or a body limit, the next node may accept it. */
export const withoutFinal = ({ final: _, ...fault }: Fault): Fault => fault

/** A response that does not fit its request. */
export const badResponse = (detail: string): Fault => ({ reason: "bad_answer", detail })
