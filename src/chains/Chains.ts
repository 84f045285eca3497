import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Catalogue from "../catalogue/Catalogue.ts"
import type { ChainFacts, Family } from "../catalogue/NetworkFacts.ts"
import { variablePrefix } from "../domain/NetworkId.ts"
import { SettingError, Settings } from "../settings/Settings.ts"
import type { Chain } from "./Chain.ts"
import * as Construction from "./Construction.ts"
import * as ExtraNetworks from "./evm/ExtraNetworks.ts"
import { coalescedNetworks } from "./evm/rpc/coalescedNetworks.ts"
import * as Networks from "./Networks.ts"

/** Prefixes of the variables that all networks of a family read. */
const familyPrefixes: Readonly<Record<Family, ReadonlyArray<string>>> = {
  cardano: ["BLOCKFROST_", "KOIOS_"],
  evm: ["BLOCKSCOUT_", "ETHERSCAN_", "ROUTESCAN_"],
  polkadot: ["SUBSCAN_"],
  ripple: [],
  solana: [],
  sui: [],
  ton: ["TONAPI_", "TONCENTER_"],
  tron: ["TRONGRID_"],
  utxo: ["BLOCKBOOK_", "BLOCKCHAIN_INFO_", "BLOCKCYPHER_", "ESPLORA_", "HASKOIN_"]
}

/** Prefixes of all variables that a network reads when it is built. */
export const prefixesOf = ({ family, id }: Catalogue.AnyFacts): ReadonlyArray<string> => [
  ...familyPrefixes[family],
  `${variablePrefix(id)}_`
]

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
          const registered = Catalogue.all.find((item) => item === facts)
          return registered === undefined || prefixesOf(registered).some(isSet)
        }
        const all = yield* Construction.make(networks, isUrgent)
        yield* requireNetworks(yield* coalescedNetworks, all)
        return index(all)
      })
    )

  /** The registered networks with these ids. */
  static readonly only = (ids: ReadonlyArray<string>) => Chains.fromNetworks(Networks.only(...ids))

  /** All registered networks and those of EXTRA_EVM_NETWORKS. */
  static readonly layer = Layer.unwrapEffect(
    Effect.map(ExtraNetworks.listed(Catalogue.all), (extra) =>
      Chains.fromNetworks([...Networks.all, ...extra.map((facts) => Networks.fromFacts(facts).layer)])
    )
  )
}

/** Fails if COALESCED_RPC_NETWORKS contains an id that is not an EVM network. */
const requireNetworks = (ids: ReadonlyArray<string>, all: ReadonlyArray<Construction.Constructed>) => {
  const wrong = ids.find((id) => !all.some(({ facts }) => facts.id === id && facts.family === "evm"))
  return wrong === undefined
    ? Effect.void
    : new SettingError({ variable: "COALESCED_RPC_NETWORKS", problem: `"${wrong}" is not a known EVM network` })
}

const index = (all: ReadonlyArray<Construction.Constructed>): Context.Tag.Service<Chains> => {
  const byName = new Map(
    all.flatMap((network) => [network.facts.id, ...network.facts.aliases].map((name) => [name as string, network]))
  )
  const entry = (name: string) => byName.get(name.trim().toLowerCase())
  const built = (name: string) => entry(name)?.built()
  const found: Find = (name) => Option.fromNullable(built(name))
  const findBuilt = Effect.succeed(found)
  return {
    facts: all.map(({ facts }) => facts),
    all: Effect.forEach(all, ({ build }) => build),
    find: (name) =>
      Option.match(Option.fromNullable(entry(name)), {
        onNone: () => Effect.succeedNone,
        onSome: ({ build }) => Effect.asSome(build)
      }),
    named: (names) => {
      const missing = names.flatMap((name) => {
        const network = entry(name)
        return network === undefined || network.built() !== undefined ? [] : [network.build]
      })
      return missing.length === 0 ? findBuilt : Effect.as(Effect.all(missing, { discard: true }), found)
    },
    built
  }
}
