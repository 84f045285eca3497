import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { FirstTransaction as First, ReadFailure } from "../../../src/chains/Chain.ts"
import { numberOf, seconds } from "../../../src/domain/units.ts"
import { FirstTransaction } from "../../../src/features/transactions/FirstTransaction.ts"
import { ledger } from "../../../src/sandbox/world/ledger.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Store } from "../../../src/storage/Store.ts"
import { body, Service } from "../../support/app.ts"
import { chainsOf } from "../../support/chains.ts"
import { begin, explorer, node, row } from "../../support/firstTransactions.ts"
import { neverResponds, type Reply, refused, simulatedClient, text } from "../../support/http.ts"
import { holder, holders } from "../../support/sandbox.ts"
import { simulated } from "../../support/simulated.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"

const address = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const now = 1_793_000_000

type Source = (address: string) => Effect.Effect<Option.Option<First>, ReadFailure>

const some = (at: number, uncertainty?: string) =>
  Effect.succeed(Option.some<First>({ at: seconds(at), ...(uncertainty === undefined ? {} : { uncertainty }) }))

/** A fake network whose first transactions a test defines. `requested` lists the addresses of its lookups. */
const network = (id: string, source?: Source) => {
  const info = Catalogue.all.find((facts) => facts.id === id)
  const requested: Array<string> = []
  const state = { source }
  const firstTransaction = (item: string) =>
    Effect.suspend(() => {
      requested.push(item)
      return state.source?.(item) ?? Effect.die("no source")
    })
  const service = {
    facts: { ...info, genesisTime: seconds(0) },
    address: (spelling: string) =>
      /^0x\w+$/.test(spelling) ? Either.right(spelling.toLowerCase()) : Either.left("it begins with 0x"),
    ...(source === undefined ? {} : { firstTransaction })
  }
  return { requested, service, state }
}

const over = (...networks: ReadonlyArray<ReturnType<typeof network>>) =>
  Layer.fresh(FirstTransaction.layer).pipe(
    Layer.provide([chainsOf(networks.map(({ service }) => service)), Settings.layer({ REQUEST_DEADLINE_MS: "10000" })])
  )

type Networked = ReadonlyArray<ReturnType<typeof network>>

/** The result per name: a time, null, or the reason for a failure. */
const look = (names: ReadonlyArray<string>, text = address) =>
  Effect.flatMap(FirstTransaction, ({ of }) => of(names, text)).pipe(
    Effect.flatMap(Either.mapLeft(String)),
    Effect.map((found) =>
      Object.fromEntries(
        [...found].map(([name, result]) => [
          name,
          Either.match(result, {
            onLeft: ({ message }) => message,
            onRight: Option.match({ onNone: () => null, onSome: ({ at }) => numberOf(at) })
          })
        ])
      )
    )
  )

/** Runs a test over these networks, with its own store. */
const test = <A, E>(name: string, networks: Networked, run: Effect.Effect<A, E, FirstTransaction>) =>
  it.effect(name, () =>
    Effect.zipRight(TestClock.setTime(now * 1000), run).pipe(
      Effect.provide(Layer.provide(over(...networks), Memory.layer()))
    )
  )

describe("first transactions", () => {
  const ethereum = network("ethereum", () => some(5))
  const base = network("base", () => Effect.succeedNone)
  const bitcoin = network("bitcoin")
  test(
    "are returned under the names in the request; each network is called once, and unsupported names are skipped",
    [ethereum, base, bitcoin],
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* look([" ETH", "Ethereum", "ethereum", "base", "bitcoin", "nowhere", "__proto__"]), {
        " ETH": 5,
        Ethereum: 5,
        ethereum: 5,
        base: null
      })
      assert.deepStrictEqual([ethereum.requested, base.requested], [[address.toLowerCase()], [address.toLowerCase()]])
    })
  )

  test(
    "are refused for an address that no network accepts, for any requested networks",
    [ethereum],
    Effect.gen(function* () {
      const { of } = yield* FirstTransaction
      for (const names of [["ethereum"], ["nowhere"], []])
        assert.deepStrictEqual(yield* of(names, "bc1q"), Either.left("it begins with 0x"))
    })
  )

  const broken = network("ethereum", () => Effect.die(new Error("https://user:secret@node.example")))
  const failing = network("base", () => Effect.fail({ reason: "timeout", message: "base-blockscout: timed out" }))
  const waiting = network("polygon", () => Effect.never)
  const good = network("optimism", () => some(7))
  test(
    "are independent: a failure, a defect or a timeout is returned as a reason before the deadline",
    [broken, failing, waiting, good],
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(look(["ethereum", "base", "polygon", "optimism"]))
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), {
        ethereum: "internal error",
        base: "base-blockscout: timed out",
        polygon: "timed out",
        optimism: 7
      })
    })
  )

  const young = network("ethereum", () => some(now - 1_100))
  test(
    "are looked up again after a while if they are recent, because they may still be reverted",
    [young],
    Effect.gen(function* () {
      yield* look(["ethereum"])
      yield* TestClock.adjust("9 seconds")
      yield* look(["ethereum"])
      assert.strictEqual(young.requested.length, 1)
      yield* TestClock.adjust("2 seconds")
      young.state.source = () => some(now - 1_099)
      assert.deepStrictEqual(yield* look(["ethereum"]), { ethereum: now - 1_099 })
      yield* TestClock.adjust("10 minutes")
      yield* look(["ethereum"])
      young.state.source = () => some(1)
      yield* TestClock.adjust("2 days")
      assert.deepStrictEqual(yield* look(["ethereum"]), { ethereum: now - 1_099 })
    })
  )

  const unused = network("ethereum", () => Effect.succeedNone)
  test(
    "are looked up again if none was found yet or the result is uncertain",
    [unused],
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* look(["ethereum"]), { ethereum: null })
      unused.state.source = () => some(9, "perhaps an older one")
      yield* TestClock.adjust("11 seconds")
      assert.deepStrictEqual(yield* look(["ethereum"]), { ethereum: 9 })
      unused.state.source = () => some(8)
      yield* TestClock.adjust("11 seconds")
      assert.deepStrictEqual(yield* look(["ethereum"]), { ethereum: 8 })
    })
  )

  const flaky = network("ethereum", () => Effect.fail({ reason: "timeout", message: "timed out" }))
  test(
    "are looked up again at once after a failure",
    [flaky],
    Effect.gen(function* () {
      yield* look(["ethereum"])
      flaky.state.source = () => some(8)
      assert.deepStrictEqual(yield* look(["ethereum"]), { ethereum: 8 })
    })
  )

  const shared = network("ethereum", () => Effect.delay(some(6), "1 second"))
  test(
    "are looked up once for concurrent requests, even if a client disconnects",
    [shared],
    Effect.gen(function* () {
      const [first, second] = [yield* Effect.fork(look(["ethereum"])), yield* Effect.fork(look(["eth"]))]
      yield* TestClock.adjust("500 millis")
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(yield* Fiber.join(second), { eth: 6 })
      assert.strictEqual(shared.requested.length, 1)
    })
  )

  it.effect("are stored permanently: after a restart, no network is called", () => {
    const before = network("ethereum", () => some(6))
    const after = network("ethereum", () => some(7))
    return Effect.gen(function* () {
      yield* TestClock.setTime(now * 1000)
      yield* Effect.provide(look(["eth"]), over(before))
      yield* TestClock.adjust("7300 days")
      assert.deepStrictEqual(yield* Effect.provide(look(["ethereum"]), over(after)), { ethereum: 6 })
      assert.deepStrictEqual(after.requested, [])
      assert.deepStrictEqual(yield* Effect.provide(look(["ethereum"], `0x${"b".repeat(40)}`), over(after)), {
        ethereum: 7
      })
    }).pipe(Effect.provide(Memory.layer()))
  })

  it.effect("are returned even if the store fails", () => {
    const failing = Layer.succeed(Store, {
      open: () => ({
        getMany: () => Effect.die("closed"),
        setMany: () => Effect.die("closed"),
        changeLists: () => Effect.die("closed"),
        remove: () => Effect.die("closed"),
        clear: Effect.void
      }),
      claim: () => Effect.succeed(true),
      release: () => Effect.void
    })
    return Effect.gen(function* () {
      yield* TestClock.setTime(now * 1000)
      assert.deepStrictEqual(yield* look(["ethereum"]), { ethereum: 6 })
    }).pipe(Effect.provide(Layer.provide(over(network("ethereum", () => some(6))), failing)))
  })
})

interface Answer {
  readonly [network: string]: { readonly timestamp: number }
}

interface Refused {
  readonly status: number
  readonly detail: string
  readonly issues?: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

const missingIn = (response: Response): ReadonlyArray<Record<string, string>> =>
  JSON.parse(response.headers.get("x-partial-failures") ?? "[]")

const supported = ["arbitrum", "avalanche", "base", "bsc", "ethereum", "optimism", "polygon", "zkevm"]

/** The deadline of a request, ms. */
const deadline = 2_000

const served = (outside: (name: string) => Reply, settings: Readonly<Record<string, string>> = {}) => {
  const hosts = simulatedClient(({ url }) => outside(url.host))
  return Service.layer(
    {
      UPSTREAMS: "live",
      ETHEREUM_BLOCKSCOUT_URL: "http://blockscout.test",
      ETHERSCAN_URL: "http://etherscan.test",
      ROUTESCAN_URL: "http://routescan.test",
      UPSTREAM_TIMEOUT_MS: "200",
      REQUEST_DEADLINE_MS: String(deadline),
      ...settings
    },
    hosts.layer
  )
}

const query = { networkIds: ["Ethereum"], address }

describe.concurrent("POST /utils/first-tx", () => {
  layer(Service.layer({ ETHERSCAN_API_KEY: "k" }), { excludeTestServices: true })((it) => {
    it("returns all supported networks in the sandbox, except a network that was shut down", function* () {
      const { post } = yield* Service
      const response = yield* post("/utils/first-tx", {
        networkIds: [...supported, "sonic", "bitcoin", "nowhere", "ETH"],
        address: holder(1)
      })
      assert.strictEqual(response.status, 200)
      const timestamps = yield* body<Answer>(response)
      const expected = [...supported.slice(0, -1), "ETH"].map((name) => {
        const info = Catalogue.all.find(({ aliases, id }) => id === name || aliases.includes(name.toLowerCase()))
        assert.isDefined(info)
        return [name, { timestamp: info === undefined ? 0 : (ledger(info, holder(1))[0]?.at ?? 0) }] as const
      })
      assert.deepStrictEqual(timestamps, Object.fromEntries(expected))
      assert.deepStrictEqual(
        missingIn(response).map(({ errorCode, network }) => [network, errorCode]),
        [
          ["nowhere", "unknown_network"],
          ["sonic", "not_configured"],
          ["bitcoin", "not_configured"],
          ["zkevm", "sunset"]
        ]
      )
    })

    it("omits networks where the address was never used, without a failure", function* () {
      const { post } = yield* Service
      const ethereum = Catalogue.all.find(({ id }) => id === "ethereum")
      const never = holders(200).find((candidate) => ethereum !== undefined && ledger(ethereum, candidate).length === 0)
      assert.isDefined(never)
      const response = yield* post("/utils/first-tx", { networkIds: ["ethereum"], address: never })
      assert.strictEqual(response.status, 200)
      assert.deepStrictEqual(yield* body<Answer>(response), {})
      assert.deepStrictEqual(missingIn(response), [])
    })

    it("rejects an invalid list", function* () {
      const { post } = yield* Service
      const { issues } = yield* body<Refused>(yield* post("/utils/first-tx", { networkIds: "ethereum", address: 5 }))
      assert.deepStrictEqual(issues, [
        { path: "networkIds", message: 'must be a list of network ids; it is "ethereum"' },
        { path: "address", message: "must be a string; it is 5" }
      ])
    })

    it("rejects an invalid address for any networks", function* () {
      const { post } = yield* Service
      for (const [networkIds, wrong] of [
        [["ethereum"], "0x1"],
        [["nowhere"], "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"],
        [[], `${address.slice(0, -1)}6`]
      ] as const) {
        const response = yield* post("/utils/first-tx", { networkIds, address: wrong })
        const { issues, status } = yield* body<Refused>(response)
        assert.strictEqual(status, 400)
        assert.deepStrictEqual(
          issues?.map(({ path }) => path),
          ["address"]
        )
      }
      const none = yield* post("/utils/first-tx", { networkIds: "ethereum", address })
      assert.strictEqual(none.status, 400)
    })

    it("returns no result for unsupported networks and for a network that was shut down", function* () {
      const { post } = yield* Service
      for (const networkIds of [[], ["sonic", "ethereum-classic", "solana", "nowhere"], ["zkevm"]]) {
        const response = yield* post("/utils/first-tx", { networkIds, address })
        assert.strictEqual(response.status, 200)
        assert.deepStrictEqual(yield* body<Answer>(response), {})
        assert.strictEqual(missingIn(response).length, networkIds.length)
      }
    })
  })

  layer(Service.layer({ UPSTREAMS: "live" }), { excludeTestServices: true })((it) => {
    it("names a network that is not configured, and returns 501 if it is the only network", function* () {
      const { post } = yield* Service
      const both = yield* post("/utils/first-tx", { networkIds: ["bnb", "base"], address: holder(1) })
      assert.deepStrictEqual(Object.keys(yield* body<Answer>(both)), ["base"])
      const [missing, ...others] = missingIn(both)
      assert.deepStrictEqual(others, [])
      assert.deepInclude(missing, { network: "bnb", address: holder(1) })
      assert.match(missing?.message ?? "", /set ETHERSCAN_API_KEY or BSC_BLOCKSCOUT_URL/)
      const alone = yield* post("/utils/first-tx", { networkIds: ["bsc"], address })
      assert.strictEqual(alone.status, 501)
      assert.match((yield* body<Refused>(alone)).detail, /ETHERSCAN_API_KEY/)
    })

    it("is available in GET /networks if the network has an explorer that needs no key", function* () {
      const { get } = yield* Service
      const all = yield* body<
        ReadonlyArray<{ id: string; abilities: { firstTransaction: { available: boolean; reason?: string } } }>
      >(yield* get("/networks"))
      const available = all.filter(({ abilities }) => abilities.firstTransaction.available).map(({ id }) => id)
      const keyless = Catalogue.all.flatMap((info) =>
        info.family === "evm" && (info.explorers?.blockscout ?? info.explorers?.routescan) !== undefined
          ? [info.id as string]
          : []
      )
      assert.includeMembers(available, ["arbitrum", "avalanche", "base", "ethereum", "optimism", "polygon"])
      assert.sameMembers(
        available,
        keyless.filter((id) => Catalogue.firstTransactions.includes(id))
      )
    })
  })

  const blockscout = simulatedClient((request) => {
    if (request.url.host === "blockscout.test") return explorer({ txlist: [row(5, { from: address })] })(request)
    return request.method === "POST" ? node({})(request) : refused
  })
  layer(
    Service.layer(
      {
        ETHEREUM_BLOCKSCOUT_URL: "http://blockscout.test",
        BASE_BLOCKSCOUT_URL: "http://down.test",
        ETHEREUM_RPC_URLS: "http://node.test"
      },
      blockscout.layer
    ),
    { excludeTestServices: true }
  )((it) => {
    it("returns the available results, and names the missing results", function* () {
      const { post } = yield* Service
      const response = yield* post("/utils/first-tx", { networkIds: ["base", "Eth"], address })
      assert.strictEqual(response.status, 200)
      assert.deepStrictEqual(yield* body<Answer>(response), { Eth: { timestamp: begin + 5 } })
      assert.deepStrictEqual(missingIn(response), [
        {
          network: "base",
          address,
          message: "base-blockscout: could not be reached: connection refused",
          errorCode: "upstream_error"
        }
      ])
      const calls = blockscout.requests.length
      yield* post("/utils/first-tx", query)
      assert.strictEqual(blockscout.requests.length, calls)
    })
  })
})

describe("POST /utils/first-tx on a simulated clock", () => {
  for (const [fault, reply] of [
    ["hangs", neverResponds],
    ["is unreachable", refused],
    ["fails", text("oops", { status: 500 })],
    ["returns an HTML page", text("<html></html>")],
    ["returns a rate limit error", text("", { status: 429 })]
  ] as const)
    it(`returns 502 within the deadline if every source ${fault}`, function* () {
      const { finish, live } = simulated(now * 1000)
      const { post } = Context.get(yield* live(Layer.build(served(() => reply))), Service)
      const { outcome, took } = yield* finish(post("/utils/first-tx", query))
      assert.isBelow(took, deadline)
      const { detail, status } = yield* body<Refused>(yield* outcome)
      assert.strictEqual(status, 502)
      assert.match(detail, /^No first transaction could be looked up: /)
      assert.notMatch(detail, /https?:|\.test/)
    })
})
