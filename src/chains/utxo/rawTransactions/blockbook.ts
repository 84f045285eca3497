import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import { isRejectedByGateway } from "../../nodeResponse.ts"
import type { Calls } from "./Relay.ts"
import { done, isHash, isTransaction, noAnswer, type Sense, senseOf, sent, sought } from "./verdicts.ts"

// Blockbook's HTTP API v2: `sendtx` and `tx` (github.com/trezor/blockbook/blob/master/docs/api.md).

const Taken = Schema.Struct({ result: Schema.String })
const BlockbookTransaction = Schema.Struct({ hex: Schema.String })
const Refused = Schema.Struct({
  error: Schema.Union(Schema.String, Schema.Struct({ message: Schema.String }))
})

const fitting = <A, I>(schema: Schema.Schema<A, I>, answer: ResponseDecoder.UpstreamResponse) =>
  Either.getOrUndefined(Either.flatMap(ResponseDecoder.json(answer), Schema.decodeUnknownEither(schema)))

/** What went wrong between a Blockbook and its node. */
const backend =
  /dial tcp|connection (refused|reset)|broken pipe|\bEOF\b|time-?out|deadline exceeded|^(post|get) "?http/i

/** Its errors are those of its node, code and text, or its own words. */
const senseOfText = (answer: ResponseDecoder.UpstreamResponse): Sense => {
  const said = answer.status === 400 || answer.status === 200 ? fitting(Refused, answer)?.error : undefined
  if (isRejectedByGateway(answer) || said === undefined) return noAnswer(answer)
  const text = typeof said === "string" ? said : said.message
  const [, code, message = ""] = /^(-\d+): ?(.*)$/s.exec(text) ?? []
  if (code !== undefined) return senseOf(Number(code), message)
  if (backend.test(text)) return { reason: "upstream_error", detail: "its node did not answer" }
  if (/not found|no such/i.test(text)) return "missing"
  return senseOf(-1, text)
}

export const calls: Calls = {
  rank: 1,
  send: (_, raw) => ({
    request: HttpClientRequest.bodyText(HttpClientRequest.post("/api/v2/sendtx/"), raw.hex),
    interpret: (answer) => {
      const result = answer.status === 200 ? fitting(Taken, answer)?.result : undefined
      return isHash(result)
        ? Either.right({ ...done(result), hash: result.toLowerCase() })
        : sent(senseOfText(answer), answer, raw)
    }
  }),
  find: (facts, hash) => ({
    request: HttpClientRequest.get(`/api/v2/tx/${hash}`),
    interpret: (answer) => {
      const hex = answer.status === 200 ? fitting(BlockbookTransaction, answer)?.hex : undefined
      return isTransaction(facts.transactions, hex, hash)
        ? Either.right(done(hex))
        : sought(senseOfText(answer), answer)
    }
  })
}
