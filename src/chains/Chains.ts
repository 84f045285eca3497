import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Caip from "../catalogue/Caip.ts"
import * as Catalogue from "../catalogue/Catalogue.ts"
import type { ChainFacts, Family } from "../catalogue/NetworkFacts.ts"
import { variablePrefix } from "../domain/NetworkId.ts"
import { CurrentTally } from "../kernel/Tally.ts"
import { TokenRegistry } from "../providers/TokenRegistry.ts"
import { SettingError, Settings } from "../settings/Settings.ts"
import { CurrentUse } from "../upstream/levers/Levers.ts"
import { Chain } from "./Chain.ts"
import * as ExtraNetworks from "./evm/ExtraNetworks.ts"
import { coalescedNetworks } from "./evm/rpc/coalescedNetworks.ts"
import * as Networks from "./Networks.ts"
import { withUses } from "./uses.ts"

/** Addresses may be account ids (CAIP-10) on every network. */
const withAccountIds = (chain: AnyChain): AnyChain => {
  const addressIn = Caip.addressIn(chain.facts)
  const { addressForm } = chain
  return {
    ...chain,
    address: (text) => Either.flatMap(addressIn(text), chain.address),
    ...(addressForm && {
      addressForm: (text) => addressForm(Either.getOrElse(addressIn(text), () => text))
    })
  }
}

const isLayer = (network: Networks.NetworkInput): network is Networks.NetworkLayer => Layer.isLayer(network)

/** A network that is built once. */
interface Constructed {
  readonly facts: ChainFacts
  /** Builds the network on first use; callers wait until it is built. */
  readonly build: Effect.Effect<Context.Tag.Service<Chain>>
  /** Undefined until it is built. */
  readonly built: () => Context.Tag.Service<Chain> | undefined
}

/**
 * Builds networks in the surrounding scope and returns them in order. Layers, and networks that `isUrgent` selects, are
 * built at once and fail as their layers do; the others are built on first use. Shared layers are built once. A fiber
 * of this scope builds them, not the fiber of a request, so that fibers that they start outlive the request.
 */
const construction = <N extends Networks.NetworkInput>(
  networks: ReadonlyArray<N>,
  isUrgent: (facts: ChainFacts) => boolean
): Effect.Effect<
  ReadonlyArray<Constructed>,
  Layer.Layer.Error<Networks.LayerOf<N>>,
  Layer.Layer.Context<Networks.LayerOf<N>> | Scope.Scope | TokenRegistry
> =>
  Effect.gen(function* () {
    type Error = Layer.Layer.Error<Networks.LayerOf<N>>
    type Needed = Layer.Layer.Context<Networks.LayerOf<N>>
    const context = yield* Effect.context<Needed>()
    const scope = yield* Effect.scope
    const registry = yield* TokenRegistry
    const memoMap = yield* Layer.makeMemoMap
    const queue = yield* Effect.acquireRelease(Queue.unbounded<Effect.Effect<unknown>>(), Queue.shutdown)
    yield* Effect.forkIn(Effect.forever(Effect.flatten(Queue.take(queue))), scope)

    /** Clients of nodes pass on calls outside of fibers, so they get their network when they are built. */
    const chainOf = (layer: Networks.NetworkLayer, network?: string) => {
      const own = network === undefined ? context : Context.add(context, CurrentUse, { network })
      return Layer.buildWithMemoMap(layer as Layer.Layer<Chain, Error, Needed>, memoMap, scope).pipe(
        Effect.provide(own),
        Effect.map((built) => withUses(withAccountIds(Context.get(built, Chain))))
      )
    }

    const whenNeeded = Effect.fnUntraced(function* ({ facts, layer, tokens }: Networks.Network<Networks.NetworkLayer>) {
      if (tokens !== undefined) yield* registry.follow(tokens)
      const result = yield* Deferred.make<Context.Tag.Service<Chain>>()
      let built: Context.Tag.Service<Chain> | undefined
      let isQueued = false
      const construct = Effect.tap(Effect.orDie(chainOf(layer, facts.id)), (chain) =>
        Effect.sync(() => {
          built = chain
        })
      )
      const build = Effect.suspend(() => {
        if (built !== undefined) return Effect.succeed(built)
        isQueued ||= queue.unsafeOffer(Effect.intoDeferred(construct, result))
        return isQueued ? Deferred.await(result) : Effect.interrupt
      })
      return { facts, build, built: () => built } satisfies Constructed
    })

    const atOnce = (layer: Networks.NetworkLayer, network?: string) =>
      Effect.map(
        chainOf(layer, network),
        (chain): Constructed => ({ facts: chain.facts, build: Effect.succeed(chain), built: () => chain })
      )

    return yield* Effect.forEach(networks as ReadonlyArray<Networks.NetworkInput>, (network) =>
      isLayer(network)
        ? atOnce(network)
        : isUrgent(network.facts)
          ? atOnce(network.layer, network.facts.id)
          : whenNeeded(network)
    )
  })

/** Prefixes of the variables of a family whose addresses are not in the facts of its only network. */
const familyPrefixes: Readonly<Partial<Record<Family, ReadonlyArray<string>>>> = {
  evm: ["BLOCKSCOUT_", "ETHERSCAN_", "ROUTESCAN_"],
  solana: ["JUPITER_"],
  utxo: ["BLOCKBOOK_", "BLOCKCHAIN_INFO_", "BLOCKCYPHER_", "ESPLORA_", "HASKOIN_"]
}

/** Prefixes of all variables that a network reads when it is built. */
export const prefixesOf = (facts: Catalogue.AnyFacts): ReadonlyArray<string> => {
  const indexers = facts.family === "evm" || facts.family === "utxo" ? [] : Object.keys(facts.indexers ?? {})
  return [...(familyPrefixes[facts.family] ?? []), ...[...indexers, facts.id].map((name) => `${variablePrefix(name)}_`)]
}

type AnyChain = Context.Tag.Service<Chain>

/** Finds a network by id or alias, in any case. */
export type Find = (name: string) => Option.Option<AnyChain>

/**
 * All networks of the service, including those of EXTRA_EVM_NETWORKS. Registered networks are built on first use, which
 * keeps the start fast. If the environment sets a variable with one of its prefixes, a network is built at the start,
 * so that a wrong value fails the start.
 */
export class Chains extends Context.Tag("chains/Chains")<
  Chains,
  {
    /** The facts of each network, in order. */
    readonly facts: ReadonlyArray<ChainFacts>
    /** Builds every network, in the same order. */
    readonly all: Effect.Effect<ReadonlyArray<AnyChain>>
    /** The network with this id or alias, in any case. */
    readonly find: (name: string) => Effect.Effect<Option.Option<AnyChain>>
    /** Builds the networks with these names and returns a lookup over all built networks. */
    readonly named: (names: ReadonlyArray<string>) => Effect.Effect<Find>
    /** As `find`, but synchronous: undefined also if the network is not built yet. */
    readonly built: (name: string) => AnyChain | undefined
  }
>() {
  /** A layer with these networks, in this order. */
  static readonly fromNetworks = <N extends Networks.NetworkInput>(networks: ReadonlyArray<N>) =>
    Layer.scoped(
      Chains,
      Effect.gen(function* () {
        const { isSet } = yield* Settings
        const isUrgent = (facts: ChainFacts) => {
          const registered = Catalogue.all.find((network) => network === facts)
          return registered === undefined || prefixesOf(registered).some(isSet)
        }
        const all = yield* construction(networks, isUrgent)
        yield* requireNetworks(yield* coalescedNetworks, all)
        return index(all)
      })
    )

  /** The registered networks with these ids. */
  static readonly only = (ids: ReadonlyArray<string>) => Chains.fromNetworks(Networks.only(...ids))

  /** All registered networks and those of EXTRA_EVM_NETWORKS. */
  static readonly layer = Layer.unwrapEffect(
    Effect.map(ExtraNetworks.listed(Catalogue.all), (extra) =>
      Chains.fromNetworks([...Networks.all, ...extra.map(Networks.fromFacts)])
    )
  )
}

/** Fails if COALESCED_RPC_NETWORKS contains an id that is not an EVM network. */
const requireNetworks = (ids: ReadonlyArray<string>, all: ReadonlyArray<Constructed>) => {
  const wrong = ids.find((id) => !all.some(({ facts }) => facts.id === id && facts.family === "evm"))
  return wrong === undefined
    ? Effect.void
    : new SettingError({ variable: "COALESCED_RPC_NETWORKS", problem: `"${wrong}" is not a known EVM network` })
}

const index = (all: ReadonlyArray<Constructed>): Context.Tag.Service<Chains> => {
  const byName = new Map(all.flatMap((network) => Caip.namesOf(network.facts).map((name) => [name, network])))
  const entry = (name: string) => byName.get(name.trim().toLowerCase())
  const built = (name: string) => entry(name)?.built()
  const found: Find = (name) => Option.fromNullable(built(name))
  const findBuilt = Effect.succeed(found)
  /** Notes the networks with these names for the log line of the current request. */
  const noted = (names: ReadonlyArray<string>) =>
    Effect.map(CurrentTally, (tally) => {
      for (const name of tally === undefined ? [] : names) {
        const id = entry(name)?.facts.id
        if (id !== undefined && tally?.networks.includes(id) === false) tally.networks.push(id)
      }
    })
  return {
    facts: all.map(({ facts }) => facts),
    all: Effect.forEach(all, ({ build }) => build),
    find: (name) =>
      Option.match(Option.fromNullable(entry(name)), {
        onNone: () => Effect.succeedNone,
        onSome: ({ build }) => Effect.zipRight(noted([name]), Effect.asSome(build))
      }),
    named: (names) => {
      const missing = names.flatMap((name) => {
        const network = entry(name)
        return network === undefined || network.built() !== undefined ? [] : [network.build]
      })
      return Effect.zipRight(
        noted(names),
        missing.length === 0 ? findBuilt : Effect.as(Effect.all(missing, { discard: true }), found)
      )
    },
    built
  }
}
