import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { UpstreamError } from "../../../upstreams/UpstreamError.ts"
import type { Explorer } from "./Explorers.ts"
import * as Wire from "./wire.ts"

/** Who does not serve a network, or refuses the key, is not asked about it again for so long, ms. */
const remembered = 30 * 60 * 1000

/** Asks explorers of one network, the next one where one fails; needs at least one. */
export const make = () => {
  const refusedUntil = new Map<string, number>()

  return <A>(
    explorers: ReadonlyArray<Explorer>,
    question: (explorer: Explorer) => Effect.Effect<A, UpstreamError>
  ): Effect.Effect<A, UpstreamError> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const willing = explorers.filter(({ name }) => (refusedUntil.get(name) ?? 0) <= now)
      const [first, ...others] = willing.length === 0 ? explorers : willing
      if (first === undefined) return yield* Effect.dieMessage("a network without explorers is not asked")
      const ask = (explorer: Explorer) =>
        Effect.tapError(question(explorer), (error) =>
          isRefusal(error)
            ? Effect.map(Clock.currentTimeMillis, (at) => refusedUntil.set(explorer.name, at + remembered))
            : Effect.void
        )
      return yield* others.reduce(
        (asked, other) =>
          Effect.catchAll(asked, (error) =>
            Effect.mapError(ask(other), (second) => (isRefusal(second) ? error : second))
          ),
        ask(first)
      )
    })
}

const isRefusal = ({ detail, status }: UpstreamError) =>
  detail === Wire.notServed.detail || status === 401 || status === 402 || status === 403
