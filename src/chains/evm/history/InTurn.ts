import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Sources from "../../../upstream/Sources.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import type { Explorer } from "./Explorers.ts"
import * as ExplorerWire from "./ExplorerWire.ts"

/** Who does not serve a network, or refuses the key, is not asked about it again for so long, ms. */
const remembered = 30 * 60 * 1000

/** Asks explorers of one network as {@link Sources.first} does; needs at least one. */
export const make = () => {
  const refusedUntil = new Map<string, number>()

  return <A>(
    explorers: ReadonlyArray<Explorer>,
    question: (explorer: Explorer) => Effect.Effect<A, UpstreamError>
  ): Effect.Effect<A, UpstreamError> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const willing = explorers.filter(({ name }) => (refusedUntil.get(name) ?? 0) <= now)
      const asked = willing.length === 0 ? explorers : willing
      const [item] = asked
      if (item === undefined) return yield* Effect.dieMessage("a network without explorers is not asked")
      let failure: UpstreamError | undefined
      const ask = (explorer: Explorer) =>
        Effect.tapError(question(explorer), (error) =>
          Effect.map(Clock.currentTimeMillis, (at) => {
            if (isRefusal(error)) refusedUntil.set(explorer.name, at + remembered)
            else failure = error
          })
        )
      const none = item.upstream.fault({ reason: "upstream_error", detail: "was not requested" })
      // That one of them does not serve the network says nothing of why the others failed.
      return yield* Effect.mapError(Sources.first(asked, ask, { none }), (error) => failure ?? error)
    })
}

const isRefusal = ({ detail, status }: UpstreamError) =>
  detail === ExplorerWire.notServed.detail || status === 401 || status === 402 || status === 403
