import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { ReadFailure, TransactionStatus } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { type AnyNetwork, guarded, type NetworkResults, readEach, readNetworks } from "../reading.ts"

/** Looks up the status of transactions. */
export class TransactionStatuses extends Context.Tag("features/transactionStatus/TransactionStatuses")<
  TransactionStatuses,
  {
    /**
     * The status of each transaction, by the supported networks of the request and in its order. Cannot fail and ends
     * before the deadline: a transaction that could not be read has a reason, and does not affect the others.
     */
    readonly of: (
      wanted: Readonly<Record<string, ReadonlyArray<string>>>
    ) => Effect.Effect<ReadonlyArray<NetworkResults<TransactionStatus>>>
  }
>() {
  static readonly layer = Layer.effect(
    TransactionStatuses,
    Effect.gen(function* () {
      const networks = yield* Chains
      const deadline = Deadline.make(yield* requestDeadline)
      return {
        of: Effect.fnUntraced(function* (wanted) {
          const { remaining } = yield* deadline.start
          return yield* readNetworks(networks, wanted, (network, texts) =>
            Effect.flatMap(remaining("read"), (duration) => readAll(network, texts, duration))
          )
        }, span("TransactionStatuses.of"))
      }
    })
  )

  /** Without networks. */
  static readonly layerNone = Layer.succeed(TransactionStatuses, { of: () => Effect.succeed([]) })
}

/** Reads all transactions of a network at once. */
const readAll = (network: AnyNetwork, texts: ReadonlyArray<string>, duration: number) =>
  readEach<TransactionStatus>({ address: network.statuses?.hash ?? Either.right }, texts, undefined, (hashes) =>
    guarded(network, duration, network.statuses?.read(hashes) ?? Effect.fail(unsupported(network.facts.name)))
  )

const unsupported = (name: string): ReadFailure => ({
  reason: "not_configured",
  message: `the status of transactions of ${name} cannot be read`
})
