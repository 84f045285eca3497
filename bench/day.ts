// Counts the upstream calls of a day with default settings and no key, on a simulated clock.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { CoinId } from "../src/domain/CoinId.ts"
import { Pricing } from "../src/features/prices/Pricing.ts"
import * as Memory from "../src/storage/Memory.ts"
import { market, priced, tokens } from "../test/support/market.ts"
import { simulated } from "../test/support/simulated.ts"
import { figure } from "./measure.ts"

const minute = 60_000

/** Calls per day of a budget of 10,000 calls per month. */
const ofMonth = 10_000 / 31

const calls = (coins: ReadonlyArray<CoinId>) => {
  const { live, pass } = simulated(Date.UTC(2026, 10, 1))
  return live(
    Effect.gen(function* () {
      const sources = market()
      const context = yield* Layer.build(
        Layer.provide(priced(sources, { ethereum: tokens("ethereum", 2_000) }), Memory.layer())
      )
      const pricing = yield* Effect.provide(Pricing, context)
      // Counts the second day, because the first also has the initial burst.
      for (let passed = 0; passed < 2 * 24 * 60; passed++) {
        if (passed === 24 * 60) sources.calls.clear()
        if (coins.length > 0) yield* Effect.fork(pricing.prices(coins))
        yield* pass(minute)
      }
      return new Map(sources.calls)
    })
  ).pipe(Effect.scoped, Logger.withMinimumLogLevel(LogLevel.None))
}

export const day = Effect.gen(function* () {
  console.log("\nupstream calls per day without a key, 2,000 tokens")
  for (const [traffic, coins] of [
    ["no requests", 0],
    ["1,000 coins requested every minute", 1_000]
  ] as const) {
    const made = yield* calls(Array.from({ length: coins }, (_, index) => CoinId.make(`asked-${index}`)))
    const coingecko = [...made].filter(([route]) => route.startsWith("coingecko"))
    const sum = coingecko.reduce((all, [, count]) => all + count, 0)
    const parts = coingecko.map(([route, count]) => `${route.slice("coingecko ".length)} ${count}`).join(", ")
    figure(`${traffic}: coingecko`, `${sum} (${parts})`, `<= ${Math.floor(ofMonth)}`, sum <= ofMonth)
    const llama = made.get("defillama") ?? 0
    figure(`${traffic}: defillama`, `${llama}`, `<= ${1.5 * 86_400}`, llama <= 1.5 * 86_400)
    figure(`${traffic}: binance`, `${made.get("binance") ?? 0}`, "<= 86400", (made.get("binance") ?? 0) <= 86_400)
  }
})
