import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { ChainFacts } from "../catalogue/NetworkFacts.ts"
import { TokenRegistry } from "../providers/TokenRegistry.ts"
import { Chain } from "./Chain.ts"
import type * as Networks from "./Networks.ts"

const isLayer = (network: Networks.NetworkInput): network is Networks.NetworkLayer => Layer.isLayer(network)

/** A network that is built once. */
export interface Constructed {
  readonly facts: ChainFacts
  /** Builds the network on first use; callers wait until it is built. */
  readonly build: Effect.Effect<Context.Tag.Service<Chain>>
  /** Undefined until it is built. */
  readonly built: () => Context.Tag.Service<Chain> | undefined
}

/**
 * Builds networks in the surrounding scope and returns them in order. Layers, and networks that `isUrgent` selects, are
 * built at once and fail as their layers do; the others are built on first use. Shared layers are built once. A fiber
 * of this scope builds them, not the fiber of a request, so that fibers that they start outlive the request.
 */
export const make = <N extends Networks.NetworkInput>(
  networks: ReadonlyArray<N>,
  isUrgent: (facts: ChainFacts) => boolean
): Effect.Effect<
  ReadonlyArray<Constructed>,
  Layer.Layer.Error<Networks.LayerOf<N>>,
  Layer.Layer.Context<Networks.LayerOf<N>> | Scope.Scope | TokenRegistry
> =>
  Effect.gen(function* () {
    type Error = Layer.Layer.Error<Networks.LayerOf<N>>
    type Needed = Layer.Layer.Context<Networks.LayerOf<N>>
    const context = yield* Effect.context<Needed>()
    const scope = yield* Effect.scope
    const registry = yield* TokenRegistry
    const memoMap = yield* Layer.makeMemoMap
    const queue = yield* Effect.acquireRelease(Queue.unbounded<Effect.Effect<unknown>>(), Queue.shutdown)
    yield* Effect.forkIn(Effect.forever(Effect.flatten(Queue.take(queue))), scope)

    const chainOf = (layer: Networks.NetworkLayer) =>
      Layer.buildWithMemoMap(layer as Layer.Layer<Chain, Error, Needed>, memoMap, scope).pipe(
        Effect.provide(context),
        Effect.map((built) => Context.get(built, Chain))
      )

    const whenNeeded = Effect.fnUntraced(function* ({ facts, layer, tokens }: Networks.Network<Networks.NetworkLayer>) {
      if (tokens !== undefined) yield* registry.follow(tokens)
      const result = yield* Deferred.make<Context.Tag.Service<Chain>>()
      let built: Context.Tag.Service<Chain> | undefined
      let isQueued = false
      const construct = Effect.tap(Effect.orDie(chainOf(layer)), (chain) =>
        Effect.sync(() => {
          built = chain
        })
      )
      const build = Effect.suspend(() => {
        if (built !== undefined) return Effect.succeed(built)
        isQueued ||= queue.unsafeOffer(Effect.intoDeferred(construct, result))
        return isQueued ? Deferred.await(result) : Effect.interrupt
      })
      return { facts, build, built: () => built } satisfies Constructed
    })

    const atOnce = (layer: Networks.NetworkLayer) =>
      Effect.map(
        chainOf(layer),
        (chain): Constructed => ({ facts: chain.facts, build: Effect.succeed(chain), built: () => chain })
      )

    return yield* Effect.forEach(networks as ReadonlyArray<Networks.NetworkInput>, (network) =>
      isLayer(network) ? atOnce(network) : isUrgent(network.facts) ? atOnce(network.layer) : whenNeeded(network)
    )
  })
