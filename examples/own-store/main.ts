// The service with your own store (JsonFile.ts). It starts twice: the second time no upstream is reachable, and it serves the
// price that the first start stored.
// Run it: bun main.ts. Remove `upstreams` and set a port to run the real service.
import { existsSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import { Console, Effect, Layer } from "effect"
import { App, Networks, Server } from "wallet-data"
import { Upstreams } from "wallet-data/testing"
import * as JsonFile from "./JsonFile.ts"

const path = join(tmpdir(), `wallet-data-example-${process.pid}.json`)

const serviceOver = (upstreams: Upstreams.Upstreams) =>
  App.serviceOf({ networks: Networks.only("bitcoin"), store: JsonFile.layer(path), upstreams }).pipe(
    Layer.provide(App.settings({ PORT: "0", HOST: "127.0.0.1", LOG_LEVEL: "none" }))
  )

const bitcoin = Effect.gen(function* () {
  const { url } = yield* Server
  const response = yield* Effect.promise(() => fetch(`${url}/price/coin?coin_ids=bitcoin`))
  const prices = (yield* Effect.promise(() => response.json())) as {
    readonly bitcoin: { readonly price: number | null }
  }
  return prices.bitcoin.price
})

const program = Effect.gen(function* () {
  const first = yield* Effect.provide(bitcoin, serviceOver(Upstreams.sandbox))
  yield* Console.log(`first start, with upstreams: ${first} USD; file written: ${existsSync(path)}`)
  const second = yield* Effect.provide(bitcoin, serviceOver(Upstreams.none))
  yield* Console.log(`second start, without upstreams: ${second} USD`)
  if (first === null || first !== second) return yield* Effect.fail("the price was not stored")
}).pipe(Effect.ensuring(Effect.sync(() => rmSync(path, { force: true }))))

BunRuntime.runMain(program)
