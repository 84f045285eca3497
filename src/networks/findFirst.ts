import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import { unread } from "./listed.ts"
import type { NodeAnswer, Unread } from "./Network.ts"

/**
 * Looks a transaction up at one source after another until one has it: a source that does not know it may be without the
 * older or the newest ones. Unknown is what the first of them answers, where none of the others has it; where no source
 * answers at all, the last failure or `none` is the reason.
 */
export const findFirst = <A extends NodeAnswer>(
  finds: ReadonlyArray<Effect.Effect<A, UpstreamError>>,
  none: Unread = notConfigured
): Effect.Effect<A, Unread> =>
  Effect.gen(function* () {
    let unknown: A | undefined
    let failure = none
    for (const find of finds) {
      const found = yield* Effect.either(find)
      if (Either.isLeft(found)) failure = unread(found.left)
      else if (found.right.verdict === "done") return found.right
      else unknown ??= found.right
    }
    return unknown ?? (yield* Effect.fail(failure))
  })

const notConfigured: Unread = { reason: "not_configured", message: "no upstream is configured" }
