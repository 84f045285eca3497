// The service with two more networks: an EVM network defined by its facts (gnosis.ts), and one of a new family (Pebble.ts).
// Run it: bun main.ts. Upstreams are simulated; remove `upstreams` and set a port to run the real service.
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import { Console, Effect, Layer } from "effect"
import { App, Catalogue, Evm, Networks, Server } from "wallet-data"
import { Upstreams } from "wallet-data/testing"
import { gnosis } from "./gnosis.ts"
import * as Pebble from "./Pebble.ts"

const service = App.serviceOf({
  networks: [...Networks.all, Evm.layer(gnosis), Pebble.layer],
  upstreams: Upstreams.sandboxOf([...Catalogue.all, gnosis]).pipe(
    Upstreams.mock("pebble-index", ({ url }) =>
      url.endsWith("/pb00000000000000000001") ? Response.json({ grains: "1500" }) : new Response("", { status: 404 })
    )
  )
}).pipe(Layer.provide(App.settings({ PORT: "0", HOST: "127.0.0.1", CACHE: "memory", LOG_LEVEL: "error" })))

interface Row {
  readonly blockchain: string
  readonly balance: string | null
  readonly tokenSymbol: string
  readonly error?: string
}

const program = Effect.gen(function* () {
  const { url } = yield* Server
  const networks = {
    xdai: ["0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"],
    pebble: ["PB00000000000000000001", "pb00000000000000000002", "pb3"]
  }
  const response = yield* Effect.promise(() =>
    fetch(`${url}/balance`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ networks })
    })
  )
  const rows = (yield* Effect.promise(() => response.json())) as ReadonlyArray<Row>
  for (const { balance, blockchain, error, tokenSymbol } of rows)
    yield* Console.log(`${blockchain}: ${balance === null ? error : `${balance} ${tokenSymbol}`}`)
  const [gnosisRow, ...others] = [
    rows.find(({ blockchain }) => blockchain === "gnosis"),
    ...rows.filter(({ blockchain }) => blockchain === "pebble")
  ]
  if (typeof gnosisRow?.balance !== "string") return yield* Effect.fail("gnosis has no balance")
  if (others.map((row) => row?.balance).join() !== "1.5,0,") return yield* Effect.fail("Pebble's balances are wrong")
})

BunRuntime.runMain(Effect.provide(program, service))
