import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Chains } from "../../chains/Chains.ts"
import { withoutResult } from "../../contract/problem/issues.ts"
import type { ReplacementRequest } from "../../contract/ReplacementApi.ts"
import type { TransactionState } from "../../domain/Transaction.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { type AnyNetwork, internalError, notValid, readOnce, supporting } from "../reading.ts"

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

/** POST /transactions/replacement: reads what must be paid to replace or cancel a pending transaction. Ends before the deadline. */
export const replacing = Effect.gen(function* () {
  const networks = yield* Chains
  const deadline = Deadline.make(yield* requestDeadline)
  return Effect.fnUntraced(
    function* ({ payload: { hash: text, network: name } }: { readonly payload: ReplacementRequest }) {
      const { ability, network } = yield* supporting(
        networks,
        name,
        ({ replacement, statuses }) => replacement && statuses && { replacement, statuses }
      )
      const hash = yield* Either.mapLeft(ability.statuses.hash(text), notValid("hash"))
      const result = yield* readOnce(network, deadline.share("read"), read(ability, hash))
      return { network: network.facts.id, hash, ...result }
    },
    span("Replacements.of"),
    Effect.mapError(withoutResult("The transaction could not be read: "))
  )
})
