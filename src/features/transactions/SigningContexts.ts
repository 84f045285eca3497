import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Chain, Unread } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import type { TransactionContext } from "../../domain/transactionContext/TransactionContext.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import { requestDeadline } from "../../settings/variables.ts"

type SigningNetwork = Context.Tag.Service<Chain>

/** What signing a transaction of one address needs, or why that could not be read. */
export type ContextResult = Either.Either<TransactionContext, Unread>

/** The results under one key of a request. */
interface NetworkContexts {
  /** The network as the client wrote it. */
  readonly name: string
  /** Each address once, as the client wrote it. */
  readonly results: ReadonlyArray<readonly [text: string, result: ContextResult]>
}

/** What transactions of addresses are built from. */
export class SigningContexts extends Context.Tag("features/transactions/SigningContexts")<
  SigningContexts,
  {
    /**
     * The context of each address, by the supported networks of the request and in its order. Cannot fail and ends
     * before the deadline: an address that could not be read has a reason, and costs no other address its context.
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
                readAll(network, [...new Set(parts.flatMap(({ texts }) => texts))], running),
                (results) => [network, results] as const
              )
            )
          )
          return requested.map(({ name, network, texts }) => ({
            name,
            results: texts.map((text) => [text, read.get(network)?.get(text) ?? Either.left(internalError)] as const)
          }))
        }, span("SigningContexts.of"))
      }
    })
  )

  /** Without networks. */
  static readonly layerNone = Layer.succeed(SigningContexts, { of: () => Effect.succeed([]) })
}

/** One result per spelling, and one read per address. Cannot fail. */
const readAll = (
  network: SigningNetwork,
  texts: ReadonlyArray<string>,
  { remaining }: Deadline.Running
): Effect.Effect<ReadonlyMap<string, ContextResult>> =>
  Effect.gen(function* () {
    const parsed = texts.map((text) => [text, network.address(text)] as const)
    const addresses = [...new Set(parsed.flatMap(([, address]) => Option.toArray(Either.getRight(address))))]
    const results = yield* readAddresses(network, addresses, remaining)
    return new Map(
      parsed.map(([text, address]): readonly [string, ContextResult] => [
        text,
        Either.isLeft(address)
          ? Either.left({ reason: "invalid_address", message: address.left })
          : (results.get(address.right) ?? Either.left(internalError))
      ])
    )
  })

/** Each address by itself, within what is left of the request's time for reading. */
const readAddresses = (
  { facts, transactionContexts }: SigningNetwork,
  addresses: ReadonlyArray<string>,
  remaining: Deadline.Running["remaining"]
): Effect.Effect<ReadonlyMap<string, ContextResult>> =>
  Effect.gen(function* () {
    const read = yield* transactionContexts?.(addresses) ?? Effect.succeed(() => Effect.fail(notBuilt(facts.name)))
    const results = yield* each(addresses, (address) =>
      Effect.flatMap(remaining("read"), (duration) =>
        Effect.either(Effect.suspend(() => read(address))).pipe(
          timeoutTo({ duration, onTimeout: () => Effect.succeed<ContextResult>(Either.left(timedOut)) }),
          Effect.catchAllDefect((defect) =>
            Effect.as(Effect.logError(`${facts.id}: internal error`, defect), Either.left(internalError))
          )
        )
      )
    )
    return new Map(addresses.map((address, index) => [address, results[index] ?? Either.left(internalError)]))
  })

const timedOut: Unread = { reason: "timeout", message: "timed out" }
const internalError: Unread = { reason: "upstream_error", message: "internal error" }
const notBuilt = (name: string): Unread => ({
  reason: "not_configured",
  message: `transactions of ${name} are not supported`
})
