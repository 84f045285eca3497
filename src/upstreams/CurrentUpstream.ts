import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

/**
 * Which upstream the exchange under way belongs to. The sandbox, which knows upstreams by name and not by address, and
 * the recorder, which must know what to leave out, read it; live traffic does not.
 */
export class CurrentUpstream extends Context.Reference<CurrentUpstream>()("upstreams/CurrentUpstream", {
  defaultValue: (): { readonly name: string; readonly secrets: ReadonlyArray<Redacted.Redacted<string>> } => ({
    name: "unknown",
    secrets: []
  })
}) {}
