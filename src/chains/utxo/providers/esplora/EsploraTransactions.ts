import * as Either from "effect/Either"
import * as Call from "../../../../upstream/Call.ts"
import type * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import {
  acceptedAs,
  done,
  isHash,
  isMissing,
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
import * as calls from "./calls.ts"
import { isContradictory, toTransaction } from "./EsploraHistory.ts"

/** The node's error, by fork: `sendrawtransaction RPC error: {"code":-26,"message":"…"}`, `… error -26: …`. */
const errors = [/RPC error: \{"code": ?(-?\d+), ?"message": ?"(.*)"\}/s, /RPC error (-?\d+): ?(.*)/s]

const reported = (answer: ResponseDecoder.UpstreamResponse): Reported => {
  const text = answer.text.trim()
  const about = answer.status === 400 || answer.status === 404
  if (!about || text === "" || text.startsWith("<")) return Either.left(noAnswer(answer))
  for (const pattern of errors) {
    const [, code, words = ""] = pattern.exec(text) ?? []
    if (code !== undefined) return Either.right({ code: Number(code), words })
  }
  const isOwn = answer.status === 400 || isMissing({ words: text })
  return isOwn ? Either.right({ words: text }) : Either.left(noAnswer(answer))
}

/** How raw transactions are sent and looked up. */
export const relay: RelayCalls = {
  rank: 2,
  send: (_, raw) =>
    requesting(calls.submit, raw, (answer) => {
      const hash = answer.text.trim()
      return answer.status === 200 && isHash(hash)
        ? acceptedAs(hash, raw, done(hash))
        : sendOutcome(reported(answer), answer, raw)
    }),
  find: (facts, hash) =>
    requesting(calls.hex, { hash }, (answer) => {
      const hex = answer.text.trim()
      return answer.status === 200 && isTransaction(facts.transactions, hex, hash)
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
        isAbsent: (answer) => answer.status === 404 && saysMissing(reported(answer)),
        transaction: (row) => {
          const found = toTransaction(row, facts)
          const vbytes = row.weight === undefined ? undefined : Math.ceil(row.weight / 4)
          return (
            found && { ...found, vbytes, signals: signalsIn(row.vin), isContradictory: isContradictory(facts, row) }
          )
        }
      })
    ),
  spenders: ({ hash, outputs }) =>
    requesting(calls.outspends, { hash }, (answer) =>
      Either.flatMap(Call.decoding(calls.outspends, { hash })(answer), (all) => {
        const isWhole = all.length === outputs.length && all.every(({ spent, txid }) => !spent || txid !== undefined)
        return isWhole ? Either.right([...new Set(all.flatMap(({ txid }) => txid ?? []))]) : Either.left(notAllOutputs)
      })
    ),
  spender: (output) => {
    const [hash = "", index = ""] = output.split(":")
    return requesting(calls.outspend, { hash, index }, (answer) =>
      Either.map(Call.decoding(calls.outspend, { hash, index })(answer), ({ status, txid }) =>
        status?.confirmed === true ? txid : undefined
      )
    )
  }
}

const notAllOutputs: Fault = { reason: "bad_answer", detail: "did not return the spender of each output" }
