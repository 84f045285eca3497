import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ReadFailure } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import type { Estimate } from "../../domain/Estimate.ts"
import type { NetworkId } from "../../domain/NetworkId.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { guarded } from "../reading.ts"

/** Why there is no estimate: a member of the request is not valid, or no node could be read. */
export class EstimateError extends Data.TaggedError("EstimateError")<{
  /** Path of the member. */
  readonly member?: string
  readonly reason?: ReadFailure["reason"]
  /** For people. */
  readonly message: string
}> {}

/** A transaction as a client writes it. Without `to`, it creates a contract. */
interface Draft {
  readonly from: string
  readonly to?: string | null
  /** Wei, decimal. */
  readonly value?: string
  readonly data?: string
}

/** Estimates the gas of transactions. */
export class Estimates extends Context.Tag("features/estimate/Estimates")<
  Estimates,
  {
    /** For a network, which is named by id or alias in any case. Ends before the deadline. */
    readonly of: (
      network: string,
      draft: Draft
    ) => Effect.Effect<Estimate & { readonly network: NetworkId }, EstimateError>
  }
>() {
  static readonly layer = Layer.effect(
    Estimates,
    Effect.gen(function* () {
      const networks = yield* Chains
      const deadline = Deadline.make(yield* requestDeadline)

      const unsupported = (name: string) =>
        Effect.flatMap(networks.all, (all) => {
          const ids = all.filter(({ estimate }) => estimate !== undefined).map(({ facts }) => facts.id)
          return refused("network", `must be one of ${ids.join(", ")}; it is "${name.slice(0, 100)}"`)
        })

      return {
        of: Effect.fnUntraced(function* (name, { data, from, to, value = "0" }) {
          const network = Option.getOrUndefined(yield* networks.find(name))
          if (network?.estimate === undefined) return yield* unsupported(name)
          const address = (member: string, text: string) =>
            Either.mapLeft(network.address(text), (message) => new EstimateError({ member, message }))
          const transaction = {
            from: yield* address("transaction.from", from),
            to: to == null ? undefined : yield* address("transaction.to", to),
            value: BigInt(value),
            data
          }
          if (transaction.to === undefined && (data === undefined || data === "0x"))
            return yield* refused("transaction.data", "is missing: a transaction without to creates a contract")
          const found = yield* Effect.mapError(
            guarded(network, deadline.share("read"), network.estimate(transaction)),
            (failure) => new EstimateError(failure)
          )
          return { network: network.facts.id, ...found }
        }, span("Estimates.of"))
      }
    })
  )
}

const refused = (member: string, message: string) => Effect.fail(new EstimateError({ member, message }))
