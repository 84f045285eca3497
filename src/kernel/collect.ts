import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Builds many layers of one tag side by side in the surrounding scope: their services, in the order of the layers. */
export const collect = <I, S, E, R>(tag: Context.Tag<I, S>, layers: ReadonlyArray<Layer.Layer<I, E, R>>) =>
  Effect.forEach(layers, (layer) => Effect.map(Layer.build(layer), (context) => Context.get(context, tag)))
