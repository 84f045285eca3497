import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

/** What an exchange needs to know of the upstream that it belongs to. */
interface Belonging {
  /** For the sandbox, which knows upstreams by name and not by address. */
  readonly name: string
  /** For the recorder, which must know what to leave out. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  /** The hosts to which a redirect may lead. Where they are left out, none is followed. */
  readonly redirects?: ReadonlyArray<string>
}

/** Which upstream the exchange under way belongs to. */
export class CurrentUpstream extends Context.Reference<CurrentUpstream>()("upstream/CurrentUpstream", {
  defaultValue: (): Belonging => ({ name: "unknown", secrets: [] })
}) {}
