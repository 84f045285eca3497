import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as App from "../src/App.ts"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { uncachedPipeline } from "../src/http/pipeline.ts"
import * as Sandbox from "../src/sandbox/Sandbox.ts"
import * as Memory from "../src/storage/Memory.ts"
import { samples } from "../test/chains/families/samples.ts"
import { callsOf, unlimitedSettings } from "../test/support/counted.ts"
import { figure, median } from "./measure.ts"

const latency = 100
const perNetwork = 5
const sizes = [1, 5, 50]

interface Row {
  readonly balance: string | null
  readonly errorCode?: string
}

/** POST /balance for five addresses on every network, with an upstream latency of 100 ms and no rate limits. */
const request = Effect.gen(function* () {
  const handler = yield* uncachedPipeline
  const ask = async (from: number) => {
    const networks = Object.fromEntries(Catalogue.all.map((info) => [info.id, samples(info, perNetwork, from)]))
    const started = performance.now()
    const response = await handler(
      new Request("http://bench/balance", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ networks })
      })
    )
    const rows = (await response.json()) as ReadonlyArray<Row>
    return { time: performance.now() - started, rows }
  }

  // Loads the token lists first, because they are usually loaded long before a request.
  yield* Effect.promise(() => ask(0))
  const cold = yield* Effect.promise(async () => {
    const asked: Array<Awaited<ReturnType<typeof ask>>> = []
    for (let index = 1; index <= 9; index++) asked.push(await ask(index * perNetwork))
    return asked
  })
  const time = median(cold.map((item) => item.time))
  const rows = cold.map((element) => element.rows.length)
  const reasons = new Map<string, number>()
  for (const { errorCode = "" } of cold.flatMap((current) => current.rows.filter(({ balance }) => balance === null)))
    reasons.set(errorCode, (reasons.get(errorCode) ?? 0) + 1)
  console.log(
    `\nPOST /balance, ${perNetwork} addresses on each of ${Catalogue.all.length} networks, upstream latency ${latency} ms`
  )
  console.log(`  times            ${cold.map((one) => one.time.toFixed(0)).join(", ")} ms`)
  console.log(`  rows             ${rows.join(", ")}`)
  console.log(`  without balance  ${[...reasons].map(([reason, count]) => `${count} ${reason}`).join(", ") || "none"}`)
  const wanted = 3 * latency + 50
  figure("time, at most 3 upstream rounds and 50 ms", `${time.toFixed(0)} ms`, `${wanted} ms`, time <= wanted)
}).pipe(
  Effect.provide(
    App.routes.pipe(
      Layer.provide(Layer.merge(Sandbox.layer(Catalogue.all, { latency }), Memory.layer())),
      Layer.provideMerge(unlimitedSettings()),
      Layer.provide(Logger.remove(Logger.defaultLogger))
    )
  ),
  Effect.scoped
)

/** Number of calls per upstream for the holdings of each number of addresses. */
const calls = Effect.gen(function* () {
  const table = yield* callsOf(sizes)
  console.log(`\nupstream calls for the holdings of ${sizes.join(", ")} addresses`)
  for (const [network, upstreams] of table)
    for (const [name, counts] of Object.entries(upstreams))
      console.log(
        `  ${network.padEnd(18)} ${name.padEnd(24)} ${counts.map((count) => String(count).padStart(4)).join("")}`
      )
}).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)), Effect.scoped)

export const everything = Effect.zipRight(request, calls)
