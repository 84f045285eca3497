import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { chainNames } from "../../catalogue/Caip.ts"
import type { Abilities, AbilitySources, Chain } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { notLoaded } from "../../chains/kit/holdings/tokenList.ts"
import * as openCalls from "../../chains/openCalls.ts"
import type { Ability as Described, NetworkDescription } from "../../contract/StatusApi.ts"
import type { Reason } from "../../domain/Reason.ts"
import { tokenListsName } from "../../providers/CoinGecko.ts"
import { leverAbilities, type Use } from "../../upstream/levers/Lever.ts"
import { Levers } from "../../upstream/levers/Levers.ts"
import { type UpstreamState, Upstreams } from "../../upstream/Upstreams.ts"

export class NetworkList extends Context.Tag("features/status/NetworkList")<
  NetworkList,
  {
    /** In the order of the registry. */
    readonly networks: Effect.Effect<ReadonlyArray<NetworkDescription>>
  }
>() {
  static readonly layer = Layer.effect(
    NetworkList,
    Effect.gen(function* () {
      const { all, facts } = yield* Chains
      yield* Effect.forEach(facts, openCalls.measure, { discard: true })
      const upstreams = yield* Upstreams
      const { off } = yield* Levers
      return {
        networks: Effect.gen(function* () {
          // Builds the networks first, because building registers their upstreams.
          const networks = yield* all
          const states = new Map((yield* upstreams.states).map((state) => [state.name, state]))
          const now = yield* Clock.currentTimeMillis
          return yield* Effect.forEach(networks, (network) =>
            Effect.map(network.abilities, (abilities) => describe(network, abilities, states, { now, off }))
          )
        })
      }
    })
  )
}

const describe = (
  { facts: info, rpc }: Context.Tag.Service<Chain>,
  abilities: Abilities,
  states: ReadonlyMap<string, UpstreamState>,
  { now, off }: { readonly now: number; readonly off: Levers["Type"]["off"] }
): NetworkDescription => {
  /** The upstreams, with the reasons why the operator switched them off for this ability. */
  const statesOf = (names: ReadonlyArray<string>, ability: string) =>
    names.flatMap((name): ReadonlyArray<UpstreamState> => {
      const state = states.get(name)
      const reason = off(name, useOf(info.id, ability))
      if (state === undefined) return []
      const { switchedOff: _, ...on } = state
      return [reason === undefined ? on : { ...on, switchedOff: reason }]
    })
  /** Its availability depends on all of its upstreams, or only on `needed`. */
  const described = (
    name: string,
    served: AbilitySources,
    needed: ReadonlyArray<string> = Either.getOrElse(served, () => [])
  ): Described =>
    Either.match(served, {
      onLeft: (reason) => ({
        available: false,
        upstreams: reason === notLoaded ? statesOf([tokenListsName], "tokens").map(shown) : [],
        reason
      }),
      onRight: (names) => ({
        ...availability(statesOf(needed, name), now),
        upstreams: statesOf(names, name).map((state) => ({ ...shown(state), ...capacity(info, name, state) }))
      })
    })
  const ability = (name: keyof Abilities) =>
    described(name, abilities[name] ?? Either.left(`not supported on ${info.name}`))
  return {
    id: info.id,
    aliases: info.aliases,
    family: info.family,
    chainId: info.chainId ?? null,
    caip2: chainNames(info)[0] ?? null,
    name: info.name,
    nativeCoin: { coinId: info.native.coinId, symbol: info.native.symbol, decimals: info.native.decimals },
    ...(info.sunset === undefined ? {} : { sunset: info.sunset }),
    abilities: {
      balance: ability("balance"),
      tokens: ability("tokens"),
      history: ability("history"),
      // The pages of a history, one after another.
      export: ability("history"),
      rpc: described("rpc", proxied(rpc), rpc === undefined ? [] : [rpc.main.upstream]),
      rawTransactions: ability("rawTransactions"),
      firstTransaction: ability("firstTransaction"),
      fees: ability("fees"),
      transactionContext: ability("transactionContext")
    }
  }
}

/** The ability that levers name: tokens are read with balances, and exports are histories. */
const useOf = (network: string, ability: string): Use => {
  const named = ability === "tokens" ? "balance" : ability === "export" ? "history" : ability
  const found = leverAbilities.find((known) => known === named)
  return found === undefined ? { network } : { network, ability: found }
}

const shown = ({ circuits, keyed, name, state, switchedOff }: UpstreamState) => ({
  name,
  keyed,
  state,
  circuits,
  ...(switchedOff === undefined ? {} : { switchedOff })
})

/** What an open costs at an upstream, and how many its budget allows. */
const capacity = (facts: Context.Tag.Service<Chain>["facts"], ability: string, { budget, name }: UpstreamState) => {
  const callsPerOpen = openCalls.openCalls(facts, ability, name)
  if (callsPerOpen === undefined) return {}
  return budget === undefined
    ? { callsPerOpen }
    : { callsPerOpen, opensPerHour: Math.floor(budget.perHour / callsPerOpen) }
}

/** How long a failure counts as current, ms. Afterwards a client may retry. */
const lasting = 5 * 60_000

const inWords: Readonly<Partial<Record<Reason, string>>> = {
  timeout: "timed out",
  rate_limited: "accepts no more calls for now",
  bad_answer: "returned an unreadable response"
}

/** Why no endpoint of an upstream currently works; undefined if an endpoint may work. */
const failing = ({ circuits, lastFailure, state, switchedOff }: UpstreamState, now: number): string | undefined => {
  if (switchedOff !== undefined) return `is switched off: ${switchedOff}`
  // A pause lasts even if an earlier call succeeds.
  if (circuits.length > 0 && circuits.every((circuit) => circuit === "paused")) return inWords.rate_limited
  return state === "down" && lastFailure !== undefined && now < lastFailure.at + lasting && !circuits.includes("closed")
    ? (inWords[lastFailure.reason] ?? lastFailure.detail)
    : undefined
}

/** An ability is available as long as one of its upstreams may work. */
const availability = (
  upstreams: ReadonlyArray<UpstreamState>,
  now: number
): Pick<Described, "available" | "reason"> => {
  const causes = upstreams.map((upstream) => ({ name: upstream.name, cause: failing(upstream, now) }))
  return causes.length === 0 || causes.some(({ cause }) => cause === undefined)
    ? { available: true }
    : { available: false, reason: causes.map(({ cause, name }) => `${name} ${cause}`).join("; ") }
}

/** The upstreams of proxied calls: the nodes of the main network, then of the test network. */
const proxied = (rpc: Context.Tag.Service<Chain>["rpc"]): AbilitySources =>
  rpc === undefined
    ? Either.left("there is no node proxy for this network")
    : Either.right([rpc.main, rpc.testnet].flatMap((nodes) => (nodes === undefined ? [] : [nodes.upstream])))
