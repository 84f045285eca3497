import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { gap } from "../../domain/history/Gap.ts"
import type { Transaction } from "../../domain/Transaction.ts"
import { now, toSeconds } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { findTransaction as findAt } from "../kit/sending/findFirst.ts"
import { decimalsFrom } from "./history.ts"
import { dateOf, type LedgerTransaction } from "./LedgerTransaction.ts"
import { type RippleProvider, unreadable } from "./Provider.ts"
import { hasUnknownDelivery, toTransaction } from "./toTransaction.ts"

const partial = "the delivered amount of a partial payment: no node returns it"

/** Looks up transactions at the nodes, as their senders see them. */
export const findTransaction = (
  { nodes, transaction }: RippleProvider,
  registered: Effect.Effect<Option.Option<TokenList>>
) => {
  const shown = (read: LedgerTransaction): Effect.Effect<Transaction, ReadFailure> =>
    Effect.flatMap(registered, (list) =>
      Either.fromOption(toTransaction(read.account, read, decimalsFrom(Option.getOrUndefined(list)?.byAddress)), () =>
        unread(nodes.fault(unreadable))
      )
    )
  return (hash: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    findAt(nodes.addresses, (node) =>
      Effect.flatMap(now, (clock) => transaction(node, hash, dateOf(toSeconds(clock))))
    ).pipe(
      Effect.flatMap((read) =>
        read === undefined
          ? Effect.succeed<FoundTransaction>({ transaction: undefined, sources: [], gaps: [] })
          : Effect.map(
              shown(read),
              (transaction): FoundTransaction => ({
                transaction,
                sources: [nodes.name],
                gaps: hasUnknownDelivery(read) ? [gap("amounts", partial)] : []
              })
            )
      ),
      span("Ripple.transaction")
    )
}
