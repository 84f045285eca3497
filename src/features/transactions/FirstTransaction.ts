import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Chain, FirstTransaction as First, Unread } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { isTimeOf } from "../../chains/currentHead.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import * as SingleFlight from "../../kernel/SingleFlight.ts"
import { span } from "../../kernel/span.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Store from "../../storage/Store.ts"
import { CurrentPriority, priorities } from "../../upstream/Priority.ts"

/** The result of one network: none where the address was never used there. */
export type FirstTransactionResult = Either.Either<Option.Option<First>, Unread>

type FirstTransactionSource = Context.Tag.Service<Chain> &
  Required<Pick<Context.Tag.Service<Chain>, "firstTransaction">>

/** The times of the first transactions of addresses. */
export class FirstTransaction extends Context.Tag("features/transactions/FirstTransaction")<
  FirstTransaction,
  {
    /**
     * The result of each network, under the name in the request; networks without first transactions are left out.
     * Cannot fail and ends before the deadline. Left is what is wrong with an address that no network accepts.
     */
    readonly of: (
      names: ReadonlyArray<string>,
      address: string
    ) => Effect.Effect<Either.Either<ReadonlyMap<string, FirstTransactionResult>, string>>
  }
>() {
  static readonly layer = Layer.scoped(
    FirstTransaction,
    Effect.gen(function* () {
      const networks = yield* Chains
      const lookUp = yield* lookUps
      return {
        of: Effect.fnUntraced(function* (names, text) {
          const sources = (yield* networks.all).filter(isSource)
          const find = yield* networks.named(names)
          const canonical = new Map(sources.map((network) => [network, network.address(text)]))
          const forms = [...canonical.values()]
          const [problem] = forms.flatMap((form) => (Either.isLeft(form) ? [form.left] : []))
          if (problem !== undefined && forms.every(Either.isLeft)) return Either.left(problem)
          const wanted = [...new Set(names)].flatMap((name) =>
            Option.match(Option.filter(find(name), isSource), {
              onNone: () => [],
              onSome: (network) => [[name, network] as const]
            })
          )
          const requested = [...new Set(wanted.map(([, network]) => network))]
          const results = yield* each(requested, (network) => {
            const address = canonical.get(network) ?? Either.left("")
            return Either.isLeft(address)
              ? Effect.succeed<FirstTransactionResult>(
                  Either.left({ reason: "invalid_address", message: address.left })
                )
              : lookUp(network, address.right)
          })
          const byNetwork = new Map(requested.map((network, index) => [network, results[index]]))
          return Either.right(
            new Map(
              wanted.flatMap(([name, network]) => {
                const found = byNetwork.get(network)
                return found === undefined ? [] : [[name, found] as const]
              })
            )
          )
        }, span("FirstTransaction.of"))
      }
    })
  )

  /** Without networks. */
  static readonly layerNone = Layer.succeed(FirstTransaction, { of: () => Effect.succeed(Either.right(new Map())) })
}

const isSource = (network: Context.Tag.Service<Chain>): network is FirstTransactionSource =>
  network.firstTransaction !== undefined

/** A final first transaction never changes. */
const forEver = "36500 days"

/** A result that may still change is returned again for this time, ms. */
const brief = 10_000

/** Those that are cached. */
const capacity = 10_000

/** Looks a first transaction up in the caches, then at the network: equal look-ups that are in flight are joined. */
const lookUps = Effect.gen(function* () {
  const stored = yield* Store.dated("first-transaction", 1, Schema.Int.pipe(Schema.positive()))
  const scope = yield* Effect.scope
  const time = Deadline.make(yield* requestDeadline).share("price")
  const recent = BoundedMap.sized<FirstTransactionResult>(capacity)
  const inFlight = SingleFlight.make<string, FirstTransactionResult>(scope)

  const look = (network: FirstTransactionSource, address: string, key: string) =>
    Effect.gen(function* () {
      const known = (yield* stored.getMany([key])).get(key)
      if (known !== undefined) return Either.right(Option.some({ at: known.value }))
      const found: FirstTransactionResult = yield* network.firstTransaction(address).pipe(
        timeoutFail({ duration: time, onTimeout: () => late }),
        Effect.catchAllDefect((defect) =>
          Effect.zipRight(Effect.logError(`${network.facts.id}: internal error`, defect), Effect.fail(internalError))
        ),
        Effect.provideService(CurrentPriority, priorities.history),
        Effect.either
      )
      if (Either.isLeft(found)) return found
      const now = yield* Clock.currentTimeMillis
      if (Option.exists(found.right, ({ at }) => !isTimeOf(network.facts, at, now))) return Either.left(wrongTime)
      const { at, uncertainty } = Option.getOrElse(found.right, (): First => ({ at: Number.POSITIVE_INFINITY }))
      if (uncertainty === undefined && at < now / 1000 - network.facts.finality)
        yield* Effect.forkIn(stored.setMany(new Map([[key, { at: now, value: at }]]), forEver), scope)
      else recent.set(key, found, now + brief)
      return found
    })

  return (network: FirstTransactionSource, address: string): Effect.Effect<FirstTransactionResult> =>
    Effect.gen(function* () {
      const key = `${network.facts.id} ${address}`
      const before = recent.get(key, yield* Clock.currentTimeMillis)
      if (before !== undefined) return before
      const safely = Effect.catchAllDefect(look(network, address, key), () =>
        Effect.succeed(Either.left(internalError))
      )
      return yield* inFlight.join(key, safely)
    })
})

const late: Unread = { reason: "timeout", message: "timed out" }
const wrongTime: Unread = { reason: "bad_answer", message: "returned a time at which the network had no transactions" }
const internalError: Unread = { reason: "upstream_error", message: "internal error" }
