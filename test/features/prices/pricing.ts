import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { CoinId } from "../../../src/domain/CoinId.ts"
import type { Price } from "../../../src/domain/Price.ts"
import type { Reason } from "../../../src/domain/Reason.ts"
import { PriceSource } from "../../../src/features/prices/PriceSource.ts"
import { type Prices, Pricing } from "../../../src/features/prices/Pricing.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { standing } from "../../support/standing.ts"
import { run } from "../../support/upstream.ts"
import { type Body, effectOf, it } from "../../support/vitest.ts"

export const minute = 60_000
export const maxAge = 15 * minute

export const id = (text: string) => CoinId.make(text)
export const ids = (...all: ReadonlyArray<string>) => all.map(id)

/** The prices of a source: dollars, age in ms, and other fields. */
export type Known = Readonly<Record<string, readonly [usd: number, age?: number, more?: Partial<Price>]>>

/** A source in memory that records its requests. A test can change its prices and make it fail. */
export const source = (name: string, known: Known = {}, scarce = false, ageLimit?: number) => {
  const state = {
    known,
    failing: undefined as Reason | undefined,
    ready: true,
    pause: Effect.void as Effect.Effect<void>
  }
  const requested: Array<ReadonlyArray<string>> = []
  const prices = Effect.fnUntraced(function* (wanted: ReadonlyArray<CoinId>) {
    requested.push([...wanted])
    yield* state.pause
    if (state.failing !== undefined)
      return yield* new UpstreamError({ upstream: name, reason: state.failing, detail: "is down" })
    const now = yield* TestClock.currentTimeMillis
    return wanted.flatMap((coinId): ReadonlyArray<Price> => {
      const found = state.known[coinId]
      return found === undefined
        ? []
        : [{ coinId, usd: found[0], updatedAt: now - (found[1] ?? 0), source: name, ...found[2] }]
    })
  })
  return {
    requested,
    state,
    layer: Layer.succeed(PriceSource, {
      name,
      batchSize: 250,
      scarce,
      prices,
      standing: standing(() => state.ready),
      ...(ageLimit === undefined ? {} : { maxAge: ageLimit })
    })
  }
}

export type Source = ReturnType<typeof source>

export const over = (...sources: ReadonlyArray<Source>) =>
  Layer.provide(overStore(...sources), [Layer.fresh(Memory.layer()), Settings.layer({})])

/** Pricing over these sources. Requires a store and settings. */
export const overStore = (...sources: ReadonlyArray<Source>) =>
  Pricing.fromLayers(sources.map(({ layer }) => layer)).pipe(Layer.fresh, Layer.provide(TokenRegistry.layerTest({})))

export const prices = (...wanted: ReadonlyArray<string>) =>
  Effect.flatMap(Pricing, (pricing) => Effect.map(run(pricing.prices(ids(...wanted)), 5), Either.getOrThrow))

/** Formats prices as `coin: source usd` or `coin: reason`. */
export const summary = ({ found, missing }: Prices) => ({
  ...Object.fromEntries([...found].map(([coin, { source, usd }]) => [coin, `${source} ${usd}`])),
  ...Object.fromEntries(missing)
})

/** Runs a test over its own sources, a year after the epoch. */
export const test = (
  name: string,
  sources: () => readonly [Source, ...ReadonlyArray<Source>],
  body: (...sources: ReadonlyArray<Source>) => Body<Pricing>
) =>
  it.scoped(name, () => {
    const own = sources()
    return Effect.zipRight(TestClock.setTime(365 * 24 * 60 * minute), effectOf(body(...own))).pipe(
      Effect.provide(over(...own))
    )
  })

export const none = source("none")
