import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { SendFailure, SendOutcome } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import type { NetworkId } from "../../domain/NetworkId.ts"
import { span } from "../../kernel/span.ts"
import { idsWith, internalError, supporting, timedOut } from "../reading.ts"
import { detachedSends } from "../transactions/detachedSends.ts"

/** A request that is not sent. The message is for people. */
export class SendRefused extends Data.TaggedError("SendRefused")<{
  /** The member of the request that is not valid; undefined if the operator has not configured the network. */
  readonly member: "network" | "transaction" | "testnet" | undefined
  readonly message: string
}> {}

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
    ) => Effect.Effect<Decision, SendRefused | NoDecision>
  }
>() {
  static readonly layer = Layer.scoped(
    Sending,
    Effect.gen(function* () {
      const networks = yield* Chains
      const detached = yield* detachedSends

      const readerOf = Effect.fnUntraced(function* (name: string, testnet: boolean) {
        const { ability, network } = yield* Effect.catchAll(
          supporting(networks, name, ({ sending }) => sending),
          (message) => refused("network", message)
        )
        const read = testnet ? ability.testnet : ability.main
        if (read !== undefined) return { network, read }
        const ids = yield* idsWith(networks, ({ sending }) => sending?.testnet !== undefined)
        return yield* refused("testnet", `the service has nodes of the test networks of ${ids} only`)
      })

      return {
        send: Effect.fnUntraced(function* (name, text, testnet) {
          const { network, read } = yield* readerOf(name, testnet)
          const signed = read(text)
          if (Either.isLeft(signed)) return yield* refused("transaction", signed.left)
          const { hash, send } = signed.right
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

const refused = (member: SendRefused["member"], message: string) => Effect.fail(new SendRefused({ member, message }))

const noDecision =
  (hash: string) =>
  ({ mayHaveArrived, message, reason }: SendFailure) =>
    reason === "not_configured" || reason === "sunset"
      ? new SendRefused({ member: undefined, message })
      : new NoDecision({ hash, message, mayHaveArrived: mayHaveArrived === true })
