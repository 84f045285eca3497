import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Either from "effect/Either"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import { isRejectedByGateway, otherTransaction, unchanged, wrongCall } from "../../nodeResponse.ts"
import type { RelayCalls, RelayResponse } from "./Relay.ts"
import { isHash, isTransaction, lookupOutcome, meaningOf, noAnswer, sendOutcome } from "./Relay.ts"

// JSON-RPC of bitcoind and its forks: `sendrawtransaction`, `getrawtransaction`. Errors have the HTTP status 500.

const id = 1

const call = (method: string, parameter: string) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), { jsonrpc: "1.0", id, method, params: [parameter] })

type NodeResponseBody = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is NodeResponseBody =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Some gateways in front of a node return ids as strings; an error may have no id. */
const isOurs = ({ id: answered }: NodeResponseBody, isError: boolean) =>
  answered === id || answered === String(id) || (isError && (answered === null || answered === undefined))

interface Readings {
  readonly result: (result: unknown, answer: ResponseDecoder.UpstreamResponse) => Either.Either<RelayResponse, Fault>
  readonly error: (
    code: number,
    message: string,
    answer: ResponseDecoder.UpstreamResponse,
    id: unknown
  ) => Either.Either<RelayResponse, Fault>
}

const reading =
  ({ error, result }: Readings): ResponseDecoder.Decoder<RelayResponse> =>
  (answer) => {
    const body = Either.getOrUndefined(ResponseDecoder.json(answer))
    if (isRejectedByGateway(answer) || !isRecord(body)) return Either.left(noAnswer(answer))
    const refusal = body.error ?? undefined
    if (!isOurs(body, refusal !== undefined)) return Either.left(wrongCall)
    if (refusal === undefined)
      return ResponseDecoder.statusFault(answer) === undefined
        ? result(body.result, answer)
        : Either.left(noAnswer(answer))
    const { code, message } = isRecord(refusal) ? refusal : {}
    return typeof code === "number"
      ? error(code, typeof message === "string" ? message : "", answer, body.id)
      : Either.left(noAnswer(answer))
  }

/** The operator's node. */
export const calls: RelayCalls = {
  rank: 0,
  send: (_, raw) => ({
    request: call("sendrawtransaction", raw.hex),
    decode: reading({
      result: (result, answer) =>
        isHash(result)
          ? Either.right({ ...unchanged("done", answer), hash: result.toLowerCase() })
          : Either.left({ reason: "bad_answer", detail: "did not report whether it accepted the transaction" }),
      error: (code, message, answer, id) => sendOutcome(meaningOf(code, message), answer, raw, id)
    })
  }),
  find: (facts, hash) => ({
    request: call("getrawtransaction", hash),
    decode: reading({
      result: (result, answer) =>
        isTransaction(facts.transactions, result, hash)
          ? Either.right(unchanged("done", answer))
          : Either.left(otherTransaction),
      error: (code, message, answer) => lookupOutcome(meaningOf(code, message), answer)
    })
  })
}
