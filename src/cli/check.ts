import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { flow } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as App from "../App.ts"
import type { ChainFacts } from "../catalogue/NetworkFacts.ts"
import type { AbilitySources, Chain } from "../chains/Chain.ts"
import { Chains } from "../chains/Chains.ts"
import { openCalls } from "../chains/openCalls.ts"
import { unserved } from "../chains/unserved.ts"
import { timeoutFail } from "../kernel/timeout.ts"
import { type OfferedCall, offered } from "../upstream/ProviderCalls.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"
import { type Trial, Upstreams } from "../upstream/Upstreams.ts"
import { checkedHeads, headLines } from "./heads.ts"
import { print } from "./print.ts"
import { remedy, type UpstreamVariables, variablesOf } from "./remedies.ts"

export interface CheckOptions {
  readonly json: boolean
  /** Timeout per address, ms. */
  readonly limit: number
  readonly strict: boolean
  /** Id or alias of the only network whose upstreams are called; all upstreams without it. */
  readonly network: string | undefined
}

interface CheckedAddress {
  readonly host: string
  readonly works: boolean
  readonly ms: number
  /** Why it does not work. */
  readonly problem?: string
  /** What to set, if it does not work. */
  readonly remedy?: string
}

interface CheckedUpstream {
  readonly name: string
  readonly keyed: boolean
  /** Why the operator switched it off; it is called all the same. */
  readonly switchedOff?: string
  readonly addresses: ReadonlyArray<CheckedAddress>
  /** The calls of its provider, where they are values; shown by `--json` alone. */
  readonly calls?: ReadonlyArray<Omit<OfferedCall, "note">>
}

const works = ({ addresses }: CheckedUpstream) => addresses.some((address) => address.works)

/** Calls an address once, with a timeout (ms). `remedyFor` returns what can be set. */
const tried = (
  { host, try: attempt }: Trial["addresses"][number],
  limit: number,
  remedyFor: (error: Partial<Pick<UpstreamError, "reason" | "status">>) => string | undefined
) =>
  Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    const result = yield* Effect.either(
      timeoutFail(attempt, {
        duration: limit,
        onTimeout: () => ({ reason: "timeout" as const, detail: `no response within ${limit / 1000} s` })
      })
    )
    const ms = (yield* Clock.currentTimeMillis) - started
    return Either.match(result, {
      onLeft: (error): CheckedAddress => {
        const remedy = remedyFor(error)
        return { host, works: false, ms, problem: error.detail, ...(remedy === undefined ? {} : { remedy }) }
      },
      onRight: (): CheckedAddress => ({ host, works: true, ms })
    })
  })

const line = (upstream: CheckedUpstream, width: number): string => {
  const { addresses, keyed, name, switchedOff } = upstream
  const up = addresses.filter((address) => address.works)
  const state = up.length === addresses.length ? "up" : up.length > 0 ? "PARTLY" : "DOWN"
  const fastest = up.length === 0 ? "" : `${Math.min(...up.map(({ ms }) => ms))} ms`
  const problems = addresses.flatMap(({ host, problem }) => (problem === undefined ? [] : [`${host}: ${problem}`]))
  const remedies = new Set(addresses.flatMap(({ remedy }) => remedy ?? []))
  const why = [...(switchedOff === undefined ? [] : [`switched off: ${switchedOff}`]), ...problems, ...remedies].join(
    "; "
  )
  const cells = [
    name.padEnd(width),
    keyed ? "key   " : "no key",
    state.padEnd(6),
    `${up.length} of ${addresses.length}`,
    fastest.padStart(8),
    why
  ]
  return cells.join("  ").trimEnd()
}

/** The upstreams of each ability of a network. */
interface NetworkAbilities extends Pick<ChainFacts, "family"> {
  readonly network: string
  readonly served: ReadonlyArray<readonly [ability: string, upstreams: ReadonlyArray<string>]>
}

/** An ability that is not configured or that the network does not have gets an empty list. */
const abilitiesOf = ({ abilities, facts, rpc }: Context.Tag.Service<Chain>) =>
  Effect.map(
    abilities,
    (all): NetworkAbilities => ({
      network: facts.id,
      family: facts.family,
      served: [
        ...Object.entries<AbilitySources>({ ...all }).map(
          ([ability, served]) => [ability, Either.getOrElse(served, () => [])] as const
        ),
        ["rpc", rpc === undefined ? [] : [rpc.main.upstream]]
      ]
    })
  )

/** The abilities for which no upstream works, with all their upstreams. */
export const missingAbilities = (
  networks: ReadonlyArray<NetworkAbilities>,
  upstreams: ReadonlyArray<CheckedUpstream>
) => {
  const checked = new Map(upstreams.map((upstream) => [upstream.name, works(upstream)]))
  return networks.flatMap(({ network, served }) =>
    served.flatMap(([ability, names]) => {
      const tested = names.filter((name) => checked.has(name))
      return tested.length === 0 || tested.some((name) => checked.get(name) === true)
        ? []
        : [{ network, ability, upstreams: tested }]
    })
  )
}

/** How many opened wallets per hour the budgets of the upstreams allow. */
export interface Capacity {
  /** Calls of one open: balances and histories of one address per network, without receipts and TON's second indexer. */
  readonly callsPerOpen: number
  /** Null if no upstream has a budget. */
  readonly opensPerHour: number | null
  /** The upstream that allows the fewest opens. */
  readonly firstLimit: { readonly upstream: string; readonly callsPerOpen: number; readonly perHour: number } | null
}

/** Counts on the first upstream of each ability that works; its fallbacks allow more. `perHour`: calls by upstream. */
export const capacityOf = (
  networks: ReadonlyArray<NetworkAbilities>,
  works: (upstream: string) => boolean,
  perHour: ReadonlyMap<string, number>
): Capacity => {
  const calls = new Map<string, number>()
  for (const { served, ...facts } of networks)
    for (const [ability, names] of served) {
      const first = names.find((name) => works(name) && openCalls(facts, ability, name) !== undefined)
      if (first !== undefined) calls.set(first, (calls.get(first) ?? 0) + (openCalls(facts, ability, first) ?? 0))
    }
  const limits = [...calls].flatMap(([upstream, callsPerOpen]) => {
    const allowed = perHour.get(upstream)
    return allowed === undefined || callsPerOpen === 0 ? [] : [{ upstream, callsPerOpen, perHour: allowed }]
  })
  const opens = (limit: (typeof limits)[number]) => Math.floor(limit.perHour / limit.callsPerOpen)
  const firstLimit = limits.sort((a, b) => opens(a) - opens(b))[0] ?? null
  return {
    callsPerOpen: [...calls.values()].reduce((sum, count) => sum + count, 0),
    opensPerHour: firstLimit && opens(firstLimit),
    firstLimit
  }
}

/** Assumptions of the estimated number of users: opens of a user per day, and the share of them in the busiest hour. */
const opensPerDay = 10
const busiestHour = 0.1

const inWords = ({ callsPerOpen, firstLimit, opensPerHour }: Capacity, networks: string): string => {
  const cost = `opening a wallet (balances and histories on ${networks}) costs at least ${callsPerOpen} calls`
  if (firstLimit === null || opensPerHour === null) return `${cost}; no budget limits them`
  const users = Math.floor(opensPerHour / (opensPerDay * busiestHour))
  return `${cost}; the budgets allow ${opensPerHour} opens per hour, enough for about ${users} users who open it ${opensPerDay} times a day; the first limit is ${firstLimit.upstream} (${firstLimit.perHour} calls per hour)`
}

/** The network with this id or alias; all networks without one. */
export const selected = (network: string | undefined) =>
  Effect.flatMap(Chains, (chains) =>
    network === undefined
      ? chains.all
      : Effect.catchAll(Effect.flatten(Effect.map(chains.find(network), Option.map(Arr.of))), () =>
          Effect.fail(`--network: "${network}" is not a network; GET /networks and docs/networks.md list them`)
        )
  )

/** Runs a command with the clients of all upstreams, and without a log. */
export const onUpstreams = flow(
  Effect.provide(App.upstreams.pipe(Layer.provide(Logger.minimumLogLevel(LogLevel.None)))),
  Logger.withMinimumLogLevel(LogLevel.None)
)

/** Calls every address of an upstream. */
const triedUpstream = (
  { addresses, calls, keyed, name, off }: Trial,
  limit: number,
  variables: (upstream: string) => UpstreamVariables
) =>
  Effect.map(
    Effect.forEach(addresses, (address) => tried(address, limit, (error) => remedy(variables(name), error, keyed)), {
      concurrency: "unbounded"
    }),
    (checked): CheckedUpstream => {
      const switchedOff = off?.()
      return {
        name,
        keyed,
        ...(switchedOff === undefined ? {} : { switchedOff }),
        addresses: checked,
        ...(calls === undefined
          ? {}
          : { calls: offered(calls).map(({ endpoint, perOpen }) => ({ endpoint, perOpen })) })
      }
    }
  )

/** The networks with those sources whose address works: the newest block of another one would only take time. */
const reachedSources = (
  chains: ReadonlyArray<Context.Tag.Service<Chain>>,
  upstreams: ReadonlyArray<CheckedUpstream>
) => {
  const reached = new Set(
    upstreams.flatMap(({ addresses, name }) =>
      addresses.flatMap(({ host, works }) => (works ? [name, `${name} ${host}`] : []))
    )
  )
  return chains.map(({ facts, heads = [] }) => ({
    facts,
    heads: heads.filter(({ host, upstream }) => reached.has(host === undefined ? upstream : `${upstream} ${host}`))
  }))
}

/** Calls per hour by upstream, for those with a budget. */
const perHourOf = (trials: ReadonlyArray<Trial>, now: number) =>
  new Map(
    trials.flatMap(({ budget, name }) => {
      const remaining = budget?.(now)
      return remaining === undefined ? [] : [[name, remaining.perHour] as const]
    })
  )

/**
 * Sends one small request to every address of every upstream, and prints a line per upstream as it completes. Returns
 * true if every ability of every network has a working upstream; with `strict`, if all addresses work. A network that is
 * named must have a source of balances.
 */
export const check = ({ json, limit, network, strict }: CheckOptions) =>
  Effect.gen(function* () {
    const all = yield* selected(network)
    const networks = yield* Effect.forEach(all, abilitiesOf)
    const names = new Set(networks.flatMap(({ served }) => served.flatMap(([, upstreams]) => upstreams)))
    const trials = (yield* (yield* Upstreams).trials).filter(
      ({ addresses, name }) => addresses.length > 0 && (network === undefined || names.has(name))
    )
    const variables = yield* variablesOf
    const withoutSource = (yield* unserved(all)).map(({ network, reason, ...more }) => {
      const { address } = variables(`${network}-rpc`)
      const set = reason.includes(": set ") || address === undefined ? "" : `; set ${address}`
      return { ...more, network, reason: `${reason}${set}` }
    })
    const width = Math.max(...trials.map(({ name }) => name.length))
    const say = (text: string) => (json ? Effect.void : print(text))
    const count = trials.reduce((sum, { addresses }) => sum + addresses.length, 0)
    yield* say(`trying ${count} addresses of ${trials.length} upstreams, each for up to ${limit / 1000} s\n`)

    const upstreams = yield* Effect.forEach(
      trials,
      (trial) => Effect.tap(triedUpstream(trial, limit, variables), (upstream) => say(line(upstream, width))),
      { concurrency: 16 }
    )
    const heads = yield* checkedHeads(reachedSources(all, upstreams), { limit, variables })
    const missing = missingAbilities(networks, upstreams)
    const now = yield* Clock.currentTimeMillis
    const working = new Set(upstreams.filter(works).map(({ name }) => name))
    const capacity = capacityOf(networks, (name) => working.has(name), perHourOf(trials, now))
    const up = upstreams.flatMap(({ addresses }) => addresses).filter((address) => address.works).length
    // A network that --network names needs a source of balances; the others do not.
    const isServed = network === undefined || !withoutSource.some(({ ability }) => ability === "balance")
    const isGood =
      isServed && (strict ? up === count && heads.every(({ problem }) => problem === undefined) : missing.length === 0)
    if (json)
      yield* print(
        JSON.stringify({ ok: isGood, upstreams, heads, missing, unserved: withoutSource, capacity }, undefined, 2)
      )
    if (heads.length > 0) yield* say(`\nnewest blocks:\n${headLines(heads).join("\n")}`)
    yield* say(`\n${up} of ${count} addresses work`)
    yield* say(inWords(capacity, network ?? "all networks"))
    for (const { ability, network, reason } of withoutSource)
      yield* say(`no source of ${ability} on ${network}: ${reason}`)
    for (const { ability, network, upstreams: names } of missing)
      yield* say(`no ${ability} on ${network}: ${names.join(", ")} ${names.length === 1 ? "is" : "are"} down`)
    return isGood
  }).pipe(onUpstreams)
