import * as Effect from "effect/Effect"
import * as Sources from "../../../upstream/Sources.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import type { NodeResponse, ReadFailure } from "../../Chain.ts"
import { unread } from "../holdings/tokenList.ts"

/**
 * Looks up a transaction at one source after another until it is found: a source may lack the oldest or the newest
 * transactions. If no source has it, returns the first source's "unknown". If no source responds, fails with the last
 * failure, or with `none` if there are no sources.
 */
export const findFirst = <S extends Sources.Source, A extends NodeResponse>(
  sources: ReadonlyArray<S>,
  find: (source: S) => Effect.Effect<A, UpstreamError>,
  none: ReadFailure = notConfigured
): Effect.Effect<A, ReadFailure> =>
  Sources.firstOf(sources, (source) => Effect.mapError(find(source), unread), {
    none,
    isWhole: ({ verdict }) => verdict === "done"
  })

/** As {@link findFirst}, for parsed transactions: undefined if no source that responds has it. */
export const findTransaction = <S extends Sources.Source, A>(
  sources: ReadonlyArray<S>,
  find: (source: S) => Effect.Effect<A | undefined, UpstreamError>,
  none: ReadFailure = notConfigured
): Effect.Effect<A | undefined, ReadFailure> =>
  Sources.firstOf(sources, (source) => Effect.mapError(find(source), unread), {
    none,
    isWhole: (found) => found !== undefined
  })

const notConfigured: ReadFailure = { reason: "not_configured", message: "no upstream is configured" }
