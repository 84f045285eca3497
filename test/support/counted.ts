import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { Chains } from "../../src/chains/Chains.ts"
import { CoinGecko } from "../../src/providers/CoinGecko.ts"
import { TokenRegistry } from "../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { Settings } from "../../src/settings/Settings.ts"
import * as Memory from "../../src/storage/Memory.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { samples } from "../chains/families/samples.ts"

/** Settings without effective rate limits. */
export const unlimitedSettings = (environment: Readonly<Record<string, string>> = {}) =>
  Settings.layer(
    new Proxy<Record<string, string>>(
      { UPSTREAMS: "sandbox", CACHE: "memory", ...environment },
      {
        get: (own, name: string) => own[name] ?? (name.endsWith("_PER_SECOND") ? "100000" : undefined)
      }
    )
  )

/** The sandbox, with the number of calls per upstream. */
export const counting = (latency = 0) => {
  const counts = new Map<string, number>()
  const count = Effect.map(CurrentUpstream, ({ name }) => counts.set(name, (counts.get(name) ?? 0) + 1))
  const layer = Layer.map(Sandbox.layer(Catalogue.all, { latency }), (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.tapRequest(Context.get(context, HttpClient.HttpClient), () => count)
    )
  )
  return { counts, layer }
}

/** Number of calls per upstream, one per number of addresses. */
export type Calls = Readonly<Record<string, ReadonlyArray<number>>>

/** Per network, the number of calls to each upstream for the holdings of each number of addresses. */
export const callsOf = (
  sizes: ReadonlyArray<number>,
  /** Runs an effect to its end, on the test's clock. */
  run: <A>(effect: Effect.Effect<A>) => Effect.Effect<A> = (effect) => effect
) =>
  Effect.suspend(() => {
    const { counts, layer } = counting()
    return Effect.gen(function* () {
      const table = new Map<string, Calls>()
      for (const { address, holdings, facts: info } of yield* (yield* Chains).all) {
        const read = (count: number, from: number) =>
          run(holdings(samples(info, count, from).map((text) => Either.getOrThrow(address(text)))))
        // Warm-up: loads the token list and detects the capabilities of the upstreams.
        yield* read(1, 1_000)
        const calls: Record<string, Array<number>> = {}
        for (const [index, size] of sizes.entries()) {
          counts.clear()
          const results = yield* read(size, 10_000 * (index + 1))
          if (info.sunset === undefined) for (const result of results.addresses) Either.getOrThrow(result)
          for (const [name, count] of counts) {
            if (name.startsWith("coingecko")) continue
            calls[name] = calls[name] ?? sizes.map(() => 0)
            calls[name][index] = count
          }
        }
        table.set(info.id, calls)
      }
      return table
    }).pipe(
      Effect.provide(
        Chains.layer.pipe(
          Layer.provide(TokenRegistry.layer),
          Layer.provide(CoinGecko.layer),
          Layer.provide(Layer.fresh(Upstreams.layer)),
          Layer.provide(Layer.mergeAll(layer, Memory.layer(), unlimitedSettings()))
        )
      )
    )
  })
