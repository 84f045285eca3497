import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as App from "../App.ts"
import type { AbilitySources, Chain } from "../chains/Chain.ts"
import { Chains } from "../chains/Chains.ts"
import { timeoutFail } from "../kernel/timeout.ts"
import { type Trial, Upstreams } from "../upstream/Upstreams.ts"

interface CheckOptions {
  readonly json: boolean
  /** Timeout per address, ms. */
  readonly limit: number
  readonly strict: boolean
}

interface CheckedAddress {
  readonly host: string
  readonly works: boolean
  readonly ms: number
  /** Why it does not work. */
  readonly problem?: string
}

interface CheckedUpstream {
  readonly name: string
  readonly keyed: boolean
  readonly addresses: ReadonlyArray<CheckedAddress>
}

/** An ability of a network whose upstreams are all down. */
interface MissingAbility {
  readonly network: string
  readonly ability: string
  readonly upstreams: ReadonlyArray<string>
}

const works = ({ addresses }: CheckedUpstream) => addresses.some((address) => address.works)

/** Calls an address once, with a timeout (ms). */
const tried = ({ host, try: attempt }: Trial["addresses"][number], limit: number) =>
  Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    const result = yield* Effect.either(
      timeoutFail(attempt, { duration: limit, onTimeout: () => ({ detail: `no response within ${limit / 1000} s` }) })
    )
    const ms = (yield* Clock.currentTimeMillis) - started
    return Either.match(result, {
      onLeft: ({ detail }): CheckedAddress => ({ host, works: false, ms, problem: detail }),
      onRight: (): CheckedAddress => ({ host, works: true, ms })
    })
  })

const line = (upstream: CheckedUpstream, width: number): string => {
  const { addresses, keyed, name } = upstream
  const up = addresses.filter((address) => address.works)
  const state = up.length === addresses.length ? "up" : up.length > 0 ? "PARTLY" : "DOWN"
  const fastest = up.length === 0 ? "" : `${Math.min(...up.map(({ ms }) => ms))} ms`
  const why = addresses
    .flatMap(({ host, problem }) => (problem === undefined ? [] : [`${host}: ${problem}`]))
    .join("; ")
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
interface NetworkAbilities {
  readonly network: string
  readonly served: ReadonlyArray<readonly [ability: string, upstreams: ReadonlyArray<string>]>
}

/** An ability that is not configured or that the network does not have gets an empty list. */
const abilitiesOf = ({ abilities, facts, rpc }: Context.Tag.Service<Chain>) =>
  Effect.map(
    abilities,
    (all): NetworkAbilities => ({
      network: facts.id,
      served: [
        ...Object.entries<AbilitySources>({ ...all }).map(
          ([ability, served]) => [ability, Either.getOrElse(served, () => [])] as const
        ),
        ["rpc", rpc === undefined ? [] : [rpc.main.upstream]]
      ]
    })
  )

/** The abilities for which no upstream works. */
export const missingAbilities = (
  networks: ReadonlyArray<NetworkAbilities>,
  upstreams: ReadonlyArray<CheckedUpstream>
): ReadonlyArray<MissingAbility> => {
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

const quiet = Logger.minimumLogLevel(LogLevel.None)

/**
 * Sends one small request to every address of every upstream, and prints a line per upstream as it completes. Returns
 * true if every ability of every network has a working upstream; with `strict`, if all addresses work.
 */
export const check = ({ json, limit, strict }: CheckOptions) =>
  Effect.gen(function* () {
    const all = yield* (yield* Chains).all
    const trials = (yield* (yield* Upstreams).trials).filter(({ addresses }) => addresses.length > 0)
    const width = Math.max(...trials.map(({ name }) => name.length))
    const print = (text: string) => (json ? Effect.void : Console.log(text))
    const count = trials.reduce((sum, { addresses }) => sum + addresses.length, 0)
    yield* print(`trying ${count} addresses of ${trials.length} upstreams, each for up to ${limit / 1000} s\n`)

    const upstreams = yield* Effect.forEach(
      trials,
      ({ addresses, keyed, name }) =>
        Effect.forEach(addresses, (address) => tried(address, limit), { concurrency: "unbounded" }).pipe(
          Effect.map((checked): CheckedUpstream => ({ name, keyed, addresses: checked })),
          Effect.tap((upstream) => print(line(upstream, width)))
        ),
      { concurrency: 16 }
    )
    const missing = missingAbilities(yield* Effect.forEach(all, abilitiesOf), upstreams)
    const up = upstreams.flatMap(({ addresses }) => addresses).filter((address) => address.works).length
    const isGood = strict ? up === count : missing.length === 0
    if (json) yield* Console.log(JSON.stringify({ ok: isGood, upstreams, missing }, undefined, 2))
    yield* print(`\n${up} of ${count} addresses work`)
    for (const { ability, network, upstreams: names } of missing)
      yield* print(`no ${ability} on ${network}: ${names.join(", ")} ${names.length === 1 ? "is" : "are"} down`)
    return isGood
  }).pipe(Effect.provide(App.upstreams.pipe(Layer.provide(quiet))), Logger.withMinimumLogLevel(LogLevel.None))
