import * as Effect from "effect/Effect"
import * as Sources from "../upstream/Sources.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"
import type { NodeResponse, Unread } from "./Chain.ts"
import { unread } from "./tokenList.ts"

/**
 * Looks a transaction up at one source after another until it is found: a source may be without the oldest or the
 * newest transactions. Where no source has it, the result is the first source's "unknown"; where no source responds,
 * the last failure or `none` is the reason.
 */
export const findFirst = <S extends Sources.Source, A extends NodeResponse>(
  sources: ReadonlyArray<S>,
  find: (source: S) => Effect.Effect<A, UpstreamError>,
  none: Unread = notConfigured
): Effect.Effect<A, Unread> =>
  Effect.suspend(() => {
    let unknown: A | undefined
    const done = (source: S) =>
      Effect.flatMap(Effect.mapError(find(source), unread), (found) => {
        if (found.verdict === "done") return Effect.succeed(found)
        unknown ??= found
        return Effect.fail(none)
      })
    return Effect.catchAll(Sources.first(sources, done, { none }), (failure) =>
      unknown === undefined ? Effect.fail(failure) : Effect.succeed(unknown)
    )
  })

const notConfigured: Unread = { reason: "not_configured", message: "no upstream is configured" }
