import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ReadFailure } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import type { NetworkId } from "../../domain/NetworkId.ts"
import type { Replacement } from "../../domain/Replacement.ts"
import type { TransactionState } from "../../domain/Transaction.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { type AnyNetwork, guarded, internalError } from "../reading.ts"

/** Why there is no result: a member of the request is not valid, or a source could not be read. */
export class ReplacementError extends Data.TaggedError("ReplacementError")<{
  readonly member?: "network" | "hash"
  readonly reason?: ReadFailure["reason"]
  /** For people. */
  readonly message: string
}> {}

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
    readonly of: (network: string, hash: string) => Effect.Effect<TransactionReplacement, ReplacementError>
  }
>() {
  static readonly layer = Layer.effect(
    Replacements,
    Effect.gen(function* () {
      const networks = yield* Chains
      const deadline = Deadline.make(yield* requestDeadline)

      const unsupported = (name: string) =>
        Effect.flatMap(networks.all, (all) => {
          const ids = all.filter(({ replacement }) => replacement !== undefined).map(({ facts }) => facts.id)
          return refused("network", `must be one of ${ids.join(", ")}; it is "${name.slice(0, 100)}"`)
        })

      return {
        of: Effect.fnUntraced(function* (name, text) {
          const network = Option.getOrUndefined(yield* networks.find(name))
          const { replacement, statuses } = network ?? {}
          if (network === undefined || statuses === undefined || replacement === undefined)
            return yield* unsupported(name)
          const parsed = statuses.hash(text)
          if (Either.isLeft(parsed)) return yield* refused("hash", parsed.left)
          const hash = parsed.right
          const result = yield* Effect.mapError(
            guarded(network, deadline.share("read"), read(statuses, replacement, hash)),
            (failure) => new ReplacementError(failure)
          )
          return { network: network.facts.id, hash, ...result }
        }, span("Replacements.of"))
      }
    })
  )
}

const refused = (member: "network" | "hash", message: string) => Effect.fail(new ReplacementError({ member, message }))

const read = (
  statuses: NonNullable<AnyNetwork["statuses"]>,
  replacement: NonNullable<AnyNetwork["replacement"]>,
  hash: string
) =>
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
