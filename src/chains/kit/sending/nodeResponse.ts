import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import type { NodeResponse } from "../../Chain.ts"

// Shared by the responses about raw transactions of all upstream protocols.

/** The upstream's response, unchanged. */
export const unchanged = (
  verdict: NodeResponse["verdict"],
  { text }: Pick<ResponseDecoder.UpstreamResponse, "text">
): NodeResponse => ({
  verdict,
  body: text,
  contentType: text.trimStart().startsWith("{") ? "application/json" : "text/plain; charset=utf-8"
})

/** Builds a response in the upstream's format, for when its original text would contradict the verdict. */
export const jsonResponse = (verdict: NodeResponse["verdict"], body: unknown): NodeResponse => ({
  verdict,
  body: JSON.stringify(body),
  contentType: "application/json"
})

/** Statuses of a closed path or method, or of a body too long for a gateway: the transaction was not examined. */
const closed = [404, 405, 411, 413, 414, 415]

/** The fault of a response that does not come from a node; with `unsent`, the transaction certainly did not arrive. */
export const noAnswer = (answer: ResponseDecoder.UpstreamResponse): Fault => {
  const { final: _, ...fault } = ResponseDecoder.statusFault(answer) ?? ResponseDecoder.notUnderstood
  return { status: answer.status, ...fault, ...(closed.includes(answer.status) ? { unsent: true } : {}) }
}

/** The response of another call, or about another transaction. */
export const wrongCall: Fault = { reason: "bad_answer", detail: "returned the response of another call" }

/** The response about another transaction to a look-up. */
export const otherTransaction: Fault = {
  reason: "bad_answer",
  detail: "returned another transaction than the requested one"
}

/** Statuses about the caller, or of a gateway: the body is not about the transaction. */
const rejected = [401, 402, 403, 408, 429, 502, 503, 504]

export const isRejectedByGateway = ({ status }: Pick<ResponseDecoder.UpstreamResponse, "status">) =>
  rejected.includes(status)

/** The problem of a raw transaction's hexadecimal text; undefined if it is valid. */
export const hexProblem = (text: string, maxBytes: number): string | undefined => {
  if (text.length > 2 * maxBytes) return `a transaction has at most ${maxBytes} bytes`
  const wrong = /[^0-9a-f]/i.exec(text)
  if (wrong !== null) return `it is not hexadecimal (character ${wrong.index + 1})`
  if (text === "") return "it is empty"
  return text.length % 2 === 1 ? "it has an odd number of hexadecimal digits" : undefined
}
