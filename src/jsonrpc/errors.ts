import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { parsedJson } from "../kernel/tryOrElse.ts"
import type { Fault } from "../upstream/UpstreamError.ts"
import type { RpcCall } from "./Rpc.ts"

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
  | "absent"
  | "rateLimited"
  /** Perhaps of this method alone: nodes that do not offer a method return this, too. */
  | "methodLimited"
  | "quota"
  | "tooWide"
  | "unable"
  | "notFromNode"

/** The call failed in the virtual machine. Matched for every code, because some nodes use -32603. */
const execution = /revert|out of ?gas|invalid ?(fe ?)?opcode|invalid ?jump|stack ?(under|over)flow|evm error/i

/** Whether the call failed in the virtual machine, and would so at every node. */
export const hasReverted = ({ code, detail }: Pick<RpcError, "code" | "detail">): boolean =>
  code === 3 || execution.test(detail)

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
  /simulation failed|gas|size|initcode|depth|memory|stack|budget|deadline|timed? ?(out|limit)|delegated account|account limit|sender capacity|nonce limit|max-?fee|block ?height|cus meter/i

const limit = String.raw`\b(limit\w*|up to|cap(ped)?|max(imum)?|exceed\w*|too (big|large|long|many|wide)|(greater|larger|more) than|over)\b`
const quantity = String.raw`\b((?<!out of )(block )?ranges?|blocks( distance)?|results|logs|events|responses?)\b`

/**
 * The blocks, or the length of the response, exceed a limit of the node; other nodes allow more. Nodes word it in many
 * ways, which have a limit and a limited quantity in common. Code 35 is dRPC's for free access.
 */
const tooWide = new RegExp(`${limit}.{0,80}${quantity}|${quantity}.{0,80}${limit}|to remove restrictions`, "i")

/** The node has no state of old blocks, or not for callers without a key. */
const noHistory = /no historical|historical (state|data|rpc)|archive|personal token/i

const data = String.raw`\b(blocks?|headers?|state|trie node|receipts?)\b`
const notThere = String.raw`\b(not (yet )?(\w+ )?(found|available|indexed|known)|cannot be found|unknown|missing|unavailable|out of range|after (the )?(last|latest|head)|beyond)\b`
const noSuch = String.raw`\b(unknown|missing|no|(not|n't|cannot) find|not have)( \w+){0,2} (block|header|state|trie node)\b`

/**
 * The node does not have the block, its state or its transactions: it is behind, still indexes them, or has removed them.
 * Nodes word it in many ways, which have the missing data in common.
 */
const absent = new RegExp(
  `${data}.{0,80}${notThere}|\\btransaction\\b.{0,80}\\bnot (yet )?(found|available|indexed)|${noSuch}(?! type)|unfinalized|pruned|index\\w* (is )?(still )?in progress|(still|not yet) (being )?index|${noHistory.source}`,
  "i"
)

/** Codes of such an error: -39001 unknown block, -32019 block out of range. */
const absentCodes = [-39001, -32019]

const unable =
  /tenant disabled|api key|unauthorized|not synced|internal error|timeout|timed out|deadline|unavailable|no response|upstream|backend/i

/** Resource not found or unavailable, internal error; -28: bitcoind is starting. */
const unableCodes = [-32001, -32002, -32603, -28]

/** Longer texts are not read to the end, characters. */
const maxRead = 2_000

/** Invalid request, unknown method, invalid parameters: the message may quote the client, and is about the call. */
const isOfCall = ({ code }: Pick<RpcError, "code">): boolean => code <= -32600 && code >= -32602

/** Words of rate limits. */
const limitWords = /rate|limit|requests?|calls?|count|reached|exceeded|quota|capacity|credits|too many/gi

/** The texts in parameters, without the names of members. */
const textsIn = (value: unknown): string => {
  if (typeof value === "string") return value
  return typeof value === "object" && value !== null ? Object.values(value).map(textsIn).join(" ") : ""
}

/** Words that the client wrote prove nothing about a limit: nodes quote them. */
const withoutWordsOf = ({ method, params }: Pick<RpcCall, "method" | "params">, detail: string): string => {
  const texts = `${method} ${params === undefined ? "" : textsIn(parsedJson(params))}`
  const own = new Set(texts.toLowerCase().match(limitWords))
  return own.size === 0 ? detail : detail.replace(limitWords, (word) => (own.has(word.toLowerCase()) ? "…" : word))
}

/** The order matters: Solana's code for a node that is behind is -32005, which others use for a rate limit. */
const meanings: ReadonlyArray<readonly [Meaning, (error: Pick<RpcError, "code" | "detail">) => boolean]> = [
  // Code 3 is a revert (EIP-1474 and geth's practice).
  ["refused", ({ code, detail }) => code === 3 || execution.test(detail)],
  ["behind", ({ detail }) => behind.test(detail)],
  ["rateLimited", ({ code }) => code === 429 || code === -32029],
  ["unable", ({ detail }) => connectionLost.test(detail)],
  ["rateLimited", (error) => !isOfCall(error) && !otherLimit.test(error.detail) && rateLimit.test(error.detail)],
  ["tooWide", ({ code, detail }) => code === 35 || tooWide.test(detail)],
  ["methodLimited", ({ code, detail }) => !otherLimit.test(detail) && code === -32005],
  ["quota", (error) => !isOfCall(error) && !otherLimit.test(error.detail) && quota.test(error.detail)],
  ["absent", ({ code, detail }) => absentCodes.includes(code) || absent.test(detail)],
  ["unable", ({ code, detail }) => unable.test(detail) || unableCodes.includes(code)]
]

const isLimit = (meaning: Meaning | undefined) => meaning === "rateLimited" || meaning === "quota"

/** The meaning of an error in a response with these members; `call` is that of a client, or undefined. */
export const meaningOf = (
  { code, detail }: Pick<RpcError, "code" | "detail">,
  response: Readonly<Record<string, unknown>>,
  call?: Pick<RpcCall, "method" | "params">
): Meaning => {
  const read = detail.slice(0, maxRead)
  const found = (text: string) => meanings.find(([, matches]) => matches({ code, detail: text }))?.[0]
  const first = found(read)
  const meaning = call !== undefined && isLimit(first) ? found(withoutWordsOf(call, read)) : first
  return meaning ?? (response.jsonrpc === undefined && response.id === undefined ? "notFromNode" : "refused")
}

export const rateLimited: Fault = { reason: "rate_limited", detail: "rate limit reached", unsent: true }

const faults: Readonly<Record<Exclude<Meaning, "refused">, Fault>> = {
  behind: { reason: "upstream_error", detail: "the node is behind the network" },
  absent: { reason: "upstream_error", detail: "the node does not have the block or its data" },
  rateLimited,
  methodLimited: rateLimited,
  quota: { reason: "rate_limited", detail: "a limit is reached" },
  tooWide: { reason: "upstream_error", detail: "the call exceeds a limit of the node" },
  unable: { reason: "upstream_error", detail: "the node cannot answer at the moment" },
  notFromNode: { reason: "upstream_error", detail: "returned an error outside of JSON-RPC" }
}

/** Fault if another node should get the call of this method; undefined if the error concerns the call. */
export const faultOf = (
  error: RpcError,
  response: Readonly<Record<string, unknown>>,
  method?: string,
  call?: RpcCall
): Fault | undefined => {
  const meaning = meaningOf(error, response, call)
  if (meaning === "refused") return undefined
  return meaning === "methodLimited" && method !== undefined
    ? { ...faults[meaning], limitedMethod: method }
    : faults[meaning]
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
