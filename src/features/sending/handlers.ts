import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../../contract/Api.ts"
import { NotImplemented } from "../../contract/Problem.ts"
import { invalid } from "../../contract/problem/issues.ts"
import { SendUndecided } from "../../contract/SendingApi.ts"
import type { NoResult } from "../reading.ts"
import { type NoDecision, Sending } from "./Sending.ts"

const refusal = ({ member, message }: NoResult) =>
  member === undefined ? new NotImplemented({ detail: `${message}.` }) : invalid([{ path: member, message }])

const undecided = ({ hash, mayHaveArrived, message }: NoDecision) =>
  new SendUndecided({
    detail: mayHaveArrived
      ? `The transaction may have arrived, or may still arrive: look it up before you send it again (${message}).`
      : `The transaction was not sent (${message}).`,
    hash,
    sent: mayHaveArrived ? "unknown" : "no"
  })

export const layer = HttpApiBuilder.group(Api, "sending", (handlers) =>
  Effect.map(Sending, ({ send }) =>
    handlers.handle("send", ({ payload: { network, testnet = false, transaction } }) =>
      send(network, transaction, testnet).pipe(Effect.catchTags({ NoResult: refusal, NoDecision: undecided }))
    )
  )
)
