import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stores from "../storage/Stores.ts"
import * as OtlpSettings from "../telemetry/OtlpSettings.ts"

/** How this process was started, as far as its answers show it. */
export class Mode extends Context.Tag("http/Mode")<
  Mode,
  {
    /** The upstreams are simulated: every answer says so in `x-sandbox`. */
    readonly sandbox: boolean
    /** The share of the requests that are traced, from 0 to 1; without it none is. */
    readonly tracing?: number
    /** What stands in the line of the start: the kind of the upstreams, and of the store. */
    readonly upstreams?: string
    readonly store?: string
  }
>() {
  /** As the variables say, where the upstreams are of this kind. */
  static readonly layerOf = <E, R>(upstreams: Effect.Effect<{ readonly kind: string }, E, R>) =>
    Layer.effect(
      Mode,
      Effect.map(
        Effect.all([upstreams, OtlpSettings.settings, Stores.settings]),
        ([{ kind }, { share, url }, store]) => ({
          sandbox: kind === "sandbox",
          tracing: url === "" ? 0 : share,
          upstreams: kind,
          store: store.kind
        })
      )
    )
}
