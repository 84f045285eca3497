// The service with your own price source (AcmePrices.ts) before the built-in ones.
// Run it: bun main.ts. Upstreams are simulated; remove `upstreams` and set a port to run the real service.
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import { Console, Effect, Layer } from "effect"
import { App, Prices, Server } from "wallet-data"
import { Upstreams } from "wallet-data/testing"
import * as AcmePrices from "./AcmePrices.ts"

const service = App.serviceOf({
  prices: [AcmePrices.layer, ...Prices.all],
  upstreams: Upstreams.sandbox.pipe(
    Upstreams.mock("acme", () => Response.json({ pebble: { usd: 4.2, at: Math.floor(Date.now() / 1000) } }))
  )
}).pipe(Layer.provide(App.settings({ PORT: "0", HOST: "127.0.0.1", CACHE: "memory", LOG_LEVEL: "error" })))

const program = Effect.gen(function* () {
  const { url } = yield* Server
  const response = yield* Effect.promise(() => fetch(`${url}/price/coin?coin_ids=pebble,bitcoin`))
  const { bitcoin, pebble } = (yield* Effect.promise(() => response.json())) as Record<
    "bitcoin" | "pebble",
    { readonly price: number | null; readonly source?: string }
  >
  for (const [id, coin] of Object.entries({ bitcoin, pebble }))
    yield* Console.log(`${id}: ${coin.price} USD from ${coin.source}`)
  if (pebble.price !== 4.2 || pebble.source !== "acme") return yield* Effect.fail("the own source was not used")
  if (bitcoin.price === null || bitcoin.source === "acme")
    return yield* Effect.fail("the built-in sources were not used")
})

BunRuntime.runMain(Effect.provide(program, service))
