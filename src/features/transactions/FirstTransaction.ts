import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Chain, FirstTransaction as First, Unread } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import * as BoundedMap from "../../kernel/BoundedMap.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import * as SingleFlight from "../../kernel/SingleFlight.ts"
import { span } from "../../kernel/span.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import { requestDeadline } from "../../settings/Deadline.ts"
import * as Store from "../../storage/Store.ts"
import { CurrentPriority, priorities } from "../../upstream/Priority.ts"

/** What is found out about one network: none where the address was never used there. */
export type FirstTransactionResult = Either.Either<Option.Option<First>, Unread>

type FirstTransactionSource = Context.Tag.Service<Chain> &
  Required<Pick<Context.Tag.Service<Chain>, "firstTransaction">>

/** When addresses were first used. */
export class FirstTransaction extends Context.Tag("features/transactions/FirstTransaction")<
  FirstTransaction,
  {
    /**
     * What each network tells of an address, under its name as it was asked for; networks that tell none are left out.
     * Cannot fail and ends before the deadline. Left says what is wrong with an address that no network takes.
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
      const ask = yield* asking
      const tellers = networks.all.filter(isTeller)

      return {
        of: Effect.fnUntraced(function* (names, text) {
          const canonical = new Map(tellers.map((network) => [network, network.address(text)]))
          const forms = [...canonical.values()]
          const [problem] = forms.flatMap((form) => (Either.isLeft(form) ? [form.left] : []))
          if (problem !== undefined && forms.every(Either.isLeft)) return Either.left(problem)
          const wanted = [...new Set(names)].flatMap((name) =>
            Option.match(Option.filter(networks.find(name), isTeller), {
              onNone: () => [],
              onSome: (network) => [[name, network] as const]
            })
          )
          const asked = [...new Set(wanted.map(([, network]) => network))]
          const told = yield* each(asked, (network) => {
            const address = canonical.get(network) ?? Either.left("")
            return Either.isLeft(address)
              ? Effect.succeed<FirstTransactionResult>(
                  Either.left({ reason: "invalid_address", message: address.left })
                )
              : ask(network, address.right)
          })
          const byNetwork = new Map(asked.map((network, index) => [network, told[index]]))
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

  /** Where no network tells. */
  static readonly layerNone = Layer.succeed(FirstTransaction, { of: () => Effect.succeed(Either.right(new Map())) })
}

const isTeller = (network: Context.Tag.Service<Chain>): network is FirstTransactionSource =>
  network.firstTransaction !== undefined

/** It never changes. */
const forEver = "36500 days"

/** What may still change is not asked for anew within this time, ms. */
const brief = 10_000

/** So many of those are remembered. */
const capacity = 10_000

/** Asks a network, where it is not known already, once at a time however many want to know. */
const asking = Effect.gen(function* () {
  const stored = yield* Store.dated("first-transaction", 1, Schema.Number)
  const scope = yield* Effect.scope
  const time = Deadline.make(yield* requestDeadline).share("price")
  const recent = BoundedMap.sized<FirstTransactionResult>(capacity)
  const flights = SingleFlight.make<string, FirstTransactionResult>(scope)

  const look = (network: FirstTransactionSource, address: string, key: string) =>
    Effect.gen(function* () {
      const known = (yield* stored.getMany([key])).get(key)
      if (known !== undefined) return Either.right(Option.some({ at: known.value }))
      const found: FirstTransactionResult = yield* network.firstTransaction(address).pipe(
        timeoutFail({ duration: time, onTimeout: () => late }),
        Effect.catchAllDefect((defect) =>
          Effect.zipRight(Effect.logError(`${network.facts.id}: internal error`, defect), Effect.fail(ours))
        ),
        Effect.provideService(CurrentPriority, priorities.history),
        Effect.either
      )
      if (Either.isLeft(found)) return found
      const now = yield* Clock.currentTimeMillis
      const { at, uncertainty: doubt } = Option.getOrElse(found.right, (): First => ({ at: Number.POSITIVE_INFINITY }))
      if (doubt === undefined && at < now / 1000 - network.facts.finality)
        yield* Effect.forkIn(stored.setMany(new Map([[key, { at: now, value: at }]]), forEver), scope)
      else recent.set(key, found, now + brief)
      return found
    })

  return (network: FirstTransactionSource, address: string): Effect.Effect<FirstTransactionResult> =>
    Effect.gen(function* () {
      const key = `${network.facts.id} ${address}`
      const known = recent.get(key, yield* Clock.currentTimeMillis)
      if (known !== undefined) return known
      const safely = Effect.catchAllDefect(look(network, address, key), () => Effect.succeed(Either.left(ours)))
      return yield* flights.join(key, safely)
    })
})

const late: Unread = { reason: "timeout", message: "timed out" }
const ours: Unread = { reason: "upstream_error", message: "internal error" }
