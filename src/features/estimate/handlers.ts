import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Chains } from "../../chains/Chains.ts"
import type { EstimateRequest } from "../../contract/EstimateApi.ts"
import { withoutResult } from "../../contract/problem/issues.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { notValid, readOnce, supporting } from "../reading.ts"

/** POST /transactions/estimate: estimates the gas of a transaction. Ends before the deadline. */
export const estimating = Effect.gen(function* () {
  const networks = yield* Chains
  const deadline = Deadline.make(yield* requestDeadline)
  return Effect.fnUntraced(
    function* ({
      payload: {
        network: name,
        transaction: { data, from, to, value = "0" }
      }
    }: {
      readonly payload: EstimateRequest
    }) {
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
    },
    span("Estimates.of"),
    Effect.mapError(withoutResult("The transaction could not be estimated: "))
  )
})
