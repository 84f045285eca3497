import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { Chains } from "../../../src/chains/Chains.ts"
import { notLoaded } from "../../../src/chains/kit/holdings/tokenList.ts"
import type { Reason } from "../../../src/domain/Reason.ts"
import { NetworkList } from "../../../src/features/status/NetworkList.ts"
import type { Rpc } from "../../../src/jsonrpc/Rpc.ts"
import * as Task from "../../../src/kernel/Task.ts"
import { tokenListsName } from "../../../src/providers/CoinGecko.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import type { AddressState } from "../../../src/upstream/CircuitBreaker.ts"
import { UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { network } from "../balances/portfolio.ts"

const nodes = (upstream: string): Rpc => ({
  upstream,
  call: () => Task.ended(Exit.die("is not called")),
  batch: () => Task.ended(Exit.die("is not called"))
})

const item = network({
  id: "one",
  rpc: { main: nodes("node"), testnet: nodes("testnet") },
  abilities: Effect.succeed({
    balance: Either.right(["node"]),
    history: Either.right(["first", "second"]),
    tokens: Either.left("it has no tokens")
  })
})

const unlisted = network({
  id: "two",
  abilities: Effect.succeed({ balance: Either.right(["node"]), tokens: Either.left(notLoaded) })
})

const layer = NetworkList.layer.pipe(
  Layer.provide(
    Layer.provide(Chains.fromNetworks([item, unlisted]), [Settings.layer({}), TokenRegistry.layerTest({})])
  ),
  Layer.provideMerge(Upstreams.layer)
)

/** An upstream with an address per circuit. The test sets the states of the circuits. */
const upstream = Effect.fnUntraced(function* (name: string, ...circuits: ReadonlyArray<AddressState>) {
  const states = [...circuits]
  const { ended, register } = yield* Upstreams
  yield* register({
    name,
    keyed: false,
    addresses: circuits.map((_, index) => ({
      host: `${name}.example`,
      circuit: () => states[index] ?? "closed",
      try: Effect.void
    }))
  })
  return {
    fails: (reason: Reason, at: number, ...now: ReadonlyArray<AddressState>) => {
      states.splice(0, states.length, ...now)
      ended({ upstream: name, outcome: new UpstreamError({ upstream: name, reason, detail: "failed" }), at, ms: 0 })
    },
    works: (at: number) => {
      states.fill("closed")
      ended({ upstream: name, outcome: "ok", at, ms: 0 })
    }
  }
})

const abilities = Effect.gen(function* () {
  const { networks } = yield* NetworkList
  const [found] = yield* networks
  return Option.getOrThrow(Option.fromNullable(found)).abilities
})

const all = Effect.all({
  lists: upstream(tokenListsName, "closed"),
  node: upstream("node", "closed", "closed"),
  testnet: upstream("testnet", "closed"),
  first: upstream("first", "closed"),
  second: upstream("second", "closed")
})

describe("an ability", () => {
  it.effect("is available before the first call if it has an upstream", () =>
    Effect.gen(function* () {
      yield* all
      const { balance, history, rpc, tokens } = yield* abilities
      for (const ability of [balance, history, rpc]) assert.deepInclude(ability, { available: true })
      assert.deepStrictEqual(tokens, { available: false, upstreams: [], reason: "it has no tokens" })
    }).pipe(Effect.provide(layer))
  )

  it.effect("names the upstream of the token lists if the list of its network is not loaded", () =>
    Effect.gen(function* () {
      yield* all
      const { networks } = yield* NetworkList
      const [, found] = yield* networks
      assert.deepStrictEqual(found?.abilities.tokens, {
        available: false,
        upstreams: [{ name: tokenListsName, keyed: false, state: "unknown", circuits: ["closed"] }],
        reason: notLoaded
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("is unavailable with the reasons while all of its upstreams fail, and available again when one works", () =>
    Effect.gen(function* () {
      const { first, node, second } = yield* all
      node.fails("timeout", 0, "open", "half-open")
      first.fails("rate_limited", 0, "open")
      const before = yield* abilities
      assert.deepInclude(before.balance, { available: false, reason: "node timed out" })
      assert.deepInclude(before.rpc, { available: false, reason: "node timed out" })
      assert.deepInclude(before.history, { available: true })
      assert.strictEqual(before.history.reason, undefined)
      second.fails("upstream_error", 0, "open")
      assert.deepInclude((yield* abilities).history, {
        available: false,
        reason: "first accepts no more calls for now; second failed"
      })
      assert.deepStrictEqual(
        (yield* abilities).history.upstreams.map(({ name, state }) => [name, state]),
        [
          ["first", "down"],
          ["second", "down"]
        ]
      )
      second.works(1)
      node.works(1)
      const after = yield* abilities
      for (const ability of [after.balance, after.history, after.rpc]) {
        assert.deepInclude(ability, { available: true })
        assert.strictEqual(ability.reason, undefined)
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "is unavailable while the hosts of all its addresses demand a pause, even if an earlier call succeeds",
    () =>
      Effect.gen(function* () {
        const { node } = yield* all
        node.fails("rate_limited", 0, "paused", "closed")
        assert.deepInclude((yield* abilities).balance, { available: true })
        node.fails("rate_limited", 0, "paused", "paused")
        yield* TestClock.adjust("10 minutes")
        const { available, reason, upstreams } = (yield* abilities).balance
        assert.deepStrictEqual(
          { available, reason },
          { available: false, reason: "node accepts no more calls for now" }
        )
        assert.deepStrictEqual(
          upstreams.map(({ circuits }) => circuits),
          [["paused", "paused"]]
        )
      }).pipe(Effect.provide(layer))
  )

  it.effect("is available while one address works, and when a call may succeed again", () =>
    Effect.gen(function* () {
      const { node, testnet } = yield* all
      testnet.fails("timeout", 0, "open")
      node.fails("bad_answer", 0, "open", "closed")
      assert.deepInclude((yield* abilities).balance, { available: true })
      assert.deepInclude((yield* abilities).rpc, { available: true })
      node.fails("bad_answer", 0, "open", "open")
      assert.deepInclude((yield* abilities).balance, {
        available: false,
        reason: "node returned an unreadable response"
      })
      yield* TestClock.adjust("5 minutes")
      assert.deepInclude((yield* abilities).balance, { available: true })
    }).pipe(Effect.provide(layer))
  )
})
