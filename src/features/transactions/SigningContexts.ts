import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ReadFailure } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import type { TransactionContext } from "../../domain/transactionContext/TransactionContext.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { type AnyNetwork, guarded, type NetworkResults, readEach, readNetworks } from "../reading.ts"

/** Reads the data for building transactions of addresses. */
export class SigningContexts extends Context.Tag("features/transactions/SigningContexts")<
  SigningContexts,
  {
    /**
     * The context of each address, by the supported networks of the request and in its order. Cannot fail and ends
     * before the deadline: an address that could not be read has a reason, and does not affect other addresses.
     */
    readonly of: (
      wanted: Readonly<Record<string, ReadonlyArray<string>>>
    ) => Effect.Effect<ReadonlyArray<NetworkResults<TransactionContext>>>
  }
>() {
  static readonly layer = Layer.effect(
    SigningContexts,
    Effect.gen(function* () {
      const networks = yield* Chains
      const deadline = Deadline.make(yield* requestDeadline)
      return {
        of: Effect.fnUntraced(function* (wanted) {
          const running = yield* deadline.start
          return yield* readNetworks(networks, wanted, (network, texts) => readAll(network, texts, running))
        }, span("SigningContexts.of"))
      }
    })
  )

  /** Without networks. */
  static readonly layerNone = Layer.succeed(SigningContexts, { of: () => Effect.succeed([]) })
}

/** Reads each address separately, within the remaining read time of the request. */
const readAll = (network: AnyNetwork, texts: ReadonlyArray<string>, { remaining }: Deadline.Started) =>
  readEach<TransactionContext>(network, texts, undefined, (addresses) =>
    Effect.flatMap(network.transactionContexts?.(addresses) ?? Effect.fail(notBuilt(network.facts.name)), (read) =>
      each(addresses, (address) =>
        Effect.flatMap(remaining("read"), (duration) => Effect.either(guarded(network, duration, read(address))))
      )
    )
  )

const notBuilt = (name: string): ReadFailure => ({
  reason: "not_configured",
  message: `transactions of ${name} are not supported`
})
