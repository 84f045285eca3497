import { readFileSync, writeFileSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as effect from "effect"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import * as Client from "../src/client/Client.ts"
import * as library from "../src/index.ts"
import * as testing from "../src/testing/index.ts"
import { execute, programsIn } from "./support/programs.ts"
import { holder } from "./support/sandbox.ts"
import { assert, describe, it } from "./support/vitest.ts"

const [
  first = "",
  problems = "",
  worlds = "",
  mocks = "",
  turns = "",
  edits = "",
  calls = "",
  faults = "",
  unused = "",
  outgoing = "",
  replay = "",
  mine = "",
  settings = "",
  deadline = "",
  runner = "",
  expiry = "",
  client = "",
  payment = "",
  listed = "",
  ...others
] = programsIn("docs/testing.md")

const { Networks, Service, Upstreams } = testing

type Test = Effect.Effect<unknown, unknown, testing.Service>

/** A part of an example, which imports the package. */
const exampleOf = (path: string) =>
  execute(readFileSync(path, "utf8").replace(/^export /gm, ""), {
    modules: { "@effect/platform/HttpClientRequest": HttpClientRequest, effect, "wallet-data": library }
  })

/** The matchers of `bun:test` that the samples use. */
const expect = (value: unknown) => ({
  toHaveLength: (length: number) => assert.lengthOf(value as ReadonlyArray<unknown>, length),
  toMatchObject: (expected: Readonly<Record<string, object>>) => {
    for (const [key, part] of Object.entries(expected)) assert.deepInclude((value as typeof expected)[key], part)
  }
})

/** The tests that a program registers, by their names; each is run by the test that executes the program. */
const registering = () => {
  const tests = new Map<string, Test>()
  const test = (name: string, body: () => Test) => void tests.set(name, body())
  const ends: Array<() => Promise<unknown>> = []
  return {
    tests,
    ends,
    runner: {
      it: { effect: test, live: test },
      layer: (service: Layer.Layer<testing.Service>) => (_: string, body: (of: object) => void) =>
        body({ effect: (name: string, of: () => Test) => void tests.set(name, Effect.provide(of(), service) as Test) })
    },
    bun: {
      test: (name: string, body: () => Promise<unknown>) => void tests.set(name, Effect.promise(body)),
      afterAll: (end: () => Promise<unknown>) => void ends.push(end),
      expect
    }
  }
}

const run = (program: string, values: Readonly<Record<string, unknown>> = {}) =>
  Effect.gen(function* () {
    const { bun, ends, runner, tests } = registering()
    const modules = {
      "@effect/vitest": { assert, ...runner },
      "effect/Effect": Effect,
      "effect/TestClock": TestClock,
      "effect/TestContext": TestContext,
      "wallet-data": library,
      "wallet-data/testing": testing
    }
    const { Catalogue, CoinId, Evm } = library
    const named = {
      Catalogue,
      CoinId,
      Evm,
      Effect,
      Layer,
      ManagedRuntime,
      TestClock,
      ...testing,
      ...runner,
      ...bun,
      make: Client.make,
      assert
    }
    const made = yield* execute(program, { modules, values: { ...named, address: holder(1), ...values } })
    return { made, tests: [...tests.values()], ends }
  })

type Balances = ReadonlyArray<{
  readonly balance: string | null
  readonly balanceUsd: string | null
  readonly errorCode?: string
}>

const balances = (network: string, text: string) =>
  Effect.gen(function* () {
    const { api } = yield* Service
    return (yield* api.balances.balances({ payload: { networks: { [network]: [text] } } })) as unknown as Balances
  })

/** A service over the upstreams that a program has made. */
const over = (upstreams: unknown, network: "bitcoin" | "ethereum") =>
  Service.layer({
    networks: Networks.only(network),
    upstreams: upstreams as Layer.Layer<HttpClient.HttpClient>
  }) as Layer.Layer<testing.Service>

const bitcoin = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"

describe("a sample of docs/testing.md", () => {
  it.live("is a test that passes", function* () {
    assert.deepStrictEqual(others, [])
    for (const program of [first, worlds]) {
      const { tests } = yield* run(program)
      assert.lengthOf(tests, 1)
      for (const test of tests) yield* test as Effect.Effect<unknown>
    }
  })

  it.live("is a part of such a test", function* () {
    for (const program of [problems, unused, outgoing]) yield* Effect.provide(run(program), Service.layer())
  })

  it.live("mocks, edits and breaks upstreams as its text says", function* () {
    const { made } = yield* run(mocks)
    assert.deepInclude((yield* Effect.provide(balances("bitcoin", bitcoin), over(made.upstreams, "bitcoin")))[0], {
      balance: "1.5",
      balanceUsd: null
    })
    const flaky = yield* run(turns)
    assert.isString(
      (yield* Effect.provide(balances("ethereum", holder(1)), over(flaky.made.flaky, "ethereum")))[0]?.balance
    )
    const empty = yield* run(edits, { address: bitcoin })
    assert.strictEqual(
      (yield* Effect.provide(balances("bitcoin", bitcoin), over(empty.made.empty, "bitcoin")))[0]?.balance,
      "0"
    )
  })

  it.live("edits the calls of a node", function* () {
    const { made } = yield* run(calls)
    const call = (method: string) => ({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: method === "eth_gasPrice" ? [] : [{ to: holder(2) }]
    })
    const answers = (upstreams: unknown) =>
      Effect.gen(function* () {
        const { fetch } = yield* Service
        const body = JSON.stringify([call("eth_gasPrice"), call("eth_estimateGas")])
        const response = yield* fetch("/utils/rpc/ethereum", {
          method: "POST",
          body,
          headers: { "content-type": "application/json" }
        })
        return (yield* Effect.promise(() => response.json())) as ReadonlyArray<{
          readonly result: string
          readonly error?: object
        }>
      }).pipe(Effect.provide(over(upstreams, "ethereum")))
    const [usual] = yield* answers(Upstreams.sandbox)
    const [dear, refused] = yield* answers(made.expensive)
    // The price rises and falls with each second.
    assert.isTrue(BigInt(dear?.result ?? 0) > 50n * BigInt(usual?.result ?? 1))
    assert.deepStrictEqual(refused?.error, { code: 3, message: "execution reverted" })
  })

  it.live("has balances without prices", function* () {
    const { made } = yield* run(faults)
    const rows = yield* Effect.provide(balances("ethereum", holder(1)), made.priceless as Layer.Layer<testing.Service>)
    assert.isNotEmpty(rows)
    for (const { balance, balanceUsd } of rows) assert.deepStrictEqual([typeof balance, balanceUsd], ["string", null])
  })

  it.live("replays recordings: a request that was not recorded fails", function* () {
    const folder = yield* Effect.promise(() => mkdtemp(join(tmpdir(), "recordings-")))
    const exchange = {
      provider: "example",
      request: { method: "GET", host: "example.com", path: "/", query: {}, body: null },
      response: { status: 200, body: {} },
      provenance: { kind: "test", note: "" }
    }
    writeFileSync(join(folder, "example.json"), JSON.stringify(exchange))
    const { made } = yield* run(replay.replace('"recordings"', JSON.stringify(folder)))
    const [row] = yield* Effect.provide(balances("bitcoin", bitcoin), made.recorded as Layer.Layer<testing.Service>)
    assert.deepInclude(row, { balance: null, errorCode: "upstream_error" })
  })

  it.live("has networks, prices and variables of one's own", function* () {
    const { gnosis } = yield* exampleOf("examples/own-network/gnosis.ts")
    const Pebble = yield* exampleOf("examples/own-network/Pebble.ts")
    const { made } = yield* run(mine, { gnosis, Pebble })
    const service = made.mine as Layer.Layer<testing.Service>
    const [xdai] = yield* Effect.provide(balances("gnosis", holder(1)), service)
    assert.isString(xdai?.balanceUsd)
    const [grains] = yield* Effect.provide(balances("pebble", "pb00112233445566778899"), service)
    assert.deepInclude(grains, { balance: "1.5", balanceUsd: "6.3" })
    yield* run(settings)
  })

  it.live("moves the clock", function* () {
    const { tests } = yield* run(deadline)
    assert.lengthOf(tests, 1)
    for (const test of tests) yield* Effect.provide(test as Effect.Effect<unknown>, TestContext.TestContext)
    const { ends, tests: expiring } = yield* run(expiry)
    assert.lengthOf(expiring, 1)
    for (const test of expiring) yield* test as Effect.Effect<unknown>
    for (const end of ends) yield* Effect.promise(end)
  })

  it.live("runs with any runner, and with the JavaScript client", function* () {
    const { ends, made, tests } = yield* run(runner, { address: bitcoin })
    assert.lengthOf(tests, 1)
    for (const test of tests) yield* test as Effect.Effect<unknown>
    const { client: own } = (yield* run(client, { runtime: made.runtime })).made
    const wallet = own as ReturnType<typeof Client.make>
    assert.lengthOf(yield* Effect.promise(() => wallet.balances({ networks: { bitcoin: [bitcoin] } })), 1)
    for (const end of ends) yield* Effect.promise(end)
  })

  it.live("pays, and finds the payment in the history", function* () {
    const [sender, recipient] = [holder(1), holder(2)]
    const paid = yield* run(payment, { sender, recipient })
    const found = yield* run(listed, { recipient, payment: paid.made.payment })
    const service = paid.made.service as Layer.Layer<testing.Service>
    yield* (found.made.listed as Effect.Effect<void, unknown, testing.Service>).pipe(
      Effect.provide(Layer.provideMerge(service, TestContext.TestContext))
    )
  })
})
