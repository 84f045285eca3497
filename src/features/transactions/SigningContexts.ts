import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ReadFailure } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import type { TransactionContext } from "../../domain/transactionContext/TransactionContext.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { type AnyNetwork, guarded, internalError, readEach } from "../reading.ts"

/** The data for signing a transaction of one address, or why it could not be read. */
export type ContextResult = Either.Either<TransactionContext, ReadFailure>

/** The results under one key of a request. */
interface NetworkContexts {
  /** The network as the client wrote it. */
  readonly name: string
  /** Without duplicate addresses, as the client wrote them. */
  readonly results: ReadonlyArray<readonly [text: string, result: ContextResult]>
}

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
    ) => Effect.Effect<ReadonlyArray<NetworkContexts>>
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
          const find = yield* networks.named(Object.keys(wanted))
          const requested = Object.entries(wanted).flatMap(([name, texts]) =>
            Option.match(find(name), {
              onNone: () => [],
              onSome: (network) => [{ name, network, texts: [...new Set(texts)] }]
            })
          )
          const groups = Map.groupBy(requested, ({ network }) => network)
          const read = new Map(
            yield* each([...groups], ([network, parts]) =>
              Effect.map(
                readAll(
                  network,
                  parts.flatMap(({ texts }) => texts),
                  running
                ),
                (results) => [network, results] as const
              )
            )
          )
          return requested.map(({ name, network, texts }) => ({
            name,
            results: texts.map(
              (text) => [text, read.get(network)?.get(text)?.result ?? Either.left(internalError)] as const
            )
          }))
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
