import { join } from "node:path"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as App from "../../../src/App.ts"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import * as Sqlite from "../../../src/storage/Sqlite.ts"
import type { Store, StoreOpenError } from "../../../src/storage/Store.ts"
import { CurrentUpstream } from "../../../src/upstream/CurrentUpstream.ts"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import * as Node from "../../support/anvil.ts"
import { body, Service } from "../../support/app.ts"
import { folder } from "../../support/process.ts"
import { external, simulated } from "../../support/simulated.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { address, funder, key } from "./testnet.ts"

const coin = 10n ** 18n

/** Simulates all upstreams except the operator's test network. */
const outside = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const http = Effect.map(Effect.context<HttpClient.HttpClient>(), (context) =>
      Context.get(context, HttpClient.HttpClient)
    )
    const sandbox = yield* Effect.provide(http, Sandbox.layer(Catalogue.all))
    const real = yield* Effect.provide(http, FetchClient.layer)
    /** The simulated clock stands still during a call to the node. */
    const called = (request: HttpClientRequest.HttpClientRequest) =>
      external(
        Effect.flatMap(real.execute(request), (response) =>
          Effect.map(response.text, (text) => HttpClientResponse.fromWeb(request, new Response(text, response)))
        )
      )
    return HttpClient.make((request) =>
      Effect.flatMap(CurrentUpstream, ({ name }) =>
        name === "testnet-rpc" ? called(request) : sandbox.execute(request)
      )
    )
  })
)

/** A complete service on a simulated clock, with an effect that stops it. */
const service = Effect.fnUntraced(function* (
  url: string,
  environment: Readonly<Record<string, string>> = {},
  store: Layer.Layer<Store, StoreOpenError> = Layer.fresh(Memory.layer())
) {
  const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
  const settings = Settings.layer({
    UPSTREAMS: "sandbox",
    CACHE: "memory",
    TESTNET_RPC_URL: url,
    TESTNET_FUNDER_PRIVATE_KEY: key,
    ...environment
  })
  const whole = Service.fromRoutes(Layer.fresh(App.routes)).pipe(
    Layer.provide(Layer.mergeAll(outside, store, settings))
  )
  const { finish, live, pass } = simulated(Date.now())
  const { get } = Context.get(yield* live(Layer.buildWithScope(whole, scope)), Service)
  const request = (to: string) =>
    Effect.flatMap(get(`/utils/fund-testnet-account/${to}`), (response) =>
      Effect.map(body<{ readonly hash?: string | null; readonly detail?: string }>(response), (content) => ({
        status: response.status,
        retryAfter: Number(response.headers.get("retry-after")),
        ...content
      }))
    )
  /** Requests funding for all of these addresses concurrently. */
  const fundAll = (all: ReadonlyArray<string>) =>
    Effect.flatMap(finish(Effect.forEach(all, request, { concurrency: "unbounded" })), ({ outcome }) => outcome)
  const fund = (to: string) => Effect.map(fundAll([to]), ([first]) => first ?? assert.fail("no response"))
  return { fund, fundAll, pass, stop: Scope.close(scope, Exit.void) }
})

/** A separate node, with an effect that stops it. */
const node = Effect.fnUntraced(function* (args: ReadonlyArray<string> = []) {
  const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
  const anvil = Context.get(yield* Layer.buildWithScope(Layer.fresh(Node.layerWith(args)), scope), Node.Anvil)
  /** Mines a block first, because the node accepts a transaction before it mines it, even with automatic mining. */
  const balances = (holders: ReadonlyArray<string>) =>
    Effect.zipRight(
      anvil.rpc("anvil_mine", ["0x1"]),
      Effect.map(anvil.rpcs(holders.map((holder) => ["eth_getBalance", [holder, "latest"]])), (all) =>
        all.map((amount) => BigInt(String(amount)))
      )
    )
  const nonce = Effect.map(anvil.rpc("eth_getTransactionCount", [funder, "latest"]), Number)
  return { ...anvil, balances, nonce, stop: Scope.close(scope, Exit.void) }
})

/** A proxy in front of a node. The node can be replaced, and its responses can be cut off. */
const proxied = (target: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const state = { target, sends: 0, cutAfter: Number.POSITIVE_INFINITY }
      const server = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: async (request) => {
          const text = await request.text()
          if (text.includes("eth_sendRawTransaction")) state.sends++
          const answer = await fetch(state.target, {
            method: "POST",
            body: text,
            headers: { "content-type": "application/json" }
          })
          // The node has processed the request, and its response is lost.
          if (state.sends > state.cutAfter) return new Response("<html>bad gateway</html>", { status: 502 })
          return new Response(await answer.text(), { headers: { "content-type": "application/json" } })
        },
        error: () => new Response("down", { status: 502 })
      })
      return { state, url: server.url.href, server }
    }),
    ({ server }) => Effect.promise(() => server.stop(true))
  )

const addresses = (count: number, from = 0) => Array.from({ length: count }, (_, index) => address(from + index))

describe.skipIf(isMissing("anvil"))("the faucet of a real test network", () => {
  for (const [mining, args] of [
    ["with each transaction", []],
    ["much later", ["--no-mining"]]
  ] as const)
    it.scopedLive(`funds 12 addresses concurrently, each once, when blocks are mined ${mining}`, function* () {
      const testnet = yield* node(args)
      const { fundAll } = yield* service(testnet.url, { TESTNET_FUND_AMOUNT: "0.5" })
      const all = addresses(12)
      const answers = yield* fundAll(all)
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
      assert.strictEqual(new Set(answers.map(({ hash }) => hash)).size, 12)
      assert.deepStrictEqual(
        yield* testnet.balances(all),
        all.map(() => coin / 2n)
      )
      assert.strictEqual(yield* testnet.nonce, 12)
      const receipts = yield* testnet.rpcs(answers.map(({ hash }) => ["eth_getTransactionReceipt", [hash]]))
      for (const receipt of receipts) assert.strictEqual((receipt as { readonly status: string }).status, "0x1")
    })

  it.scopedLive("funds an address once for 10 concurrent requests", function* () {
    const testnet = yield* node()
    const { fundAll } = yield* service(testnet.url)
    const answers = yield* fundAll(Array.from({ length: 10 }, () => address(1)))
    assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 9 }, () => 429)])
    for (const { retryAfter, status } of answers) if (status === 429) assert.isAtLeast(retryAfter, 1)
    assert.deepStrictEqual(yield* testnet.balances([address(1)]), [coin])
    assert.strictEqual(yield* testnet.nonce, 1)
  })

  it.scopedLive("works on chains with legacy fees", function* () {
    const testnet = yield* node(["--hardfork", "berlin"])
    const { fund } = yield* service(testnet.url)
    const { hash, status } = yield* fund(address(1))
    assert.strictEqual(status, 200)
    const transaction = yield* testnet.rpc("eth_getTransactionByHash", [hash])
    assert.strictEqual((transaction as { readonly type: string }).type, "0x0")
    assert.deepStrictEqual(yield* testnet.balances([address(1)]), [coin])
  })

  it.scopedLive(
    "reports correctly which transfers arrived when the node stops in between, and continues with another node",
    function* () {
      const [first, second] = [yield* node(), yield* node()]
      const { state, url } = yield* proxied(first.url)
      state.cutAfter = 3
      const { fundAll } = yield* service(url)
      const all = addresses(8)
      // The node has the first four transactions. The response to the fourth is lost, and so is everything after it.
      const [earliest = "", ...later] = all
      const answers = [...(yield* fundAll([earliest])), ...(yield* fundAll(later))]
      const balances = yield* first.balances(all)
      for (const [index, { detail = "", status }] of answers.entries()) {
        const balance = balances[index] ?? 0n
        if (status === 200) assert.strictEqual(balance, coin)
        else {
          assert.include([502, 504], status)
          assert.strictEqual(balance > 0n, !detail.includes("Nothing was sent"), detail)
          assert.isTrue(balance <= coin)
        }
      }
      assert.strictEqual(answers[0]?.status, 200)
      assert.isAtMost(answers.filter(({ status }) => status === 200).length, 3)
      yield* first.stop
      state.cutAfter = Number.POSITIVE_INFINITY
      const unsent = all.filter((_, index) => answers[index]?.detail?.includes("Nothing was sent") === true)
      for (const { detail = "", status } of yield* fundAll(unsent)) {
        assert.strictEqual(status, 502)
        assert.include(detail, "Nothing was sent")
      }
      state.target = second.url
      const again = yield* fundAll(all)
      assert.deepStrictEqual(
        yield* second.balances(all),
        again.map(({ status }) => (status === 200 ? coin : 0n))
      )
      assert.deepStrictEqual(
        all.filter((_, index) => again[index]?.status === 200),
        unsent
      )
      assert.strictEqual(yield* second.nonce, unsent.length)
    }
  )

  it.scopedLive("reports that no transfer was sent after the node was killed", function* () {
    const testnet = yield* node()
    const { fund } = yield* service(testnet.url)
    assert.strictEqual((yield* fund(address(1))).status, 200)
    yield* testnet.stop
    for (const _ of [1, 2]) {
      const { detail = "", status } = yield* fund(address(2))
      assert.strictEqual(status, 502)
      assert.match(detail, /Nothing was sent/)
    }
  })

  it.scopedLive("lets the node set balances if no key is set, and never reduces a balance", function* () {
    const testnet = yield* node()
    const { fundAll, pass } = yield* service(testnet.url, {
      TESTNET_FUNDER_PRIVATE_KEY: "",
      TESTNET_FUND_INTERVAL_MS: "1"
    })
    const all = addresses(20)
    yield* testnet.rpcs([Node.withNative(address(3), 7n)])
    for (const round of [1n, 2n]) {
      yield* pass(1)
      for (const { hash, status } of yield* fundAll(all)) {
        assert.strictEqual(status, 200)
        assert.isNull(hash)
      }
      assert.deepStrictEqual(
        yield* testnet.balances(all),
        all.map((_, index) => round * coin + (index === 3 ? 7n : 0n))
      )
    }
    assert.strictEqual(yield* testnet.nonce, 0)
  })

  it.scopedLive(
    "remembers which addresses it funded after a restart, and in another process with the same store",
    function* () {
      const testnet = yield* node()
      const path = join(yield* folder, "store.sqlite")
      const start = service(testnet.url, {}, Layer.fresh(Sqlite.layer(path)))
      const before = yield* start
      assert.strictEqual((yield* before.fund(address(1))).status, 200)
      yield* before.stop
      const [item, other] = [yield* start, yield* start]
      for (const { fund } of [item, other]) {
        const { retryAfter, status } = yield* fund(address(1))
        assert.strictEqual(status, 429)
        assert.isAbove(retryAfter, 86_000)
      }
      const all = addresses(20, 10)
      const both = [item, other].map(({ fundAll }) => fundAll(all))
      const answers = (yield* Effect.all(both, { concurrency: "unbounded" })).flat()
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 20)
      assert.strictEqual(answers.filter(({ status }) => status === 429).length, 20)
      assert.deepStrictEqual(
        yield* testnet.balances(all),
        all.map(() => coin)
      )
      assert.strictEqual(yield* testnet.nonce, 21)
    }
  )
})
