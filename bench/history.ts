import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as App from "../src/App.ts"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { uncachedPipeline } from "../src/http/pipeline.ts"
import * as Sandbox from "../src/sandbox/Sandbox.ts"
import * as Memory from "../src/storage/Memory.ts"
import { CurrentUpstream } from "../src/upstream/CurrentUpstream.ts"
import { samples } from "../test/chains/families/samples.ts"
import { counting, unlimitedSettings } from "../test/support/counted.ts"
import { median } from "./measure.ts"

const latency = 100
const perNetwork = 3

type Histories = Readonly<Record<string, Readonly<Record<string, ReadonlyArray<unknown>>>>>

const asking = Effect.map(uncachedPipeline, (handler) => async (networks: unknown, limit = 50) => {
  const started = performance.now()
  const response = await handler(
    new Request("http://bench/history", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ networks, limit })
    })
  )
  const failures = JSON.parse(response.headers.get("x-partial-failures") ?? "[]") as ReadonlyArray<unknown>
  const data = (await response.json()) as Histories
  const entries = Object.values(data).flatMap((readonly) => Object.values(readonly).flat()).length
  return { time: performance.now() - started, entries, failures: failures.length }
})

/** Three addresses on every network, first unknown, then known; upstream latency 100 ms, no rate limits. */
const everything = Effect.suspend(() => {
  const { counts, layer } = counting(latency)
  return Effect.gen(function* () {
    const ask = yield* asking
    const wanted = (from: number) =>
      Object.fromEntries(
        Catalogue.all
          .filter(({ sunset }) => sunset === undefined)
          .map((info) => [info.id, samples(info, perNetwork, from)])
      )
    yield* Effect.promise(() => ask(wanted(0)))
    const cold: Array<Awaited<ReturnType<typeof ask>>> = []
    const warm: Array<Awaited<ReturnType<typeof ask>>> = []
    const calls = { cold: new Map<string, number>(), warm: new Map<string, number>() }
    for (let index = 1; index <= 5; index++) {
      counts.clear()
      cold.push(yield* Effect.promise(() => ask(wanted(index * perNetwork))))
      calls.cold = new Map(counts)
      // Waits because requests within seconds get the cached response.
      yield* Effect.sleep("6 seconds")
      counts.clear()
      warm.push(yield* Effect.promise(() => ask(wanted(index * perNetwork))))
      calls.warm = new Map(counts)
    }
    console.log(
      `\nPOST /history, ${perNetwork} addresses on ${Catalogue.all.length} networks, upstream latency ${latency} ms`
    )
    for (const [name, asked] of Object.entries({ cold, warm })) {
      console.log(`  ${name}: times ${asked.map(({ time }) => time.toFixed(0)).join(", ")} ms`)
      console.log(`  ${name}: entries ${asked.map(({ entries }) => entries).join(", ")}; failed ${asked[0]?.failures}`)
      const made = [...calls[name as "cold" | "warm"]].filter(([upstream]) => !/coingecko|llama|binance/.test(upstream))
      console.log(
        `  ${name}: ${made.reduce((sum, [, count]) => sum + count, 0)} calls (${made.map(([upstream, count]) => `${upstream} ${count}`).join(", ")})`
      )
    }
    console.log(
      `  median: cold ${median(cold.map(({ time }) => time)).toFixed(0)} ms, warm ${median(warm.map(({ time }) => time)).toFixed(0)} ms`
    )
  }).pipe(
    Effect.provide(
      App.routes.pipe(
        Layer.provide(Layer.merge(layer, Memory.layer())),
        Layer.provideMerge(unlimitedSettings({ SUBSCAN_API_KEY: "bench" })),
        Layer.provide(Logger.remove(Logger.defaultLogger))
      )
    ),
    Effect.scoped
  )
})

const hash = (index: number) => `0x${index.toString(16).padStart(64, "0")}`

/** An explorer that returns `count` transactions of one address. */
const large = (holder: string, count: number) => {
  const row = (index: number) => ({
    blockNumber: String(20_000_000 + index),
    timeStamp: String(1_700_000_000 + index * 12),
    hash: hash(index),
    nonce: String(index),
    blockHash: hash(index + 1),
    transactionIndex: "3",
    from: index % 2 === 0 ? holder : "0xbbbb00000000000000000000000000000000beef",
    to: index % 2 === 0 ? "0xbbbb00000000000000000000000000000000beef" : holder,
    value: "1000000000000000",
    gas: "21000",
    gasPrice: "1000000000",
    gasUsed: "21000",
    cumulativeGasUsed: "99000",
    isError: "0",
    txreceipt_status: "1",
    input: "0x",
    contractAddress: "",
    confirmations: "99",
    methodId: "0x",
    functionName: ""
  })
  return (query: URLSearchParams) => {
    const size = Number(query.get("offset") ?? 10_000)
    const first = (Number(query.get("page") ?? 1) - 1) * size
    const rows =
      query.get("action") === "txlist"
        ? Array.from({ length: Math.max(0, Math.min(size, count - first)) }, (_, index) =>
            row(count - 1 - first - index)
          )
        : []
    return Response.json(
      rows.length === 0
        ? { status: "0", message: "No transactions found", result: [] }
        : { status: "1", message: "OK", result: rows }
    )
  }
}

const exchange = Effect.gen(function* () {
  const ask = yield* asking
  const holder = "0xaaaa000000000000000000000000000000000001"
  const wanted = { ethereum: [holder] }
  Bun.gc(true)
  const before = process.memoryUsage().rss
  const first = yield* Effect.promise(() => ask(wanted, 500))
  Bun.gc(true)
  const after = process.memoryUsage().rss
  console.log("\nPOST /history, an address with 100,000 transactions, limit 500")
  console.log(
    `  ${first.entries} entries in ${first.time.toFixed(0)} ms; memory grew by ${((after - before) / 1e6).toFixed(1)} MB`
  )
}).pipe(
  Effect.provide(
    App.routes.pipe(
      Layer.provide(
        Layer.merge(
          Layer.map(Sandbox.layer(Catalogue.all), (context) => {
            const sandbox = context.unsafeMap.get(HttpClient.HttpClient.key) as HttpClient.HttpClient
            const explorer = large("0xaaaa000000000000000000000000000000000001", 100_000)
            const http = HttpClient.make((request, url) =>
              Effect.flatMap(CurrentUpstream, ({ name }) =>
                /etherscan|blockscout|routescan/.test(name)
                  ? Effect.sync(() => HttpClientResponse.fromWeb(request, explorer(url.searchParams)))
                  : sandbox.execute(request)
              )
            )
            return { ...context, unsafeMap: new Map([[HttpClient.HttpClient.key, http]]) } as typeof context
          }),
          Memory.layer()
        )
      ),
      Layer.provideMerge(unlimitedSettings()),
      Layer.provide(Logger.remove(Logger.defaultLogger))
    )
  ),
  Effect.scoped
)

export const history = Effect.zipRight(everything, exchange)
