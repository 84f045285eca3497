import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Sources from "../../../upstream/Sources.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import type { Explorer } from "../Provider.ts"

/** How long an explorer is skipped after it did not serve a network or refused the key, ms. */
const remembered = 30 * 60 * 1000

/** Queries the explorers of one network, as {@link Sources.first} does; needs at least one explorer. */
export const make = () => {
  const refusedUntil = new Map<string, number>()
  const isWilling = (now: number) => (explorer: Explorer) => (refusedUntil.get(explorer.name) ?? 0) <= now

  const query = <A>(
    explorers: ReadonlyArray<Explorer>,
    ask: (explorer: Explorer) => Effect.Effect<A, UpstreamError>
  ): Effect.Effect<A, UpstreamError> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const willing = explorers.filter(isWilling(now))
      const candidates = willing.length === 0 ? explorers : willing
      const [preferred] = candidates
      if (preferred === undefined) return yield* Effect.dieMessage("a network without explorers is not queried")
      let failure: UpstreamError | undefined
      const noted = (explorer: Explorer) =>
        Effect.tapError(ask(explorer), (error) =>
          Effect.map(Clock.currentTimeMillis, (at) => {
            if (isRefusal(error)) refusedUntil.set(explorer.name, at + remembered)
            else failure = error
          })
        )
      const none = preferred.fault({ reason: "upstream_error", detail: "was not requested" })
      // Other failures take precedence over the failure that an explorer does not serve the network.
      return yield* Effect.mapError(Sources.first(candidates, noted, { none }), (error) => failure ?? error)
    })

  /** Whether one of these explorers has not refused the network or the key. */
  const isAnyWilling = (explorers: ReadonlyArray<Explorer>) =>
    Effect.map(Clock.currentTimeMillis, (now) => explorers.some(isWilling(now)))

  return { query, isAnyWilling }
}

/** The network or the key is refused, not only the call. */
const isRefusal = ({ status }: UpstreamError) => status === 401 || status === 402 || status === 403
