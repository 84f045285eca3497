import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ChainFacts } from "../../catalogue/NetworkFacts.ts"
import type { FeeSource, ReadFailure, Resources } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { type FeeFamily, Fees, isFeeFamily, missingFees } from "../../domain/fees/Fees.ts"
import type { Price } from "../../domain/Price.ts"
import type { Reason } from "../../domain/Reason.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Cache from "../../storage/Cache.ts"
import { Pricing } from "../prices/Pricing.ts"
import { type AnyNetwork, guarded, internalError, type Reading, sharedReads } from "../reading.ts"

/** Fees with the time of the read and the time until which they are current, ms. */
const StoredFees = Schema.Struct({ at: Schema.Number, until: Schema.Number, fees: Fees })
type StoredFees = typeof StoredFees.Type

/** The current fees of a network. */
export interface FeeReading {
  readonly facts: ChainFacts
  /** Undefined if the fees could not be read; all their numbers are then null. */
  readonly at: number | undefined
  readonly fees: Fees
  /** Price of the native coin. */
  readonly price: Either.Either<Price, Reason>
  /** Resources that the requested address can use for free. */
  readonly account?: { readonly address: string; readonly resources: Reading<Resources> }
}

/** Why the request has no fees: an unknown network or an unusable address. The message is for people. */
export interface FeeRefusal {
  readonly kind: "network" | "address"
  readonly message: string
}

type NetworkWithFees = AnyNetwork & { readonly fees: FeeSource }

/** An address whose resources are read. */
interface ReadAccount {
  /** As written in the request. */
  readonly text: string
  readonly canonical: string
  readonly resources: NonNullable<FeeSource["resources"]>
}

/** How long resources are cached, ms: one or two blocks, so that a wallet sees the effect of its last transaction. */
const accountLifetime = 3_000

/** Maximum number of cached accounts. In memory only, because there are many addresses and their resources change. */
const maxAccounts = 10_000

/** Transaction fees of networks. */
export class NetworkFees extends Context.Tag("features/fees/NetworkFees")<
  NetworkFees,
  {
    /** The fees of a network, by id or alias in any case. Ends before the deadline; unreadable numbers are null. */
    readonly of: (name: string, address: Option.Option<string>) => Effect.Effect<FeeReading, FeeRefusal>
  }
>() {
  static readonly layer = Layer.scoped(
    NetworkFees,
    Effect.gen(function* () {
      const chains = yield* Chains
      const pricing = yield* Pricing
      const deadline = Deadline.make(yield* requestDeadline)
      const networks = Effect.map(chains.all, (all) => all.filter(hasFees))
      const find = (name: string) => Effect.map(chains.find(name), Option.filter(hasFees))
      const cache = yield* readings(find, chains.facts.length, deadline.share("read"))
      const accounts = yield* sharedReads<Reading<Resources>>("resources of accounts", maxAccounts)
      const resourcesOf = (network: NetworkWithFees, { canonical, resources }: ReadAccount) =>
        accounts(
          `${network.facts.id} ${canonical}`,
          Effect.suspend(() => Effect.either(guarded(network, deadline.share("read"), resources(canonical)))),
          (reading, now) => (Either.isLeft(reading) ? undefined : now + accountLifetime)
        )

      const read = (network: NetworkWithFees): Effect.Effect<Pick<FeeReading, "at" | "fees">> =>
        Effect.match(Effect.flatten(cache.get(network.facts.id)), {
          onSuccess: ({ at, fees }) => ({ at, fees }),
          onFailure: (failure) => ({
            at: undefined,
            fees: missingFees(
              network.facts.family as FeeFamily,
              failure._tag === "NoSuchElementException" ? internalError : failure.unread
            )
          })
        })

      return {
        of: Effect.fnUntraced(function* (name, address) {
          const network = Option.getOrUndefined(yield* find(name))
          if (network === undefined) return yield* Effect.fail(unknown(name, yield* networks))
          const account = yield* accountOf(network, address, networks)
          const { coinId } = network.facts.native
          const [reading, prices, resources] = yield* Effect.all(
            [
              read(network),
              pricing.prices([coinId], deadline.share("price")),
              account === undefined ? Effect.succeed(undefined) : resourcesOf(network, account)
            ],
            { concurrency: 3 }
          )
          const price = prices.found.get(coinId)
          return {
            facts: network.facts,
            ...reading,
            price: Either.fromNullable(price, () => prices.missing.get(coinId) ?? ("no_price" as const)),
            ...(account === undefined || resources === undefined
              ? {}
              : { account: { address: account.text, resources } })
          }
        }, span("NetworkFees.of"))
      }
    })
  )

  /** Without networks. */
  static readonly layerNone = Layer.succeed(NetworkFees, { of: (name) => Effect.fail(unknown(name, [])) })
}

const hasFees = (network: AnyNetwork): network is NetworkWithFees =>
  network.fees !== undefined && isFeeFamily(network.facts.family)

/** An error, because the cache passes on errors of lookups. */
interface ReadingError {
  readonly _tag: "ReadingError"
  readonly unread: ReadFailure
}

/** Maximum lifetime of a reading, regardless of its network. */
const longest = "1 hour"

/** Caches one reading per network for its lifetime; concurrent requests share it. */
const readings = (find: (id: string) => Effect.Effect<Option.Option<NetworkWithFees>>, count: number, time: number) =>
  Effect.gen(function* () {
    const current = (network: NetworkWithFees): Effect.Effect<StoredFees, ReadingError> =>
      guarded(
        network,
        time,
        Effect.filterOrFail(
          network.fees.current,
          ({ levels }) => Object.values(levels).every(isPossible(network.facts)),
          () => impossible
        )
      ).pipe(
        Effect.mapError((unread): ReadingError => ({ _tag: "ReadingError", unread })),
        Effect.zipWith(Clock.currentTimeMillis, (fees, at) => ({ at, until: at + network.fees.lifetime, fees }))
      )
    const unknownNetwork: ReadingError = { _tag: "ReadingError", unread: internalError }
    const readNetwork = (id: string) =>
      Effect.flatMap(find(id), Option.match({ onNone: () => Effect.fail(unknownNetwork), onSome: current }))
    return yield* Cache.make({
      name: "fees",
      version: 1,
      schema: StoredFees,
      fresh: longest,
      stale: 0,
      expires: ({ until }) => until,
      notFound: 0,
      failure: "1 second",
      capacity: Math.max(1, count),
      lookup: (keys) =>
        Effect.map(
          Effect.forEach(
            keys,
            (key) => Effect.map(Effect.either(readNetwork(key)), (result) => [key, result] as const),
            {
              concurrency: "unbounded"
            }
          ),
          (results) => ({
            found: new Map(results.flatMap(([key, result]) => (Either.isRight(result) ? [[key, result.right]] : []))),
            failed: new Map(results.flatMap(([key, result]) => (Either.isLeft(result) ? [[key, result.left]] : [])))
          })
        )
    })
  })

/** The address in canonical form, with the function that reads its resources; undefined if no address was given. */
const accountOf = (
  network: NetworkWithFees,
  address: Option.Option<string>,
  networks: Effect.Effect<ReadonlyArray<NetworkWithFees>>
): Effect.Effect<ReadAccount | undefined, FeeRefusal> => {
  if (Option.isNone(address)) return Effect.succeed(undefined)
  const { resources } = network.fees
  if (resources === undefined)
    return Effect.flatMap(networks, (all) =>
      Effect.fail({
        kind: "address",
        message: `is only for networks with account resources: ${namesOf(all.filter(({ fees }) => fees.resources !== undefined))}`
      })
    )
  return Either.mapBoth(network.address(address.value), {
    onLeft: (message): FeeRefusal => ({ kind: "address", message }),
    onRight: (canonical) => ({ text: address.value, canonical, resources })
  })
}

const namesOf = (networks: ReadonlyArray<NetworkWithFees>) => networks.map(({ facts }) => facts.id).join(", ")

const unknown = (name: string, networks: ReadonlyArray<NetworkWithFees>): FeeRefusal => ({
  kind: "network",
  message: `There are no fees for "${name.slice(0, 100)}"; networks with fees: ${namesOf(networks)}.`
})

/** A fee above the total supply is invalid. */
const isPossible =
  ({ supply }: ChainFacts) =>
  ({ transferFeeBaseUnits: fee }: FeeReading["fees"]["levels"]["slow"]) =>
    fee === null || BigInt(fee) <= supply

const impossible: ReadFailure = { reason: "bad_answer", message: "an upstream returned an impossible fee" }
