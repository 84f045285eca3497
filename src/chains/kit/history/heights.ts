import type * as Effect from "effect/Effect"
import type { ChainFacts } from "../../../catalogue/NetworkFacts.ts"
import type { Heights } from "../../../domain/history/Heights.ts"
import type { HistoryPart, HistoryQuery, Transaction } from "../../../domain/Transaction.ts"
import type { Count, Height, Position, Seconds } from "../../../domain/units.ts"
import type { Chain, ReadFailure } from "../../Chain.ts"
import { maxHeightOf, maxTimeOf } from "../status/currentHead.ts"

/** Separates pages by the blocks of a network. */
export const byBlock = (facts: ChainFacts, of: (transaction: Transaction) => Height): Heights<Height> => ({
  of,
  max: (clock) => maxHeightOf(facts, clock)
})

/** Separates pages by the times of transactions. */
export const byTime = (facts: ChainFacts): Heights<Seconds> => ({
  of: ({ timestamp }) => timestamp,
  max: (clock) => maxTimeOf(facts, clock)
})

/** The unit of the pages of a network; times, if its port names none. */
export const heightsOf = ({ facts, heights }: Pick<Chain["Type"], "facts" | "heights">): Heights =>
  heights ?? (byTime(facts) as unknown as Heights)

/** The heights and the history of a network for its port, where every unit is a position. */
export const positioned = <P extends Count>(
  heights: Heights<P>,
  history: (query: HistoryQuery<P>) => Effect.Effect<HistoryPart, ReadFailure>
) =>
  ({ heights, history }) as unknown as {
    readonly heights: Heights<Position>
    readonly history: (query: HistoryQuery<Position>) => Effect.Effect<HistoryPart, ReadFailure>
  }
