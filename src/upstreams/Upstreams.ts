import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Reason } from "../domain/Reason.ts"

/** What is known of one upstream from the calls made so far. No address and no key is in it. */
export interface UpstreamState {
  readonly name: string
  /** Whether a key of the operator's is used. */
  readonly keyed: boolean
  /** How many addresses stand behind the name. */
  readonly addresses: number
  /** `unknown` until the first call has ended. */
  readonly state: "unknown" | "up" | "down"
  /** Time of the last good answer, ms. */
  readonly lastOkAt?: number
  /** The newest failure, also when it has been mended since. */
  readonly lastFailure?: { readonly reason: Reason; readonly at: number }
}

/** Where every upstream client reports how its calls ended; `/health/ready` and `/networks` read it. */
export class Upstreams extends Context.Tag("upstreams/Upstreams")<
  Upstreams,
  {
    /** Makes an upstream known; what it returns reports the end of each call: a reason, or undefined for a good answer. */
    readonly register: (upstream: {
      readonly name: string
      readonly keyed: boolean
      readonly addresses: number
    }) => Effect.Effect<(failure: Reason | undefined) => Effect.Effect<void>>
    /** In the order in which they became known. */
    readonly states: Effect.Effect<ReadonlyArray<UpstreamState>>
  }
>() {
  static readonly layer = Layer.sync(Upstreams, () => {
    const states = new Map<string, UpstreamState>()
    return {
      register: (upstream) =>
        Effect.sync(() => {
          const { name } = upstream
          let current: UpstreamState = { ...upstream, state: "unknown" }
          states.set(name, current)
          return (failure) =>
            Effect.map(Clock.currentTimeMillis, (at) => {
              current =
                failure === undefined
                  ? { ...current, state: "up", lastOkAt: at }
                  : { ...current, state: "down", lastFailure: { reason: failure, at } }
              states.set(name, current)
            })
        }),
      states: Effect.sync(() => [...states.values()])
    }
  })
}
