import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import { Chains } from "../src/chains/Chains.ts"
import type { Balance } from "../src/domain/Balance.ts"
import { Portfolio } from "../src/features/balances/Portfolio.ts"
import { ContractPrices } from "../src/features/prices/ContractPrices.ts"
import { ExchangeRates } from "../src/features/prices/currencies/ExchangeRates.ts"
import { Pricing } from "../src/features/prices/Pricing.ts"
import { Binance } from "../src/providers/Binance.ts"
import { CoinGecko } from "../src/providers/CoinGecko.ts"
import { DefiLlama } from "../src/providers/DefiLlama.ts"
import { Frankfurter } from "../src/providers/Frankfurter.ts"
import { TokenRegistry } from "../src/providers/TokenRegistry.ts"
import * as Sandbox from "../src/sandbox/Sandbox.ts"
import * as Memory from "../src/storage/Memory.ts"
import { CurrentUpstream } from "../src/upstream/CurrentUpstream.ts"
import * as FetchClient from "../src/upstream/FetchClient.ts"
import { Upstreams } from "../src/upstream/Upstreams.ts"
import { samples } from "./chains/families/samples.ts"
import { unlimitedSettings } from "./support/counted.ts"
import { halves } from "./support/halves.ts"
import { settled } from "./support/settled.ts"
import { networks } from "./support/tier.ts"
import { assert, layer } from "./support/vitest.ts"

/** A number of addresses on each network. */
const onAll = (count: number): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(networks.map((info) => [info.id as string, samples(info, count)]))

type Fault = Effect.Effect<Response>

/** Faults of an upstream. */
const faults: Readonly<Record<string, Fault>> = {
  hangs: Effect.never,
  fails: Effect.sync(() => new Response("no", { status: 500 })),
  "rejects every request": Effect.sync(() => new Response("{}", { status: 429, headers: { "retry-after": "600" } })),
  "lies with an empty object": Effect.sync(() => Response.json({})),
  "lies with an empty list": Effect.sync(() => Response.json([])),
  "lies with a null result": Effect.sync(() => Response.json({ jsonrpc: "2.0", id: 1, result: null })),
  "lies with an HTML page": Effect.sync(() => new Response("<html>welcome</html>"))
}

/** A sandbox whose upstreams can be broken. */
const breakable = () => {
  const broken = new Map<string, Fault>()
  const layer = Layer.map(Sandbox.layer(networks), (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.transform(Context.get(context, HttpClient.HttpClient), (answer, request) =>
        Effect.flatMap(CurrentUpstream, ({ name }) => {
          const fault = broken.get(name)
          return fault === undefined
            ? answer
            : Effect.flatMap(fault, (response) => FetchClient.received(request, response))
        })
      )
    )
  )
  return { broken, layer }
}

/** A portfolio with loaded token lists over breakable upstreams; `before` has two addresses of each network. */
class Breakable extends Context.Tag("test/Breakable")<
  Breakable,
  {
    readonly ask: (count: number) => Effect.Effect<ReadonlyArray<Balance>>
    readonly before: ReadonlyArray<Balance>
    readonly broken: ReturnType<typeof breakable>["broken"]
    readonly upstreams: ReadonlyMap<string, Names>
  }
>() {
  static readonly layer = Layer.unwrapEffect(
    Effect.sync(() => {
      const world = breakable()
      return Layer.effect(
        Breakable,
        Effect.gen(function* () {
          const { balances } = yield* Portfolio
          const ask = (count: number) =>
            settled(
              Effect.map(balances(onAll(count)), ({ rows }) => rows),
              "12 seconds"
            )
          yield* ask(2)
          const before = yield* ask(2)
          const states = yield* (yield* Upstreams).states
          return { ask, before, broken: world.broken, upstreams: upstreamsOf(states.map(({ name }) => name)) }
        })
      ).pipe(
        Layer.provide(Portfolio.layer),
        Layer.provide(Chains.only(networks.map(({ id }) => id))),
        Layer.provide(ExchangeRates.layer),
        Layer.provide(ContractPrices.layer),
        Layer.provide(Pricing.layer),
        Layer.provide(TokenRegistry.layer),
        Layer.provide(Layer.mergeAll(CoinGecko.layer, DefiLlama.layer, Binance.layer, Frankfurter.layer)),
        Layer.provide(Upstreams.layerUnlimited),
        Layer.provide(Layer.mergeAll(world.layer, Memory.layer(), unlimitedSettings())),
        Layer.provide(Logger.remove(Logger.defaultLogger)),
        // Set before layers are built: otherwise periodic tasks would run for all the years since the epoch.
        Layer.provide(Layer.effectDiscard(TestClock.setTime(1_795_000_000_000))),
        Layer.fresh
      )
    })
  )
}

/** The stable fields of rows. Prices change hourly, so values are reduced to whether they exist. */
const numbers = (rows: ReadonlyArray<Balance>, network: (id: string) => boolean) =>
  rows
    .filter(({ blockchain }) => network(blockchain))
    .map(({ balance, balanceUsd, blockchain, contractAddress, holderAddress }) => ({
      balance,
      blockchain,
      valued: balanceUsd !== null,
      contractAddress,
      holderAddress
    }))

type Names = ReadonlyArray<string>

/** The broken upstreams of a round, with their faults. */
type Round = ReadonlyMap<string, Fault>

const all = Object.entries(faults)

/**
 * Rounds in which half of the networks are broken, so that each network has every fault, and for every pair of networks
 * one works while the other does not.
 */
const inHalves = (upstreams: ReadonlyMap<string, Names>): ReadonlyArray<Round> => {
  const times = new Map<string, number>()
  // Each network is in one of two halves, so twice as many rounds as faults give each network every fault.
  const rounds = [1, 2].flatMap(() => halves([...upstreams.keys()])).slice(0, 2 * all.length)
  return rounds.map(
    (half) =>
      new Map(
        half.flatMap((id) => {
          const time = times.get(id) ?? 0
          times.set(id, time + 1)
          const [, fault] = all[time % all.length] ?? ["", Effect.never]
          return (upstreams.get(id) ?? []).map((name) => [name, fault] as const)
        })
      )
  )
}

/** One round for the first upstream of each network, one for the second, and so on. */
const oneOfEach =
  (fault: Fault) =>
  (upstreams: ReadonlyMap<string, Names>): ReadonlyArray<Round> => {
    const lists = Array.from(upstreams.values())
    const longest = Math.max(...lists.map(({ length }) => length))
    return Array.from(
      { length: longest },
      (_, index) =>
        new Map(lists.flatMap((names) => (names[index] === undefined ? [] : [[names[index], fault] as const])))
    )
  }

/** Two rounds per fault, one for each half of the networks. */
const pairs = all.map(
  (_, index) =>
    [
      `half of the networks have any fault (${index + 1} of ${all.length})`,
      (upstreams: ReadonlyMap<string, Names>) => inHalves(upstreams).slice(2 * index, 2 * index + 2)
    ] as const
)

const cases: ReadonlyArray<
  readonly [what: string, rounds: (upstreams: ReadonlyMap<string, Names>) => ReadonlyArray<Round>]
> = [...pairs, ...all.map(([name, fault]) => [`one upstream of each network ${name}`, oneOfEach(fault)] as const)]

layer(Breakable.layer)("balances on every network", (it) => {
  it("are complete for five addresses each", function* () {
    const { ask, upstreams } = yield* Breakable
    assert.sameMembers(
      [...upstreams.keys()],
      networks.map(({ id }) => id)
    )
    const rows = yield* ask(5)
    for (const info of networks) {
      const natives = rows.filter(({ blockchain, tokenType }) => blockchain === info.id && tokenType === "NATIVE")
      assert.deepStrictEqual(
        natives.map(({ holderAddress }) => holderAddress),
        samples(info, 5)
      )
      for (const { balance, errorCode } of natives)
        assert.strictEqual(info.sunset === undefined ? balance === null : errorCode !== "sunset", false)
    }
  })

  for (const [name, rounds] of cases)
    it.effect(`do not change on other networks when ${name}`, () =>
      Effect.gen(function* () {
        const { ask, before, broken, upstreams } = yield* Breakable
        for (const round of rounds(upstreams)) {
          for (const [upstream, fault] of round) broken.set(upstream, fault)
          const rows = yield* ask(2)
          const what = [...round.keys()].join(", ")
          const works = (id: string) => upstreams.get(id)?.some((upstream) => round.has(upstream)) !== true
          assert.deepStrictEqual(numbers(rows, works), numbers(before, works), what)
          // Rows of broken networks are the same from another upstream, or null with a reason: never another number.
          const were = new Map(numbers(before, (id) => !works(id)).map((row) => [keyOf(row), row]))
          for (const row of rows.filter(({ blockchain }) => !works(blockchain))) {
            if (row.balance === null) assert.isDefined(row.errorCode, what)
            else assert.strictEqual(row.balance, were.get(keyOf(row))?.balance, what)
          }
          yield* healed
        }
        assert.deepStrictEqual(
          numbers(yield* ask(2), () => true),
          numbers(before, () => true)
        )
      }).pipe(Effect.ensuring(healed))
    )
})

/** Repairs all upstreams, and waits until open circuits have closed. */
const healed = Effect.gen(function* () {
  const { broken } = yield* Breakable
  if (broken.size === 0) return
  broken.clear()
  yield* TestClock.adjust("11 minutes")
})

const keyOf = ({
  blockchain,
  contractAddress,
  holderAddress
}: Pick<Balance, "blockchain" | "contractAddress" | "holderAddress">) =>
  `${blockchain} ${holderAddress} ${contractAddress}`

/** The names of the upstreams of each network, without those that serve several networks. */
const upstreamsOf = (names: ReadonlyArray<string>) => {
  const all = new Map<string, ReadonlyArray<string>>()
  for (const name of names) {
    const id = networkOf(name)
    if (id !== undefined) all.set(id, [...(all.get(id) ?? []), name])
  }
  return all
}

/** The network with this indexer; otherwise the longest id that is a prefix of an upstream's name: `ethereum-classic-rpc` does not belong to Ethereum. */
const networkOf = (upstream: string): string | undefined =>
  networks.find((facts) => "indexers" in facts && Object.hasOwn(facts.indexers ?? {}, upstream))?.id ??
  networks
    .map(({ id }) => id as string)
    .filter((id) => upstream.startsWith(`${id}-`))
    .sort((a, b) => b.length - a.length)[0]
