import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Fault } from "../UpstreamError.ts"
import { type Lever, offReason, type Use } from "./Lever.ts"

/** Runs for the levers of the file, now and each time it is read. */
type Watch = (run: (levers: ReadonlyArray<Lever>) => Effect.Effect<void>) => Effect.Effect<void>

interface LeverSet {
  /** Why the operator switched a source off for a use; undefined if it is on. */
  readonly off: (source: string, use: Use) => string | undefined
  /** In their order: the last lever that covers a use decides. */
  readonly all: () => ReadonlyArray<Lever>
  readonly watchFile: Watch
}

/** Levers over the current value of a list. */
export const over = (all: () => ReadonlyArray<Lever>, watchFile: Watch = () => Effect.void): LeverSet => ({
  all,
  watchFile,
  off: (source, use) => {
    const levers = all()
    return levers.length === 0 ? undefined : offReason(levers, source, use)
  }
})

/** Upstream clients get the levers of the operator when they are created; the default is an empty list. */
export class Levers extends Context.Reference<Levers>()("upstream/Levers", {
  defaultValue: (): LeverSet => over(() => [])
}) {}

/** The use of the current calls; "check" if they test a source, also one that is off. */
export class CurrentUse extends Context.Reference<CurrentUse>()("upstream/CurrentUse", {
  defaultValue: (): Use | "check" => ({})
}) {}

/** The failure of all calls to a source that is off. Nothing was sent, and other sources are used. */
export const switchedOff = (reason: string): Fault => ({
  reason: "not_configured",
  detail: `is switched off: ${reason}`,
  unsent: true
})
