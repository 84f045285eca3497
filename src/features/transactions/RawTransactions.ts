import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { additionsLast } from "../../catalogue/NetworkFacts.ts"
import type { NodeResponse, ReadFailure } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { uncertain } from "../../chains/kit/sending/outcomes.ts"
import { span } from "../../kernel/span.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { NoResult, notValid, supporting } from "../reading.ts"
import * as Sends from "../sending/Sends.ts"

/** A timeout means that no node answered in time. */
type LookupOutcome = Effect.Effect<NodeResponse, NoResult | Cause.TimeoutException>

/** Sends and looks up raw transactions on networks that support it; returns the responses of nodes unchanged. */
export class RawTransactions extends Context.Tag("features/transactions/RawTransactions")<
  RawTransactions,
  {
    /**
     * Checks a transaction and sends it to one node after the other, until a node may have accepted it. A started send
     * continues: an interruption or the deadline of the caller only ends the caller's wait.
     */
    readonly send: (chain: string, transaction: string) => LookupOutcome
    readonly find: (chain: string, hash: string) => LookupOutcome
  }
>() {
  static readonly layer = Layer.scoped(
    RawTransactions,
    Effect.gen(function* () {
      const networks = yield* Chains
      const listed = {
        ...networks,
        all: Effect.map(networks.all, (all) => additionsLast(all, ({ facts }) => facts))
      }
      const deadline = yield* requestDeadline
      const sends = yield* Sends.make

      const sentOutOfTime = new Cause.TimeoutException(
        "No node answered in time. The transaction may have arrived, or may still arrive: look it up before you send it again."
      )

      const send = Effect.fnUntraced(function* (chain: string, text: string) {
        const { ability: prepare, network } = yield* supporting(
          listed,
          chain,
          ({ rawTransactions }) => rawTransactions?.prepareSend,
          "chain"
        )
        const signed = yield* Either.mapLeft(prepare(text), notValid("tx"))
        // The response is the node's own, also for an expired transaction.
        const { response } = yield* Effect.mapError(sends(network, signed, { sendsExpired: true }), (failure) =>
          failure === Sends.outOfTime ? sentOutOfTime : toNoResult(uncertain(signed.hash)(failure))
        )
        return response ?? (yield* Effect.dieMessage(`${network.facts.id}: the node's response is missing`))
      }, span("RawTransactions.send"))

      const find = Effect.fnUntraced(function* (chain: string, text: string) {
        const { ability } = yield* supporting(listed, chain, ({ rawTransactions }) => rawTransactions, "chain")
        const found = yield* Either.mapLeft(ability.prepareLookup(text), notValid("tx"))
        return yield* found.pipe(
          Effect.mapError(toNoResult),
          timeoutFail({
            duration: deadline,
            onTimeout: () => new Cause.TimeoutException("No node answered in time.")
          })
        )
      }, span("RawTransactions.find"))

      return { send, find }
    })
  )
}

const toNoResult = (failure: ReadFailure) => new NoResult(failure)
