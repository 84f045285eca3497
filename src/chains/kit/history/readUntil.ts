import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { timeoutFail } from "../../../kernel/timeout.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"

/** Fails at the time `until` (ms): a caller that reads page by page then returns the pages it has. */
export const by =
  (upstream: Pick<Upstream, "fault">, until: number) =>
  <A>(effect: Effect.Effect<A, UpstreamError>): Effect.Effect<A, UpstreamError> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      timeoutFail(effect, {
        duration: Math.max(until - now, 0),
        onTimeout: () => upstream.fault({ reason: "timeout", detail: "timed out before the full history was read" })
      })
    )
