import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { SendFailure, SendOutcome } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import type { NetworkId } from "../../domain/NetworkId.ts"
import { span } from "../../kernel/span.ts"
import { idsWith, internalError, NoResult, notValid, supporting, timedOut } from "../reading.ts"
import { detachedSends } from "../transactions/RawTransactions.ts"

/** No node is known to have accepted or refused the transaction. */
export class NoDecision extends Data.TaggedError("NoDecision")<{
  readonly hash: string
  readonly message: string
  readonly mayHaveArrived: boolean
}> {}

/** The decision about a transaction. */
export interface Decision extends SendOutcome {
  readonly network: NetworkId
  readonly hash: string
}

/** Sends signed transactions of any network. */
export class Sending extends Context.Tag("features/sending/Sending")<
  Sending,
  {
    /**
     * Checks a transaction and sends it to one node after the other, until a node may have accepted it. A started send
     * continues: an interruption or the deadline of the caller only ends the caller's wait.
     */
    readonly send: (
      network: string,
      transaction: string,
      testnet: boolean
    ) => Effect.Effect<Decision, NoResult | NoDecision>
  }
>() {
  static readonly layer = Layer.scoped(
    Sending,
    Effect.gen(function* () {
      const networks = yield* Chains
      const detached = yield* detachedSends

      return {
        send: Effect.fnUntraced(function* (name, text, testnet) {
          const { ability, network } = yield* supporting(networks, name, ({ sending }) => sending)
          const read = testnet ? ability.testnet : ability.main
          if (read === undefined) {
            const ids = yield* idsWith(networks, ({ sending }) => sending?.testnet !== undefined)
            return yield* notValid("testnet")(`the service has nodes of the test networks of ${ids} only`)
          }
          const { hash, send } = yield* Either.mapLeft(read(text), notValid("transaction"))
          const sent = send.pipe(
            Effect.catchAllDefect((defect) =>
              Effect.zipRight(
                Effect.logError(`${network.facts.id}: internal error`, defect),
                Effect.fail<SendFailure>({ ...internalError, mayHaveArrived: true })
              )
            ),
            Effect.mapError(noDecision(hash))
          )
          const outcome = yield* detached(sent, () => noDecision(hash)({ ...timedOut, mayHaveArrived: true }))
          return { network: network.facts.id, hash, ...outcome }
        }, span("Sending.send"))
      }
    })
  )
}

const noDecision =
  (hash: string) =>
  ({ mayHaveArrived, message, reason }: SendFailure) =>
    reason === "not_configured" || reason === "sunset"
      ? new NoResult({ reason, message })
      : new NoDecision({ hash, message, mayHaveArrived: mayHaveArrived === true })
