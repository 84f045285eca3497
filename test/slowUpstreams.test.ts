import * as HttpClient from "@effect/platform/HttpClient"
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import type { Chain, ReadFailure } from "../src/chains/Chain.ts"
import { Chains } from "../src/chains/Chains.ts"
import { CoinId } from "../src/domain/CoinId.ts"
import { MarketCharts } from "../src/features/prices/MarketCharts.ts"
import { Pricing } from "../src/features/prices/Pricing.ts"
import * as Task from "../src/kernel/Task.ts"
import { Binance } from "../src/providers/Binance.ts"
import { CoinGecko } from "../src/providers/CoinGecko.ts"
import { DefiLlama } from "../src/providers/DefiLlama.ts"
import { Frankfurter } from "../src/providers/Frankfurter.ts"
import { TokenRegistry } from "../src/providers/TokenRegistry.ts"
import { placeholders } from "../src/sandbox/placeholders.ts"
import * as Sandbox from "../src/sandbox/Sandbox.ts"
import * as Memory from "../src/storage/Memory.ts"
import { CurrentUpstream } from "../src/upstream/CurrentUpstream.ts"
import { Upstreams } from "../src/upstream/Upstreams.ts"
import { samples } from "./chains/families/samples.ts"
import { unlimitedSettings } from "./support/counted.ts"
import { simulated } from "./support/simulated.ts"
import { liveNetworks, networks } from "./support/tier.ts"

/** The delay of every response of the sandbox, ms. */
const latency = 100

/** The default of UPSTREAM_TIMEOUT_MS. */
const upstreamTimeout = 5_000

/** After the first timeout of a slow source, the longest allowed time of a response, ms. */
const allowed = (healthy: number) => 1.2 * healthy + 100

/** Number of additional sequential calls that the next source needs. */
const moreCalls: Readonly<Record<string, number>> = { "ethereum first transaction": 1, "cardano history": 2 }

/** The test of a node that only clients' calls have reached takes longer, ms: the service does not know its usual time. */
const unknownTime: Readonly<Record<string, number>> = { "ethereum balance": 200 }

const start = 1_795_000_000_000

/** A sandbox in which chosen hosts hang, and the called hosts in order. */
const hanging = () => {
  const state = { hangs: (_host: string) => false, calledHosts: [] as Array<string> }
  const layer = Layer.map(Sandbox.layer(Catalogue.all, { latency }), (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.transform(Context.get(context, HttpClient.HttpClient), (answer, request) =>
        Effect.flatMap(CurrentUpstream, ({ name }) => {
          const host = `${name} ${new URL(request.url).host}`
          state.calledHosts.push(host)
          return state.hangs(host) ? Effect.never : answer
        })
      )
    )
  )
  return { state, layer }
}

const services = MarketCharts.layer.pipe(
  Layer.provideMerge(Chains.only(networks.map(({ id }) => id))),
  Layer.provideMerge(Pricing.layer),
  Layer.provideMerge(TokenRegistry.layer),
  Layer.provideMerge(Layer.mergeAll(CoinGecko.layer, DefiLlama.layer, Binance.layer, Frankfurter.layer)),
  Layer.provideMerge(Upstreams.layer)
)

/** If TABLE is set, all networks are measured and times are printed; otherwise shared EVM code is measured once. */
const table = process.env.TABLE !== undefined

const isShared = (id: string) => !table && id !== "ethereum"

/** A request to measure. Prices and charts request another coin each time, because they are cached. */
interface Probe {
  readonly what: string
  /** Undefined on success, otherwise the reason of the failure. */
  readonly ask: (index: number) => Effect.Effect<string | undefined>
}

const reasonOf = <A>(ask: Effect.Effect<A, { readonly message: string }>) =>
  Effect.match(ask, { onFailure: ({ message }) => message, onSuccess: () => undefined })

const ofNetwork = (network: Context.Tag.Service<Chain>): ReadonlyArray<Probe> => {
  const {
    address,
    firstTransaction,
    history,
    holdings,
    facts: info,
    protocolParameters,
    rawTransactions,
    rpc
  } = network
  const sample = (index: number) => Either.getOrThrow(address(samples(info, 1, index)[0] ?? ""))
  let found: string | undefined
  /** The hash of a transaction, from the first address with a history. */
  const hash = (index = 0): Effect.Effect<string, ReadFailure> =>
    found !== undefined || history === undefined
      ? Effect.succeed(found ?? "")
      : Effect.flatMap(history({ address: sample(index), limit: 1 }), ({ transactions: [first] }) => {
          found = first?.hash
          return hash(index + 1)
        })
  return [
    {
      what: `${info.id} balance`,
      ask: () =>
        reasonOf(
          Effect.flatMap(holdings([sample(1)]), ({ addresses: [first] }) => first ?? Effect.dieMessage("no row"))
        )
    },
    ...(history === undefined
      ? []
      : [
          {
            what: `${info.id} history`,
            ask: () => reasonOf(history({ address: sample(1), limit: 3 }))
          }
        ]),
    ...(rawTransactions === undefined || history === undefined
      ? []
      : [
          {
            what: `${info.id} raw transaction`,
            ask: () =>
              reasonOf(Effect.flatMap(hash(), (text) => Either.getOrThrow(rawTransactions.prepareLookup(text))))
          }
        ]),
    ...(firstTransaction === undefined || isShared(info.id)
      ? []
      : [{ what: `${info.id} first transaction`, ask: () => reasonOf(firstTransaction(sample(1))) }]),
    ...(protocolParameters === undefined
      ? []
      : [
          { what: `${info.id} parameters`, ask: () => reasonOf(protocolParameters.current) },
          { what: `${info.id} block`, ask: () => reasonOf(protocolParameters.block) }
        ]),
    ...(rpc === undefined || info.family !== "evm" || isShared(info.id)
      ? []
      : [
          {
            what: `${info.id} call`,
            ask: (index: number) =>
              reasonOf(
                Task.toEffect(
                  rpc.main.call({ method: "eth_getBalance", params: JSON.stringify([sample(index), "latest"]) })
                )
              )
          }
        ])
  ]
}

const probes = Effect.gen(function* () {
  const { prices } = yield* Pricing
  const { charts } = yield* MarketCharts
  const lists = yield* (yield* TokenRegistry).lists
  const coins = [...new Set(Array.from(lists.values(), ({ byCoin }) => [...byCoin.keys()]).flat())]
  const coin = (index: number) => coins[index % coins.length] ?? CoinId.make("bitcoin")
  // Coins from all parts of the list, so that every source is called and can fail.
  const several = (index: number) => Array.from({ length: 5 }, (_, part) => coin(index + 6 * part))
  return [
    ...(yield* (yield* Chains).all).filter(({ facts: info }) => info.sunset === undefined).flatMap(ofNetwork),
    {
      what: "price",
      ask: (index: number) =>
        Effect.map(prices(several(index)), ({ missing }) => [...missing.values()][0] as string | undefined)
    },
    {
      what: "chart",
      ask: (index: number) => Effect.map(charts([coin(index)], 7), ({ failed }) => [...failed.values()][0]?.message)
    }
  ] satisfies ReadonlyArray<Probe>
})

/** All services over sources that can hang, with a clock that advances from event to event. */
class Slow extends Context.Tag("test/Slow")<
  Slow,
  {
    /** The probes of a network, or of the market data. */
    readonly probesOf: (subject: string) => ReadonlyArray<Probe>
    readonly state: ReturnType<typeof hanging>["state"]
    /** Runs the next query of a probe to its end. */
    readonly timed: (probe: Probe) => Effect.Effect<{ readonly took: number; readonly reason: string | undefined }>
    readonly pass: (milliseconds: number) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    Slow,
    Effect.gen(function* () {
      const { finish, live, pass } = simulated(start)
      const { layer, state } = hanging()
      const context = yield* Effect.flatMap(
        finish(
          Layer.build(
            services.pipe(
              Layer.provide(
                Layer.mergeAll(
                  layer,
                  Memory.layer(),
                  unlimitedSettings({ ...placeholders, BLOCKFROST_PROJECT_ID: "sandbox" })
                )
              ),
              Layer.provide(Logger.remove(Logger.defaultLogger)),
              Layer.fresh
            )
          )
        ),
        ({ outcome }) => outcome
      )
      // Waits until the token lists are loaded.
      yield* pass(20_000)
      const all = yield* live(Effect.provide(probes, context))
      const sent = new Map<Probe, number>()
      const next = (probe: Probe) => {
        const index = sent.get(probe) ?? 0
        sent.set(probe, index + 1)
        return index
      }
      return {
        probesOf: (subject) => all.filter(({ what }) => what.split(" ")[0] === subject),
        state,
        timed: (probe) =>
          Effect.map(
            Effect.suspend(() => finish(probe.ask(next(probe)))),
            ({ outcome, took }) => ({ took, reason: Either.getOrThrow(outcome) })
          ),
        pass
      }
    })
  )
}

const healed = Effect.flatMap(Slow, ({ state }) =>
  Effect.sync(() => {
    state.hangs = () => false
  })
)

const oneHangs = (subject: string) =>
  Effect.gen(function* () {
    const { pass, probesOf, state, timed } = yield* Slow
    const requests = probesOf(subject)
    assert.isNotEmpty(requests)
    for (const probe of requests) {
      const { what } = probe
      yield* timed(probe)
      state.calledHosts.length = 0
      const healthy = yield* timed(probe)
      const [preferred = ""] = state.calledHosts
      state.hangs = (host) => host === preferred
      const once = yield* timed(probe)
      const again = yield* timed(probe)
      yield* pass(3_000)
      const trial = yield* timed(probe)
      state.hangs = () => false
      if (table)
        console.log(
          `| ${what} | ${preferred} | ${healthy.took}${healthy.reason ?? ""} | ${[once, again, trial].map(({ reason, took }) => `${took}${reason === undefined ? "" : ` (${reason})`}`).join(" | ")} |`
        )
      const most = allowed(healthy.took + latency * (moreCalls[what] ?? 0))
      assert.isAtMost(again.took, most, `${what}: again`)
      assert.isAtMost(trial.took, most, `${what}: trial`)
      // Waits until open circuits have closed.
      yield* pass(60_000)
    }
  }).pipe(Effect.ensuring(healed))

/** If all sources hang, the second request fails at once with a reason. */
const allHang = (subject: string) =>
  Effect.gen(function* () {
    const { pass, probesOf, state, timed } = yield* Slow
    const requests = probesOf(subject).filter(({ what }) => /balance|price/.test(what))
    assert.isNotEmpty(requests)
    for (const probe of requests) {
      const { what } = probe
      state.hangs = (host) => !host.startsWith("coingecko-tokens")
      const once = yield* timed(probe)
      const again = yield* timed(probe)
      state.hangs = () => false
      if (table) console.log(`| ${what} | ${once.took} | ${again.took} |`)
      assert.isAtMost(once.took, 2 * upstreamTimeout, `${what}, all dead`)
      assert.isAtMost(again.took, allowed(latency) + (unknownTime[what] ?? 0), `${what}, all dead, again`)
      assert.isDefined(again.reason, what)
      yield* pass(60_000)
    }
  }).pipe(Effect.ensuring(healed))

layer(Slow.layer, { excludeTestServices: true })("a source that hangs", (it) => {
  for (const subject of [...liveNetworks.map(({ id }) => id), "price", "chart"])
    it.effect(`delays only one request by its timeout: ${subject}`, () => oneHangs(subject))

  for (const subject of [...liveNetworks.map(({ id }) => id), "price"])
    it.effect(`fails requests at once with a reason if all others hang too: ${subject}`, () => allHang(subject))
})
