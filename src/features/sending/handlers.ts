import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { SendFailure } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { NotImplemented } from "../../contract/Problem.ts"
import { invalid } from "../../contract/problem/issues.ts"
import { type SendRequest, SendUndecided } from "../../contract/SendingApi.ts"
import { span } from "../../kernel/span.ts"
import { idsWith, notValid, supporting } from "../reading.ts"
import * as Sends from "./Sends.ts"

const undecided =
  (hash: string) =>
  ({ mayHaveArrived, message, reason }: SendFailure) =>
    reason === "not_configured" || reason === "sunset"
      ? new NotImplemented({ detail: `${message}.` })
      : new SendUndecided({
          detail: mayHaveArrived
            ? `The transaction may have arrived, or may still arrive: look it up before you send it again (${message}).`
            : `The transaction was not sent (${message}).`,
          hash,
          sent: mayHaveArrived ? "unknown" : "no"
        })

/** POST /transactions/send: checks a signed transaction and sends it to one node after the other, until a node may have accepted it. */
export const sending = Effect.gen(function* () {
  const networks = yield* Chains
  const send = yield* Sends.make
  return Effect.fnUntraced(
    function* ({ payload: { network: name, testnet = false, transaction } }: { readonly payload: SendRequest }) {
      const { ability, network } = yield* supporting(networks, name, ({ sending }) => sending)
      const read = testnet ? ability.testnet : ability.main
      if (read === undefined) {
        const ids = yield* idsWith(networks, ({ sending }) => sending?.testnet !== undefined)
        return yield* notValid("testnet")(`the service has nodes of the test networks of ${ids} only`)
      }
      const signed = yield* Either.mapLeft(read(transaction), notValid("transaction"))
      const { hash } = signed
      const { response: _, ...outcome } = yield* Effect.mapError(send(network, signed, { testnet }), undecided(hash))
      return { network: network.facts.id, hash, ...outcome }
    },
    Effect.catchTag("NoResult", ({ member = "", message }) => invalid([{ path: member, message }])),
    span("Sending.send")
  )
})
