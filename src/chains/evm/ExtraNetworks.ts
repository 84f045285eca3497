import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import { evmSupply } from "../../catalogue/evm/EvmFacts.ts"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import { TokenRegistry } from "../../providers/TokenRegistry.ts"
import * as declare from "../../settings/declare.ts"
import { SettingError } from "../../settings/Settings.ts"

const variable = "EXTRA_EVM_NETWORKS"
const allowed = "comma-separated id:chainId pairs; the chain must be in viem/chains, and the id must not be in use"

/** The ids and chains of EXTRA_EVM_NETWORKS; fails if one clashes with an existing network. */
export const configured = (taken: ReadonlyArray<NetworkFacts>) =>
  Effect.gen(function* () {
    const pairs = yield* declare.list({
      name: variable,
      default: [],
      allowed,
      check: (pair) => /^[a-z][a-z0-9]*(-[a-z0-9]+)*:\d{1,15}$/.test(pair),
      meaning: "Additional EVM networks"
    })
    if (pairs.length === 0) return []
    const { chains } = yield* Effect.promise(() => import("./chains.ts"))
    const names = new Set(taken.flatMap(({ aliases, id }) => [id as string, ...aliases]))
    const ids = new Set(taken.map(({ chainId }) => chainId))
    return yield* Effect.forEach(pairs, (pair) =>
      Effect.gen(function* () {
        const [id = "", number = ""] = pair.split(":")
        const chain = chains.find((definition) => definition.id === Number(number))
        const refuse = (problem: string) => new SettingError({ variable, problem: `"${pair}": ${problem}; ${allowed}` })
        if (chain === undefined) return yield* refuse("viem/chains has no such chain")
        if (names.has(id)) return yield* refuse("another network has this id")
        if (ids.has(chain.id)) return yield* refuse("another network has this chain id")
        names.add(id)
        ids.add(chain.id)
        return { id: NetworkId.make(id), chain }
      })
    )
  })

/**
 * The facts of the networks of EXTRA_EVM_NETWORKS, from viem/chains. The platform of their tokens and their native coin
 * come from CoinGecko; if it is unreachable, they have no prices until the next start.
 */
export const listed = (taken: ReadonlyArray<NetworkFacts>) =>
  Effect.flatMap(configured(taken), (found) =>
    Effect.forEach(found, ({ chain, id }) => withCoins(id, chain), { concurrency: "unbounded" })
  )

type Chain = typeof import("./chains.ts")["chains"][number]

const pageAt = (explorer: string) => (address: string) => `${explorer}/address/${address}`

/** The facts of a chain, from viem's definition. */
export const facts = ({ chain, id }: { readonly id: NetworkId; readonly chain: Chain }): EvmFacts => ({
  id,
  storedAs: `eip155:${chain.id}`,
  name: chain.name,
  aliases: [],
  family: "evm",
  explorer: (hash) => (chain.blockExplorers === undefined ? "" : `${chain.blockExplorers.default.url}/tx/${hash}`),
  ...(chain.blockExplorers === undefined ? {} : { addressPage: pageAt(chain.blockExplorers.default.url) }),
  finality: 3600,
  ...(chain.blockTime === undefined ? {} : { blockTime: chain.blockTime }),
  chainId: chain.id,
  ...(chain.contracts?.multicall3 === undefined ? {} : { multicall: chain.contracts.multicall3.address }),
  native: { coinId: unknownCoin, ...chain.nativeCurrency, thumbnail: "" },
  supply: evmSupply,
  // High, as the coin may be worth little. No EVM network is older than Ethereum.
  maxTransferFee: 1_000n * 10n ** 18n,
  genesisTime: seconds(1_438_269_973),
  // An explorer that does not serve the network returns an error.
  explorers: { etherscan: true, routescan: true },
  // viem does not mark all chains that settle on another chain, and those may charge a data fee.
  dataFee: "perhaps",
  nodes: chain.rpcUrls.default.http
})

const withCoins = (id: NetworkId, chain: Chain) =>
  Effect.gen(function* () {
    const declared = facts({ id, chain })
    return Option.match(yield* (yield* TokenRegistry).chain(chain.id), {
      onNone: () => declared,
      onSome: ({ native, platform }): EvmFacts => ({
        ...declared,
        platform,
        native: { ...declared.native, coinId: Option.getOrElse(native, () => unknownCoin) }
      })
    })
  })

/** The empty id belongs to no coin, so nothing is priced by mistake. */
const unknownCoin = "" as CoinId
