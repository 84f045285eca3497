import * as Effect from "effect/Effect"
import { tron } from "../../catalogue/tron.ts"
import { gap } from "../../domain/history/Gap.ts"
import type { Heights } from "../../domain/history/Heights.ts"
import { type HistoryQuery, isRequested, newestFirst, requestedFrom } from "../../domain/Transaction.ts"
import { type Millis, millis, toMillis } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import { positioned } from "../kit/history/heights.ts"
import { join } from "../kit/history/mergePaged.ts"
import { heightOf } from "../kit/history/orderOf.ts"
import { unread, withDecimals } from "../kit/holdings/tokenList.ts"
import { maxTimeOf } from "../kit/status/currentHead.ts"
import type { TronProvider } from "./Provider.ts"
import type { TronTokens } from "./tokens.ts"
import { isContradictory, isTrade, toTransaction, tradeProceeds } from "./toTransaction.ts"

/** Separates pages by block times. */
const times: Heights<Millis> = {
  of: heightOf(millis),
  max: (clock) => toMillis(maxTimeOf(tron, clock))
}

/** Reads histories, at most for `maxWait` (ms), and the heights that separate their pages. */
export const histories = (trongrid: TronProvider, { confirm, list }: TronTokens, maxWait: number) =>
  positioned(times, withDecimals(read(trongrid, maxWait), list, confirm))

/** Transactions and transfers of TRC-20 tokens are two lists that complement each other. */
const read = (trongrid: TronProvider, maxWait: number) => (query: HistoryQuery<Millis>) => {
  const { address, before, limit, since } = query
  return Effect.zipRight(
    before === undefined ? trongrid.isCurrent : Effect.void,
    join(trongrid.lists(address, requestedFrom(query), before?.height), {
      limit,
      since,
      within: maxWait
    })
  ).pipe(
    Effect.map(({ gaps, groups, more }) => {
      const requested = groups.filter(({ at, key }) => isRequested(query)(key, at))
      const clear = requested.filter((group) => !isContradictory(group))
      const transactions = clear.map((group) => toTransaction(address, group)).sort(newestFirst)
      const unclear = requested.length - clear.length
      const differing = `${unclear} transactions: ${trongrid.name} returned them twice, with different values`
      return {
        transactions,
        more,
        sources: [trongrid.name],
        gaps: [
          ...gaps,
          ...(unclear === 0 ? [] : [gap("transactions", differing)]),
          ...(transactions.some(isTrade) ? [tradeProceeds] : [])
        ]
      }
    }),
    Effect.mapError(unread),
    span("Tron.history")
  )
}
