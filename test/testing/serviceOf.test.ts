import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { App, Memory, Networks, Server, type Settings, Store } from "../../src/index.ts"
import { Prices, Upstreams } from "../../src/testing/index.ts"
import { holder } from "../support/sandbox.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** Settings of a service on a free port. Its SQLite store cannot be opened: tests replace it, or expect a failure. */
const variables = {
  PORT: "0",
  HOST: "127.0.0.1",
  CACHE: "sqlite",
  SQLITE_PATH: "/nowhere/at/all.sqlite",
  LOG_LEVEL: "error"
}

const named = (names: Set<string>) =>
  Layer.effect(
    Store,
    Effect.map(Store, (store) => ({
      ...store,
      open: (name: string, version: number) => {
        names.add(name)
        return store.open(name, version)
      }
    }))
  ).pipe(Layer.provide(Memory.layer()))

/** The service's balances, and its sandbox header. */
const requested = Effect.gen(function* () {
  const { url } = yield* Server
  const response = yield* Effect.promise(() =>
    fetch(`${url}/balance`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ networks: { ethereum: [holder(1)], bitcoin: ["1"] } })
    })
  )
  const rows = (yield* Effect.promise(() => response.json())) as ReadonlyArray<Record<string, unknown>>
  return { rows, sandbox: response.headers.get("x-sandbox") }
})

const running = <E>(service: Layer.Layer<Server, E, Settings>, settings = {}) =>
  Effect.provide(requested, Layer.provide(service, App.settings({ ...variables, ...settings })))

describe("a service with replaced parts", () => {
  it.live("uses the given upstreams and store instead of those in its variables", function* () {
    const names = new Set<string>()
    const { rows, sandbox } = yield* running(
      App.serviceOf({
        networks: Networks.only("ethereum"),
        prices: [Prices.fixed({ ethereum: 2 })],
        upstreams: Upstreams.sandbox,
        store: named(names)
      })
    )
    assert.isNull(sandbox)
    assert.deepInclude(rows[0], { blockchain: "ethereum", tokenType: "NATIVE", tokenPrice: "2" })
    assert.isString(rows[0]?.balance)
    assert.isTrue(rows.every(({ blockchain }) => blockchain === "ethereum"))
    assert.include([...names], "prices")
  })

  it.live("stores simulated data under names with the prefix sandbox/, in a given store too", function* () {
    const names = new Set<string>()
    const { sandbox } = yield* running(App.serviceOf({ store: named(names) }), { UPSTREAMS: "sandbox" })
    assert.strictEqual(sandbox, "true")
    assert.isNotEmpty([...names])
    for (const name of names) assert.match(name, /^sandbox\//)
  })

  it.live("does not start if a part that was not given is unavailable", function* () {
    const failure = yield* Effect.flip(running(App.serviceOf({ upstreams: Upstreams.none }), { CACHE_STRICT: "true" }))
    assert.include(String(failure), "SQLITE_PATH")
  })
})
