import * as Effect from "effect/Effect"
import * as Sources from "../upstream/Sources.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"
import type { NodeResponse, Unread } from "./Chain.ts"
import { unread } from "./tokenList.ts"

/**
 * Looks a transaction up at one source after another until one has it: a source that does not know it may be without the
 * older or the newest ones. Unknown is what the first of them answers, where none of the others has it; where no source
 * answers at all, the last failure or `none` is the reason.
 */
export const findFirst = <S extends Sources.Source, A extends NodeResponse>(
  sources: ReadonlyArray<S>,
  find: (source: S) => Effect.Effect<A, UpstreamError>,
  none: Unread = notConfigured
): Effect.Effect<A, Unread> =>
  Sources.firstOf(sources, (source) => Effect.mapError(find(source), unread), {
    none,
    isWhole: ({ verdict }) => verdict === "done"
  })

const notConfigured: Unread = { reason: "not_configured", message: "no upstream is configured" }
