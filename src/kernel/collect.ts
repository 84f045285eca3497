import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/** Builds many layers of one tag side by side in the surrounding scope: their services, in the order of the layers. */
export const collect = <I, S, L extends Layer.Layer<I, unknown, unknown>>(
  tag: Context.Tag<I, S>,
  layers: ReadonlyArray<L>
): Effect.Effect<ReadonlyArray<S>, Layer.Layer.Error<L>, Layer.Layer.Context<L> | Scope.Scope> =>
  Effect.forEach(layers as ReadonlyArray<Layer.Layer<I, Layer.Layer.Error<L>, Layer.Layer.Context<L>>>, (layer) =>
    Effect.map(Layer.build(layer), (context) => Context.get(context, tag))
  )
