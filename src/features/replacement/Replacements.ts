import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Chains } from "../../chains/Chains.ts"
import type { NetworkId } from "../../domain/NetworkId.ts"
import type { Replacement } from "../../domain/Replacement.ts"
import type { TransactionState } from "../../domain/Transaction.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { type AnyNetwork, internalError, type NoResult, notValid, readOnce, supporting } from "../reading.ts"

/** What must be paid to replace or cancel a transaction; all is null with a reason unless it is pending. */
interface TransactionReplacement extends Replacement {
  readonly network: NetworkId
  /** In canonical form. */
  readonly hash: string
  readonly status: TransactionState
}

/** Reads what must be paid to replace or cancel a pending transaction. */
export class Replacements extends Context.Tag("features/replacement/Replacements")<
  Replacements,
  {
    /** Of a transaction of a network, which is named by id or alias in any case. Ends before the deadline. */
    readonly of: (network: string, hash: string) => Effect.Effect<TransactionReplacement, NoResult>
  }
>() {
  static readonly layer = Layer.effect(
    Replacements,
    Effect.gen(function* () {
      const networks = yield* Chains
      const deadline = Deadline.make(yield* requestDeadline)
      return {
        of: Effect.fnUntraced(function* (name, text) {
          const { ability, network } = yield* supporting(
            networks,
            name,
            ({ replacement, statuses }) => replacement && statuses && { replacement, statuses }
          )
          const hash = yield* Either.mapLeft(ability.statuses.hash(text), notValid("hash"))
          const result = yield* readOnce(network, deadline.share("read"), read(ability, hash))
          return { network: network.facts.id, hash, ...result }
        }, span("Replacements.of"))
      }
    })
  )
}

const read = ({ replacement, statuses }: Required<Pick<AnyNetwork, "replacement" | "statuses">>, hash: string) =>
  Effect.gen(function* () {
    const [found = Either.left(internalError)] = yield* statuses.read([hash])
    const { status } = yield* found
    if (status === "pending") return { status, ...(yield* replacement(hash)) }
    return { status, kind: null, minimum: null, transfer: null, reason: reasons[status] }
  })

/** Why a transaction in this state cannot be replaced. */
const reasons: Readonly<Record<Exclude<TransactionState, "pending">, string>> = {
  confirmed: "it is in a block already",
  failed: "it is in a block already",
  replaced: "another transaction has replaced it already",
  expired: "it has expired: no block can include it anymore",
  not_found: "the sources do not have it"
}
