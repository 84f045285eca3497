import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Settings } from "../../src/settings/Settings.ts"
import * as SharedQuotas from "../../src/storage/quota/SharedQuotas.ts"
import * as Redis from "../../src/storage/redis/Redis.ts"
import * as Sqlite from "../../src/storage/Sqlite.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"

// One of several processes that share a budget: tries to use the whole budget, and prints the number of permitted calls.

const [place = "", calls = "100", start = "0"] = process.argv.slice(2)
const store = place.startsWith("redis:") ? Redis.layer(Redacted.make(place), { strict: true }) : Sqlite.layer(place)

BunRuntime.runMain(
  Effect.gen(function* () {
    const { budget } = yield* Upstreams
    const limits = { source: "BENCH", perSecond: 0.001, burst: Number(calls), maxWait: 0 }
    const { acquire } = yield* budget("one.example", limits)
    // All processes start at the same time.
    yield* Effect.sleep(Math.max(0, Number(start) - Date.now()))
    const permitted = yield* Effect.forEach(
      Array.from({ length: Number(calls) }),
      () => Effect.match(acquire, { onFailure: () => 0, onSuccess: () => 1 }),
      { concurrency: 8 }
    )
    yield* Console.log(permitted.filter((count) => count === 1).length)
  }).pipe(
    Effect.provide(
      Upstreams.layerStored.pipe(
        Layer.provide(SharedQuotas.layer),
        Layer.provide(store),
        Layer.provide(Settings.layer({ REPLICAS: "4" }))
      )
    )
  )
)
