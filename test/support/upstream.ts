import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { Settings } from "../../src/settings/Settings.ts"
import * as Memory from "../../src/storage/Memory.ts"
import * as Upstream from "../../src/upstream/Upstream.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import type { simulatedClient } from "./http.ts"
import { type Body, effectOf, it } from "./vitest.ts"

export type SimulatedClient = ReturnType<typeof simulatedClient>

/** Dependencies of every upstream client: a simulated HTTP client, and a timeout of 1 s per attempt. */
export const upstreamDependencies = (
  outside: Pick<SimulatedClient, "layer">,
  environment: Readonly<Record<string, string>> = {}
) =>
  Layer.mergeAll(
    outside.layer,
    Layer.fresh(Memory.layer()),
    Settings.layer({ UPSTREAM_TIMEOUT_MS: "1000", ...environment }),
    Layer.fresh(Upstreams.layer)
  )

type Around = Layer.Layer.Success<ReturnType<typeof upstreamDependencies>>

/** A test with its own simulated HTTP client. */
export const test = (
  name: string,
  outside: () => SimulatedClient,
  body: (outside: SimulatedClient) => Body<Around | Scope.Scope>,
  environment?: Readonly<Record<string, string>>
) =>
  it.scoped(name, () => {
    const own = outside()
    return Effect.provide(effectOf(body(own)), upstreamDependencies(own, environment))
  })

export const firstUrl = "https://one.example"
export const secondUrl = "https://two.example"

export const make = (urls: ReadonlyArray<string> = [firstUrl], more: Partial<Upstream.UpstreamOptions> = {}) =>
  Upstream.make({ name: "tester", urls, canary: () => Effect.void, ...more })

/** Advances the clock in small steps until the fiber is done. Returns its outcome and duration, ms. */
export const finish = <A, E>(fiber: Fiber.RuntimeFiber<A, E>, step = 50) =>
  Effect.gen(function* () {
    const start = yield* TestClock.currentTimeMillis
    yield* TestClock.adjust(0)
    while (fiber.unsafePoll() === null) yield* TestClock.adjust(step)
    const took = (yield* TestClock.currentTimeMillis) - start
    return { outcome: yield* Effect.either(Fiber.join(fiber)), took }
  })

/** Runs an effect until it ends, and advances the clock as needed. */
export const run = <A, E, R>(effect: Effect.Effect<A, E, R>, step?: number) =>
  Effect.map(
    Effect.flatMap(Effect.fork(effect), (fiber) => finish(fiber, step)),
    ({ outcome }) => outcome
  )
