import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

/** The facts of an upstream that its exchanges need. */
interface UpstreamContext {
  /** For the sandbox, which identifies upstreams by name and not by address. */
  readonly name: string
  /** For the recorder, which removes them. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  /** Hosts to which redirects are followed; none by default. */
  readonly redirects?: ReadonlyArray<string>
  /** Set if third parties choose the host: only public hosts are called. Aborting closes the connection. */
  readonly guard?: AbortSignal
}

/** The upstream to which the current exchange belongs. */
export class CurrentUpstream extends Context.Reference<CurrentUpstream>()("upstream/CurrentUpstream", {
  defaultValue: (): UpstreamContext => ({ name: "unknown", secrets: [] })
}) {}
