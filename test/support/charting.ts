import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Candles, ChartPeriod } from "../../src/domain/charts/Ohlc.ts"
import { Charts } from "../../src/features/charts/Charts.ts"
import { shapes } from "../../src/features/charts/Series.ts"
import { Binance, type Kline } from "../../src/providers/Binance.ts"
import { CoinGecko } from "../../src/providers/CoinGecko.ts"
import { Settings } from "../../src/settings/Settings.ts"
import type { Store } from "../../src/storage/Store.ts"
import { CurrentPriority, type Priority } from "../../src/upstream/Priority.ts"
import { UpstreamError } from "../../src/upstream/UpstreamError.ts"
import { simulated } from "./simulated.ts"
import { standing } from "./standing.ts"
import { type Body, effectOf, it } from "./vitest.ts"

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** Start time of tests: a full hour at which a candle of the one-day chart ends, and none of a longer chart. */
export const begin = Date.UTC(2026, 10, 1, 6)

/** A valid series at this time; its newest candle is still open. */
export const candles = (
  period: ChartPeriod,
  now: number,
  count = Math.ceil(shapes[period].span / shapes[period].candle),
  price = 100
): Candles => {
  const { candle } = shapes[period]
  const newest = (Math.floor(now / candle) + 1) * candle
  return Array.from({ length: count }, (_, index) => {
    const open = price + (index % 7)
    return [newest - (count - 1 - index) * candle, open, open + 3, open - 2, open + 1] as const
  })
}

/** An exchange's candles at this time. */
export const klines = (length: number, now: number, count: number, price = 100): ReadonlyArray<Kline> =>
  Array.from({ length: count }, (_, index) => {
    const opensAt = (Math.floor(now / length) - (count - 1 - index)) * length
    const open = price + (index % 7)
    return { opensAt, closesAt: opensAt + length - 1, open, high: open + 3, low: open - 2, close: open + 1 }
  })

const lengths = { "30m": hour / 2, "4h": 4 * hour, "1d": day }

export const down = (upstream: string, reason: "upstream_error" | "rate_limited" = "upstream_error") =>
  new UpstreamError({ upstream, reason, detail: "is down" })

type Answer<A> = (coin: string, period: string, now: number) => Effect.Effect<A, UpstreamError>

/** Two in-memory sources that record their calls as `source coin period`. Tests can replace their responses. */
export const market = (plan: "keyless" | "demo" | "pro" = "keyless") => {
  const calls: Array<string> = []
  const times: Array<number> = []
  const seen = new Set<Priority>()
  const state = {
    ready: true,
    coingecko: ((_, period, now) => Effect.succeed(candles(period as ChartPeriod, now))) as Answer<Candles>,
    binance: undefined as Answer<ReadonlyArray<Kline>> | undefined
  }
  const called = <A>(source: string, coin: string, period: string, answer: Answer<A>) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      seen.add(yield* CurrentPriority)
      calls.push(`${source} ${coin} ${period}`)
      times.push(now)
      return yield* answer(coin, period, now)
    })
  const layer = Layer.mergeAll(
    Layer.mock(CoinGecko, {
      plan,
      standing: standing(() => state.ready),
      candles: (id, days) =>
        called("coingecko", id, String(days), (...requested) => Effect.suspend(() => state.coingecko(...requested)))
    }),
    Layer.mock(Binance, {
      trades: () => true,
      standing: standing(),
      klines: (id, interval, count) =>
        called("binance", id, `${interval} x ${count}`, (coin, period, now) =>
          state.binance === undefined
            ? Effect.succeed(klines(lengths[interval], now, count))
            : state.binance(coin, period, now)
        )
    })
  )
  return { calls, times, seen, state, layer }
}

export type Market = ReturnType<typeof market>

/** The charts of a service instance, over a store that instances may share. Ends with the scope. */
export const opened = (
  { layer }: Pick<Market, "layer">,
  store: Layer.Layer<Store>,
  environment: Readonly<Record<string, string>> = {}
) =>
  Effect.map(
    Layer.build(Layer.fresh(Charts.layer).pipe(Layer.provide([layer, store, Settings.layer(environment)]))),
    (context) => Context.get(context, Charts)
  )

/** The same, with its background refresh running. */
export const running = (...process: Parameters<typeof opened>) =>
  Effect.tap(opened(...process), ({ keepFresh }) => Effect.forkScoped(keepFresh))

/** Advances the clock, ms; 0 runs everything that is due now. */
type Pass = (milliseconds: number) => Effect.Effect<void>

/** Declares a test on a simulated clock that starts at {@link begin}. */
export const testOnSimulatedClock = (name: string, body: (pass: Pass) => Body<Scope.Scope>) =>
  it.effect(name, () => {
    const { live, pass } = simulated(begin)
    // Finalizers of the scope use this clock too.
    return live(Effect.scoped(effectOf(body(pass))))
  })
