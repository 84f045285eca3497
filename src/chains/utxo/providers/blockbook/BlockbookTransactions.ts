import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import { isRejectedByGateway } from "../../../kit/sending/nodeResponse.ts"
import {
  acceptedAs,
  done,
  isHash,
  isTransaction,
  lookupOutcome,
  noAnswer,
  type RelayCalls,
  type Reported,
  saysMissing,
  sendOutcome
} from "../../rawTransactions/Relay.ts"
import { signalsIn } from "../../toTransaction.ts"
import type { StatusKind } from "../Indexer.ts"
import { lookedUp, requesting } from "../reading.ts"
import { naming, toTransaction } from "./BlockbookHistory.ts"
import * as calls from "./calls.ts"

const Refused = Schema.Struct({
  error: Schema.Union(Schema.String, Schema.Struct({ message: Schema.String }))
})

const fitting = <A, I>(schema: Schema.Schema<A, I>, answer: ResponseDecoder.UpstreamResponse) =>
  Either.getOrUndefined(Either.flatMap(ResponseDecoder.json(answer), Schema.decodeUnknownEither(schema)))

/** Its errors are those of its node (code and message), or its own messages. */
const reported = (answer: ResponseDecoder.UpstreamResponse): Reported => {
  const said = answer.status === 400 || answer.status === 200 ? fitting(Refused, answer)?.error : undefined
  if (isRejectedByGateway(answer) || said === undefined) return Either.left(noAnswer(answer))
  const text = typeof said === "string" ? said : said.message
  const [, code, words = ""] = /^(-\d+): ?(.*)$/s.exec(text) ?? []
  return Either.right(code === undefined ? { words: text } : { code: Number(code), words })
}

/** How raw transactions are sent and looked up. */
export const relay: RelayCalls = {
  rank: 1,
  send: (_, raw) =>
    requesting(calls.submit, raw, (answer) => {
      const result = answer.status === 200 ? fitting(calls.submit.response, answer)?.result : undefined
      return isHash(result) ? acceptedAs(result, raw, done(result)) : sendOutcome(reported(answer), answer, raw)
    }),
  find: (facts, hash) =>
    requesting(calls.raw, { hash }, (answer) => {
      const hex = answer.status === 200 ? fitting(calls.raw.response, answer)?.hex : undefined
      return isTransaction(facts.transactions, hex, hash)
        ? Either.right(done(hex))
        : lookupOutcome(reported(answer), answer)
    })
}

export const statuses: StatusKind = {
  transaction: (hash, facts) =>
    requesting(
      calls.transaction,
      { hash },
      lookedUp(calls.transaction.response, {
        isAbsent: (answer) => saysMissing(reported(answer)),
        transaction: (row) => {
          const found = toTransaction(row, naming(facts, undefined, []))
          return found && { ...found, vbytes: row.vsize, signals: signalsIn(row.vin) }
        }
      })
    )
}
