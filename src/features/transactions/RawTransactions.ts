import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { additionsLast } from "../../catalogue/NetworkFacts.ts"
import type { RawTransactions as Ability, Chain, NodeResponse, ReadFailure } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { span } from "../../kernel/span.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { detachedSends } from "./detachedSends.ts"

/** Why there is no response from a node. The message is for people. */
export class RawTransactionError extends Data.TaggedError("RawTransactionError")<{
  /** In order: unsupported by the chain; invalid text; no node configured; no node responded; no response in time. */
  readonly kind: "unsupported" | "invalid" | "not_configured" | "unavailable" | "timed_out"
  readonly message: string
}> {}

type LookupOutcome = Effect.Effect<NodeResponse, RawTransactionError>

/** Sends and looks up raw transactions on networks that support it; returns the responses of nodes unchanged. */
export class RawTransactions extends Context.Tag("features/transactions/RawTransactions")<
  RawTransactions,
  {
    /**
     * Checks a transaction and sends it to one node after the other, until a node may have accepted it. A started send
     * continues: an interruption or the deadline of the caller only ends the caller's wait.
     */
    readonly send: (chain: string, transaction: string) => LookupOutcome
    /** Looks a transaction up by its hash. */
    readonly find: (chain: string, hash: string) => LookupOutcome
  }
>() {
  static readonly layer = Layer.scoped(
    RawTransactions,
    Effect.gen(function* () {
      const networks = yield* Chains
      const deadline = yield* requestDeadline
      const detached = yield* detachedSends

      /** An ability of a network, by id or alias in any case. */
      const ability = <A>(chain: string, of: (transactions: Ability) => A | undefined) => {
        const abilityOf = ({ rawTransactions }: Context.Tag.Service<Chain>) =>
          rawTransactions === undefined ? undefined : of(rawTransactions)
        const unsupported = Effect.flatMap(networks.all, (all) => {
          const supported = additionsLast(all, ({ facts }) => facts)
            .filter((network) => abilityOf(network) !== undefined)
            .map(({ facts }) => facts.id)
          return failed("unsupported", `must be one of ${supported.join(", ")}; it is "${chain.slice(0, 100)}"`)
        })
        return Effect.flatMap(networks.find(chain), (network) =>
          Option.match(Option.flatMapNullable(network, abilityOf), {
            onNone: () => unsupported,
            onSome: Effect.succeed
          })
        )
      }

      const timedOut = (message: string) => () => new RawTransactionError({ kind: "timed_out", message })

      const send = Effect.fnUntraced(function* (chain: string, text: string) {
        const sending = yield* ability(chain, ({ prepareSend: sending }) => sending)
        const sent = yield* checked(sending(text))
        return yield* detached(
          Effect.mapError(sent, toError),
          timedOut(
            "No node answered in time. The transaction may have arrived, or may still arrive: look it up before you send it again."
          )
        )
      }, span("RawTransactions.send"))

      const find = Effect.fnUntraced(function* (chain: string, text: string) {
        const finding = yield* ability(chain, ({ prepareLookup: finding }) => finding)
        const found = yield* checked(finding(text))
        return yield* found.pipe(
          Effect.mapError(toError),
          timeoutFail({ duration: deadline, onTimeout: timedOut("No node answered in time.") })
        )
      }, span("RawTransactions.find"))

      return { send, find }
    })
  )
}

const failed = (kind: RawTransactionError["kind"], message: string) =>
  Effect.fail(new RawTransactionError({ kind, message }))

const checked = <A>(result: Either.Either<A, string>) =>
  Either.mapLeft(result, (message) => new RawTransactionError({ kind: "invalid", message }))

const toError = ({ message, reason }: ReadFailure) =>
  new RawTransactionError({ kind: reason === "not_configured" ? "not_configured" : "unavailable", message })
