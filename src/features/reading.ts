import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { namesOf } from "../catalogue/Caip.ts"
import type { ChainFacts } from "../catalogue/NetworkFacts.ts"
import type { Chain, ReadFailure, ScaledToken, Scalings } from "../chains/Chain.ts"
import type { Chains } from "../chains/Chains.ts"
import type { Price } from "../domain/Price.ts"
import { Reason } from "../domain/Reason.ts"
import * as BoundedMap from "../kernel/collections/BoundedMap.ts"
import { each } from "../kernel/each.ts"
import * as SingleFlight from "../kernel/SingleFlight.ts"
import { closest } from "../kernel/text/closest.ts"
import { timeoutFail } from "../kernel/timeout.ts"

// Functions with which use cases read from networks.

export type AnyNetwork = Context.Tag.Service<Chain>

/** Addresses of a request by network id or alias. */
export type RequestedNetworks = Readonly<Record<string, ReadonlyArray<string>>>

export type Reading<A> = Either.Either<A, ReadFailure>

/** Codes of values that could not be read from a network, in metrics. A malformed address is an error of the client. */
export const unreadCodes = Reason.literals.filter(
  (code) => code !== "invalid_address" && code !== "no_price" && code !== "not_listed"
)

/** A network of a request that the service does not have. */
export interface UnknownNetwork {
  /** As in the request. */
  readonly network: string
  /** For people. */
  readonly message: string
  readonly errorCode: "unknown_network"
}

/** Unknown names of a request for which a known one is suggested: each is compared with all networks. */
const maxSuggestions = 20

/** Longest part of a name in a message. */
const maxShown = 100

/**
 * The networks of a request that the service does not have, each once. They are skipped in the body of a response, which
 * is that of the other networks, and named beside it.
 */
export const unknownNetworks = (facts: ReadonlyArray<ChainFacts>) => {
  const known = facts.flatMap(({ aliases, id }): ReadonlyArray<string> => [id, ...aliases])
  const names = new Set(facts.flatMap(namesOf))
  return (requested: Iterable<string>): ReadonlyArray<UnknownNetwork> => {
    const unknown = [...new Set(requested)].filter((name) => !names.has(name.trim().toLowerCase()))
    return unknown.map((network, index) => {
      const meant = index < maxSuggestions ? closest(network, known) : undefined
      const hint = meant === undefined ? "" : `; did you mean "${meant}"?`
      const message = `"${network.slice(0, maxShown)}" is not a network of this service${hint}`
      return { network, message, errorCode: "unknown_network" }
    })
  }
}

export const timedOut: ReadFailure = { reason: "timeout", message: "timed out" }
export const internalError: ReadFailure = { reason: "upstream_error", message: "internal error" }

/** Limits a read to this time, ms. A defect is logged and fails only this read. */
export const guarded = <A>(
  { facts }: Pick<AnyNetwork, "facts">,
  duration: number,
  read: Effect.Effect<A, ReadFailure>
): Effect.Effect<A, ReadFailure> =>
  timeoutFail(
    Effect.suspend(() => read),
    { duration, onTimeout: () => timedOut }
  ).pipe(
    Effect.catchAllDefect((defect) =>
      Effect.zipRight(Effect.logError(`${facts.id}: internal error`, defect), Effect.fail(internalError))
    )
  )

export interface AddressResult<A> {
  /** In canonical form. Left says why the address is invalid. */
  readonly address: Either.Either<string, string>
  readonly result: Reading<A>
}

/** Reads each address once, in parts of at most `size`. Returns the results by spelling. Cannot fail. */
export const readEach = <A>(
  network: Pick<AnyNetwork, "address">,
  texts: Iterable<string>,
  size: number | undefined,
  read: (addresses: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Reading<A>>, ReadFailure>
): Effect.Effect<ReadonlyMap<string, AddressResult<A>>> => {
  const parsed = [...new Set(texts)].map((text) => [text, network.address(text)] as const)
  const addresses = [...new Set(parsed.flatMap(([, address]) => (Either.isRight(address) ? [address.right] : [])))]
  const parts = Arr.chunksOf(addresses, size ?? Math.max(addresses.length, 1))
  return Effect.map(
    each(parts, (part) => Effect.map(Effect.either(read(part)), (results) => [part, results] as const)),
    (all) => {
      const found = new Map(
        all.flatMap(([part, results]) =>
          part.map((address, index) => [address, Either.flatMap(results, (each) => each[index] ?? unread)] as const)
        )
      )
      return new Map(
        parsed.map(([text, address]) => [
          text,
          {
            address,
            result: Either.match(address, {
              onLeft: (message): Reading<A> => Either.left({ reason: "invalid_address", message }),
              onRight: (canonical) => found.get(canonical) ?? unread
            })
          }
        ])
      )
    }
  )
}

const unread: Reading<never> = Either.left(internalError)

/** The ids of the networks with an ability, in one text. */
export const idsWith = (
  networks: Pick<Context.Tag.Service<Chains>, "all">,
  hasAbility: (network: AnyNetwork) => boolean
) =>
  Effect.map(networks.all, (all) =>
    all
      .filter(hasAbility)
      .map(({ facts }) => facts.id)
      .join(", ")
  )

/**
 * The network with this id or alias, in any case, if it has the ability. Fails with the networks that have it; `member`
 * is the path of the name in the request.
 */
export const supporting = <A>(
  networks: Pick<Context.Tag.Service<Chains>, "all" | "find">,
  name: string,
  abilityOf: (network: AnyNetwork) => A | undefined,
  member = "network"
): Effect.Effect<{ readonly network: AnyNetwork; readonly ability: A }, NoResult> =>
  Effect.gen(function* () {
    const network = Option.getOrUndefined(yield* networks.find(name))
    const ability = network && abilityOf(network)
    if (network !== undefined && ability !== undefined) return { network, ability }
    const ids = yield* idsWith(networks, (other) => abilityOf(other) !== undefined)
    return yield* notValid(member)(`must be one of ${ids}; it is "${name.slice(0, 100)}"`)
  })

/** Why a request about one network has no result: a member of it is not valid, or no source could be read. */
export class NoResult extends Data.TaggedError("NoResult")<{
  /** Path of the member. */
  readonly member?: string
  readonly reason?: ReadFailure["reason"]
  /** For people. */
  readonly message: string
}> {}

export const notValid = (member: string) => (message: string) => new NoResult({ member, message })

/** Limits a read for one network like {@link guarded}. */
export const readOnce = <A>(network: AnyNetwork, duration: number, read: Effect.Effect<A, ReadFailure>) =>
  Effect.mapError(guarded(network, duration, read), (failure) => new NoResult(failure))

/**
 * Reads the texts of each network together, even if the request names it several times. Returns the results of the
 * supported networks in the order of the request, with names and texts as the client wrote them, without duplicates.
 */
export const readNetworks = <A>(
  networks: Context.Tag.Service<Chains>,
  wanted: Readonly<Record<string, ReadonlyArray<string>>>,
  read: (network: AnyNetwork, texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, AddressResult<A>>>
) =>
  Effect.gen(function* () {
    const find = yield* networks.named(Object.keys(wanted))
    const requested = Object.entries(wanted).flatMap(([name, texts]) =>
      Option.match(find(name), {
        onNone: () => [],
        onSome: (network) => [{ name, network, texts: [...new Set(texts)] }]
      })
    )
    const groups = Map.groupBy(requested, ({ network }) => network)
    const found = new Map(
      yield* each([...groups], ([network, parts]) =>
        Effect.map(
          read(
            network,
            parts.flatMap(({ texts }) => texts)
          ),
          (results) => [network, results] as const
        )
      )
    )
    return requested.map(({ name, network, texts }) => ({
      name,
      network,
      results: texts.map((text) => [text, found.get(network)?.get(text) ?? missing] as const)
    }))
  })

const missing: AddressResult<never> = { address: Either.left(internalError.message), result: unread }

/** Runs the effect for each item like {@link each}, as a stream of the results, fastest first. */
export const streamEach = <A, B>(items: Effect.Effect<ReadonlyArray<A>>, effect: (item: A) => Effect.Effect<B>) =>
  Stream.asyncPush<B>((emit) => {
    const all = Effect.flatMap(items, (some) => each(some, (item) => Effect.map(effect(item), emit.single)))
    return Effect.forkScoped(Effect.matchCause(all, { onFailure: emit.halt, onSuccess: emit.end }))
  })

/**
 * Shares one read among equal concurrent reads; it continues if its callers are interrupted. A result is cached until
 * the time (ms) that `until` returns.
 */
export const sharedReads = <A>(name: string, capacity: number) =>
  Effect.zipWith(Effect.scope, BoundedMap.sized<A>(name, capacity), (scope, recent) => {
    const inFlight = SingleFlight.make<string, A>(scope)
    return (
      key: string,
      read: Effect.Effect<A>,
      until: (value: A, now: number) => number | undefined
    ): Effect.Effect<A> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const before = recent.get(key, now)
        if (before !== undefined) return Effect.succeed(before)
        const remembering = Effect.tap(read, (value) =>
          Effect.flatMap(Clock.currentTimeMillis, (at) => {
            const end = until(value, at)
            if (end === undefined) return Effect.void
            recent.set(key, value, end)
            // Results can be large: this removes them as soon as they expire, also if the clock was set back.
            const removal = Effect.sync(() => recent.peek(key, end))
            return Effect.forkIn(Effect.delay(removal, end - at), scope)
          })
        )
        return inFlight.join(key, remembering)
      })
  })

/** The scalings of tokens of a network, read within a time (ms). Cannot fail: tokens that were not read are left. */
export const readScalings = (
  network: AnyNetwork,
  tokens: ReadonlyArray<string>,
  within: number
): Effect.Effect<Scalings> =>
  network.scalings === undefined || tokens.length === 0
    ? Effect.succeed(new Map())
    : Effect.catchAll(guarded(network, within, network.scalings(tokens)), (unread) =>
        Effect.succeed(new Map(tokens.map((token) => [token, Either.left(unread)])))
      )

/** The prices of tokens of a network per displayed unit, read within a time (ms). Cannot fail; see `Chain`. */
export const readDisplayedPrices = (
  network: Pick<AnyNetwork, "facts" | "displayedPrices">,
  tokens: ReadonlyArray<ScaledToken>,
  within: number
): Effect.Effect<ReadonlyMap<string, Price>> =>
  network.displayedPrices === undefined || tokens.length === 0
    ? Effect.succeed(new Map())
    : Effect.orElseSucceed(guarded(network, within, network.displayedPrices(tokens)), () => new Map())
