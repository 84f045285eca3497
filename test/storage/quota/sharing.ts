import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Settings } from "../../../src/settings/Settings.ts"
import * as SharedQuotas from "../../../src/storage/quota/SharedQuotas.ts"
import { Store, StoreError } from "../../../src/storage/Store.ts"

/** The shared limits in one process, of `replicas` processes that share the store. */
export const sharing = (store: Layer.Layer<Store, unknown>, replicas = 1) =>
  Layer.build(
    Layer.fresh(SharedQuotas.layer).pipe(
      Layer.provideMerge(Layer.fresh(store)),
      Layer.provide(Settings.layer({ REPLICAS: String(replicas) }))
    )
  ) as Effect.Effect<Context.Context<Store | SharedQuotas.LimitSharing>, never, Scope.Scope>

/** A store that can be switched off and counts its `take` requests; each process can use its layer. */
export const switchable = (store: Context.Tag.Service<Store>) => {
  const state = { unavailable: false, requests: 0 }
  const { take } = store
  const layer = Layer.succeed(Store, {
    ...store,
    take: (taking) =>
      Effect.suspend(() => {
        state.requests++
        return state.unavailable || take === undefined
          ? Effect.fail(new StoreError({ operation: "take", cause: new Error("away") }))
          : take(taking)
      })
  })
  return { state, layer }
}
