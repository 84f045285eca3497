import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Either from "effect/Either"
import type * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Calls } from "./Relay.ts"
import { done, isHash, isTransaction, noAnswer, type Sense, senseOf, sent, sought } from "./verdicts.ts"

// Esplora's HTTP API: `POST /tx` and `/tx/:txid/hex` (github.com/Blockstream/esplora/blob/master/API.md).

/** The node's error, as its forks write it: `sendrawtransaction RPC error: {"code":-26,"message":"…"}`, `… error -26: …`. */
const errors = [/RPC error: \{"code": ?(-?\d+), ?"message": ?"(.*)"\}/s, /RPC error (-?\d+): ?(.*)/s]

const senseOfText = (answer: ResponseDecoder.UpstreamResponse): Sense => {
  const text = answer.text.trim()
  const about = answer.status === 400 || answer.status === 404
  if (!about || text === "" || text.startsWith("<")) return noAnswer(answer)
  for (const pattern of errors) {
    const [, code, message = ""] = pattern.exec(text) ?? []
    if (code !== undefined) return senseOf(Number(code), message)
  }
  if (answer.status === 400) return senseOf(-1, text)
  return /(transaction|tx) not found/i.test(text) ? "missing" : noAnswer(answer)
}

export const calls: Calls = {
  rank: 2,
  send: (_, raw) => ({
    request: HttpClientRequest.bodyText(HttpClientRequest.post("/tx"), raw.hex),
    interpret: (answer) => {
      const hash = answer.text.trim()
      return answer.status === 200 && isHash(hash)
        ? Either.right({ ...done(hash), hash: hash.toLowerCase() })
        : sent(senseOfText(answer), answer, raw)
    }
  }),
  find: (facts, hash) => ({
    request: HttpClientRequest.get(`/tx/${hash}/hex`),
    interpret: (answer) => {
      const hex = answer.text.trim()
      return answer.status === 200 && isTransaction(facts.transactions, hex, hash)
        ? Either.right(done(hex))
        : sought(senseOfText(answer), answer)
    }
  })
}
