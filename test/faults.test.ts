import * as HttpClient from "@effect/platform/HttpClient"
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import { Chains } from "../src/chains/Chains.ts"
import type { Balance } from "../src/domain/Balance.ts"
import { Portfolio } from "../src/features/balances/Portfolio.ts"
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
import { generous } from "./support/counted.ts"
import { halves } from "./support/halves.ts"
import { settled } from "./support/settled.ts"
import { networks } from "./support/tier.ts"

/** This number of addresses on each network. */
const onAll = (count: number): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(networks.map((info) => [info.id as string, samples(info, count)]))

type Fault = Effect.Effect<Response>

/** What one upstream does from some moment on. */
const faults: Readonly<Record<string, Fault>> = {
  hangs: Effect.never,
  fails: Effect.sync(() => new Response("no", { status: 500 })),
  "rejects every request": Effect.sync(() => new Response("{}", { status: 429, headers: { "retry-after": "600" } })),
  "lies with an empty object": Effect.sync(() => Response.json({})),
  "lies with an empty list": Effect.sync(() => Response.json([])),
  "lies with a result of nothing": Effect.sync(() => Response.json({ jsonrpc: "2.0", id: 1, result: null })),
  "lies with a page": Effect.sync(() => new Response("<html>welcome</html>"))
}

/** A sandbox of which some upstreams can be broken. */
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

/** A portfolio that has its token lists, over upstreams that can be broken; two addresses of each network at first. */
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
        Layer.provide(Pricing.layer),
        Layer.provide(TokenRegistry.layer),
        Layer.provide(Layer.mergeAll(CoinGecko.layer, DefiLlama.layer, Binance.layer, Frankfurter.layer)),
        Layer.provide(Upstreams.layerUnlimited),
        Layer.provide(Layer.mergeAll(world.layer, Memory.layer(), generous())),
        Layer.provide(Logger.remove(Logger.defaultLogger)),
        // Before anything is built: whatever wakes now and then must not wake for all the years.
        Layer.provide(Layer.effectDiscard(TestClock.setTime(1_795_000_000_000))),
        Layer.fresh
      )
    })
  )
}

/** Prices move from hour to hour, so of a value only whether it is there. */
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

/** What is broken at a time: each upstream that is, and how. */
type Round = ReadonlyMap<string, Fault>

const all = Object.entries(faults)

/**
 * Half of the networks at a time, so often that each has every fault, and that whichever two are compared, one works while
 * the other does not.
 */
const inHalves = (upstreams: ReadonlyMap<string, Names>): ReadonlyArray<Round> => {
  const times = new Map<string, number>()
  // Of two halves, each network is in one: so many rounds are as many faults for each.
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

/** The first upstream of each network, the second, and so on. */
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

/** A pair of rounds for each fault: a round for each half of the networks. */
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

layer(Breakable.layer)("addresses on every network", (it) => {
  it.effect("are answered completely, five on each", () =>
    Effect.gen(function* () {
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
  )

  for (const [name, rounds] of cases)
    it.effect(`are answered for all others when ${name}`, () =>
      Effect.gen(function* () {
        const { ask, before, broken, upstreams } = yield* Breakable
        for (const round of rounds(upstreams)) {
          for (const [upstream, fault] of round) broken.set(upstream, fault)
          const rows = yield* ask(2)
          const what = [...round.keys()].join(", ")
          const works = (id: string) => upstreams.get(id)?.some((upstream) => round.has(upstream)) !== true
          assert.deepStrictEqual(numbers(rows, works), numbers(before, works), what)
          // Rows of the others are the same by another upstream, or null with a reason: never another number.
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

/** A circuit that opened after a fault closes again. */
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

/** The names of the upstreams of each network; those of several networks are of none. */
const upstreamsOf = (names: ReadonlyArray<string>) => {
  const all = new Map<string, ReadonlyArray<string>>()
  for (const name of names) {
    const id = networkOf(name)
    if (id !== undefined) all.set(id, [...(all.get(id) ?? []), name])
  }
  return all
}

/** The longest id that an upstream's name begins with: `ethereum-classic-rpc` is not Ethereum's. */
const networkOf = (upstream: string): string | undefined =>
  belongs[upstream] ??
  networks
    .map(({ id }) => id as string)
    .filter((id) => upstream.startsWith(`${id}-`))
    .sort((a, b) => b.length - a.length)[0]

/** Upstreams that are not named after their network. */
const belongs: Readonly<Record<string, string>> = {
  trongrid: "tron",
  koios: "cardano",
  blockfrost: "cardano",
  toncenter: "ton",
  tonapi: "ton"
}
