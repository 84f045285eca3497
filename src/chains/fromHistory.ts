import * as Effect from "effect/Effect"
import type { HistoryPart, HistoryPosition, HistoryQuery } from "../domain/Transaction.ts"
import type { Count } from "../domain/units.ts"
import type { FoundTransaction, ReadFailure } from "./Chain.ts"

/** Where a transaction is, in the history of one of its parties. */
export interface InHistory<P extends Count> {
  /** In canonical form. */
  readonly address: string
  readonly height: P
  /** As histories name it. */
  readonly hash: string
}

/** Transactions of the same height, or within the tolerance of sources, that may be above it. */
const limit = 50

const notListed = (sources: ReadonlyArray<string>): ReadFailure => ({
  reason: "bad_answer",
  message: `${sources.join(", ")} does not list it in the history of its sender`
})

/**
 * Reads a transaction from the history of one of its parties, for sources that return transactions by their hashes
 * without all parties.
 */
export const fromHistory =
  <P extends Count>(history: (query: HistoryQuery<P>) => Effect.Effect<HistoryPart, ReadFailure>) =>
  ({ address, hash, height }: InHistory<P>): Effect.Effect<FoundTransaction, ReadFailure> => {
    const before: HistoryPosition<P> = { height, last: hash, returned: 0 }
    return Effect.flatMap(history({ address, limit, before }), ({ sources, transactions }) => {
      const transaction = transactions.find((each) => each.hash === hash)
      return transaction === undefined
        ? Effect.fail(notListed(sources))
        : Effect.succeed({ transaction, sources, gaps: [] })
    })
  }
