import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Chain } from "../../src/chains/Chain.ts"
import { Chains } from "../../src/chains/Chains.ts"
import { CoinId } from "../../src/domain/CoinId.ts"
import { type RegisteredToken, TokenRegistry } from "../../src/providers/TokenRegistry.ts"
import { Settings } from "../../src/settings/Settings.ts"
import * as Memory from "../../src/storage/Memory.ts"
import type { Store } from "../../src/storage/Store.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"

export type AnyNetwork = Context.Tag.Service<Chain>

/** Builds all networks, for tests without the service. */
export const builtNetworks = Effect.gen(function* () {
  const { all, named } = yield* Chains
  return { all: yield* all, find: yield* named([]) }
})

/** A registry of these partial networks, found by id and alias. */
export const chainsOf = (networks: ReadonlyArray<object>) => {
  const all = networks as ReadonlyArray<AnyNetwork>
  const built = (name: string) =>
    all.find(({ facts }) => [facts?.id, ...(facts?.aliases ?? [])].includes(name.trim().toLowerCase()))
  const find = (name: string) => Option.fromNullable(built(name))
  return Layer.succeed(Chains, {
    facts: all.map(({ facts }) => facts),
    all: Effect.succeed(all),
    find: (name) => Effect.succeed(find(name)),
    named: () => Effect.succeed(find),
    built
  })
}

type Needs = HttpClient.HttpClient | TokenRegistry | Upstreams | Store | Settings

interface Options {
  /** Token lists by platform. */
  readonly tokens?: Readonly<Record<string, ReadonlyArray<RegisteredToken>>>
  readonly environment?: Readonly<Record<string, string>>
  readonly settings?: Layer.Layer<Settings>
  readonly store?: Layer.Layer<Store>
}

/** Everything that a network needs, over this HTTP client. */
export const networkNeeds = (
  outside: Layer.Layer<HttpClient.HttpClient>,
  { environment = {}, settings = Settings.layer(environment), store = Memory.layer(), tokens = {} }: Options = {}
): Layer.Layer<Needs> =>
  Layer.mergeAll(outside, TokenRegistry.layerTest(tokens), Layer.fresh(Upstreams.layer), Layer.fresh(store), settings)

/** The network of a module over this HTTP client, its upstreams, and the confirmed decimals of its tokens. */
export const chainOver = <E>(module: Layer.Layer<Chain, E, Needs>, ...needs: Parameters<typeof networkNeeds>) =>
  Effect.provide(
    Effect.map(Effect.all({ chain: Chain, upstreams: Upstreams, registry: TokenRegistry }), (services) => ({
      ...services,
      confirmed: (addresses: ReadonlyArray<string>) =>
        Effect.map(services.registry.lists, (lists) => {
          const list = lists.get(services.chain.facts.platform ?? "")
          return addresses.map((address) => list?.decimalsOf(address))
        })
    })),
    Layer.provideMerge(module, networkNeeds(...needs))
  )

/** The network with this id over this HTTP client. */
export const networkOver = (id: string, ...needs: Parameters<typeof networkNeeds>) =>
  Effect.flatMap(Effect.provide(builtNetworks, Layer.provide(Chains.only([id]), networkNeeds(...needs))), ({ find }) =>
    find(id)
  )

/** A registered token with its coin as name and symbol. */
export const token = (address: string, coinId: string, decimals: number): RegisteredToken => ({
  address,
  coinId: CoinId.make(coinId),
  name: coinId,
  symbol: coinId,
  decimals,
  thumbnail: ""
})
