import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as App from "../src/App.ts"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { uncachedPipeline } from "../src/http/pipeline.ts"
import * as Sandbox from "../src/sandbox/Sandbox.ts"
import { Settings } from "../src/settings/Settings.ts"
import * as Memory from "../src/storage/Memory.ts"
import { figure, median } from "./measure.ts"

const latency = 100

/** POST /balance for one address on each of the ten EVM networks, with an upstream latency of 100 ms. */
export const networks = Effect.gen(function* () {
  const handler = yield* uncachedPipeline
  const live = Catalogue.all.filter(({ family }) => family === "evm").map(({ id }) => id as string)
  const ask = async (holder: string) => {
    const started = performance.now()
    const response = await handler(
      new Request("http://bench/balance", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ networks: Object.fromEntries(live.map((id) => [id, [holder]])) })
      })
    )
    const rows = (await response.json()) as ReadonlyArray<{ readonly balance: string | null }>
    return {
      time: performance.now() - started,
      rows: rows.length,
      nulls: rows.filter((row) => row.balance === null).length
    }
  }
  const holder = (index: number) => `0x${(index + 1).toString(16).padStart(40, "0")}`

  // Loads the token lists first, because they are usually loaded long before a request.
  yield* Effect.promise(() => ask(holder(0)))
  const cold = yield* Effect.promise(async () => {
    const times: Array<Awaited<ReturnType<typeof ask>>> = []
    for (let index = 1; index <= 9; index++) times.push(await ask(holder(index)))
    return times
  })
  const time = median(cold.map((item) => item.time))
  console.log(`\nPOST /balance, one address on ${live.length} networks, upstream latency ${latency} ms`)
  console.log(`  times            ${cold.map((element) => element.time.toFixed(0)).join(", ")} ms`)
  console.log(`  rows             ${cold[0]?.rows}, ${cold[0]?.nulls} of them null (the network that was shut down)`)
  figure("time", `${time.toFixed(0)} ms`, `${2 * latency + 30} ms`, time <= 2 * latency + 30)
}).pipe(
  Effect.provide(
    App.routes.pipe(
      Layer.provide(Layer.merge(Sandbox.layer(Catalogue.all, { latency }), Memory.layer())),
      Layer.provideMerge(Settings.layer({ UPSTREAMS: "sandbox" })),
      Layer.provide(Logger.remove(Logger.defaultLogger))
    )
  ),
  Effect.scoped
)
