import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stores from "../storage/Stores.ts"
import * as OtlpSettings from "../telemetry/OtlpSettings.ts"

/** How this process was started, as far as its responses and its log show it. */
export class Mode extends Context.Tag("http/Mode")<
  Mode,
  {
    /** True if the upstreams are simulated; every response then has the header `x-sandbox`. */
    readonly sandbox: boolean
    /** Share of the requests that are traced, from 0 to 1; 0 by default. */
    readonly tracing?: number
    /** Kinds of the upstreams and of the store, for the log lines of start and stop. */
    readonly upstreams?: string
    readonly store?: string
  }
>() {
  /** Reads the mode from the variables; `upstreams` returns the kind of the upstreams. */
  static readonly layerOf = <E, R>(upstreams: Effect.Effect<{ readonly kind: string }, E, R>) =>
    Layer.effect(
      Mode,
      Effect.map(
        Effect.all([upstreams, OtlpSettings.settings, Stores.settings]),
        ([{ kind }, { sampleRatio: share, url }, store]) => ({
          sandbox: kind === "sandbox",
          tracing: url === "" ? 0 : share,
          upstreams: kind,
          store: store.kind
        })
      )
    )
}
