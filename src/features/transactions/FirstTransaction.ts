import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { storedAs } from "../../catalogue/NetworkFacts.ts"
import type { FirstTransaction as First, ReadFailure } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { isPossibleTime } from "../../chains/kit/status/currentHead.ts"
import { type Millis, millis, now, numberOf, Seconds, shift, toSeconds } from "../../domain/units.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Store from "../../storage/Store.ts"
import { CurrentPriority, priorities } from "../../upstream/Priority.ts"
import { type AnyNetwork, guarded, internalError, type Reading, sharedReads } from "../reading.ts"

/** The result of one network: `none` if the address was never used there. */
export type FirstTransactionResult = Reading<Option.Option<First>>

type FirstTransactionSource = AnyNetwork & Required<Pick<AnyNetwork, "firstTransaction">>

/** The times of the first transactions of addresses. */
export class FirstTransaction extends Context.Tag("features/transactions/FirstTransaction")<
  FirstTransaction,
  {
    /**
     * The result of each network, under the name in the request; networks that do not support it are omitted. Cannot
     * fail and ends before the deadline. Left says why no network accepts the address.
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
}

const isSource = (network: AnyNetwork): network is FirstTransactionSource => network.firstTransaction !== undefined

/** A final first transaction never changes. */
const forEver = "36500 days"

/** How long a result that may still change is cached, ms. */
const brief = 10_000

/** Maximum number of cached results. */
const capacity = 10_000

/** Looks up a first transaction in the caches, then at the network. Equal lookups in flight are shared. */
const lookUps = Effect.gen(function* () {
  const stored = yield* Store.dated("first-transaction", 1, Seconds)
  const scope = yield* Effect.scope
  const time = Deadline.make(yield* requestDeadline).share("price")
  const once = yield* sharedReads<FirstTransactionResult>("first transactions", capacity)

  return (network: FirstTransactionSource, address: string): Effect.Effect<FirstTransactionResult> => {
    const key = `${storedAs(network.facts)} ${address}`
    const isFinal = ({ at, uncertainty }: First, clock: Millis) =>
      uncertainty === undefined && at < shift(toSeconds(clock), -network.facts.finality)
    const look = Effect.gen(function* () {
      const known = (yield* stored.getMany([key])).get(key)
      if (known !== undefined) return Option.some({ at: known.value })
      const found = yield* Effect.provideService(
        guarded(network, time, network.firstTransaction(address)),
        CurrentPriority,
        priorities.history
      )
      const clock = yield* now
      if (Option.exists(found, ({ at }) => !isPossibleTime(network.facts, at, clock)))
        return yield* Effect.fail(wrongTime)
      if (Option.isSome(found) && isFinal(found.value, clock))
        yield* Effect.forkIn(
          stored.setMany(new Map([[key, { at: numberOf(clock), value: found.value.at }]]), forEver),
          scope
        )
      return found
    })
    const safely = Effect.catchAllDefect(look, () => Effect.fail(internalError))
    return once(key, Effect.either(safely), (found, at) =>
      Either.isLeft(found) || Option.exists(found.right, (first) => isFinal(first, millis(at))) ? undefined : at + brief
    )
  }
})

const wrongTime: ReadFailure = {
  reason: "bad_answer",
  message: "returned a time at which the network had no transactions"
}
