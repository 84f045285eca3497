import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Chains } from "../../chains/Chains.ts"
import type { Estimate } from "../../domain/Estimate.ts"
import type { NetworkId } from "../../domain/NetworkId.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { type NoResult, notValid, readOnce, supporting } from "../reading.ts"

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
    readonly of: (network: string, draft: Draft) => Effect.Effect<Estimate & { readonly network: NetworkId }, NoResult>
  }
>() {
  static readonly layer = Layer.effect(
    Estimates,
    Effect.gen(function* () {
      const networks = yield* Chains
      const deadline = Deadline.make(yield* requestDeadline)
      return {
        of: Effect.fnUntraced(function* (name, { data, from, to, value = "0" }) {
          const { ability: estimate, network } = yield* supporting(networks, name, ({ estimate }) => estimate)
          const address = (member: string, text: string) => Either.mapLeft(network.address(text), notValid(member))
          const transaction = {
            from: yield* address("transaction.from", from),
            to: to == null ? undefined : yield* address("transaction.to", to),
            value: BigInt(value),
            data
          }
          if (transaction.to === undefined && (data === undefined || data === "0x"))
            return yield* notValid("transaction.data")("is missing: a transaction without to creates a contract")
          const found = yield* readOnce(network, deadline.share("read"), estimate(transaction))
          return { network: network.facts.id, ...found }
        }, span("Estimates.of"))
      }
    })
  )
}
