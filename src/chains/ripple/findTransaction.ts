import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { gap } from "../../domain/history/Gap.ts"
import type { Transaction } from "../../domain/Transaction.ts"
import { now, toSeconds } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { findTransaction as findAt } from "../kit/sending/findFirst.ts"
import { errorOf } from "./Client.ts"
import { decimalsFrom } from "./history.ts"
import { dateOf, type LedgerTransaction, toLedgerTransaction } from "./LedgerTransaction.ts"
import { faultOf, interpreting, post } from "./sending.ts"
import { hasUnknownDelivery, toTransaction } from "./toTransaction.ts"

// `tx` of rippled (xrpl.org/docs/references/http-websocket-apis/public-api-methods/transaction-methods), in version 1 of
// the API: the members of the transaction are those of the result.

/** The transaction; undefined if the node does not have it. */
const found =
  (hash: string, date: number) =>
  (result: Readonly<Record<string, unknown>>): Either.Either<LedgerTransaction | undefined, Fault> => {
    const error = errorOf({ result })
    if (error === "txnNotFound") return Either.right(undefined)
    if (error !== undefined) return Either.left(faultOf(error))
    const { meta, validated = false } = result
    // Without a ledger it has no time: it is pending now.
    const row = { tx: { date, ...result }, validated, ...(validated === true ? { meta } : {}) }
    return Either.fromOption(
      Option.filter(toLedgerTransaction(row), (read) => read.hash.toUpperCase() === hash),
      () => unreadable
    )
  }

const atNode = (node: Endpoint, hash: string) =>
  Effect.flatMap(now, (clock) =>
    node.read(post("tx", { transaction: hash, binary: false }), interpreting(found(hash, dateOf(toSeconds(clock)))))
  )

const partial = "the delivered amount of a partial payment: no node returns it"

/** Looks up transactions at the nodes, as their senders see them. */
export const findTransaction = (nodes: Upstream, registered: Effect.Effect<Option.Option<TokenList>>) => {
  const shown = (read: LedgerTransaction): Effect.Effect<Transaction, ReadFailure> =>
    Effect.flatMap(registered, (list) =>
      Either.fromOption(
        toTransaction(read.account, read, decimalsFrom(Option.getOrUndefined(list)?.byAddress)),
        () => ({
          reason: "bad_answer" as const,
          message: nodes.fault(unreadable).message
        })
      )
    )
  return (hash: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    findAt(nodes.addresses, (node) => atNode(node, hash)).pipe(
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

const unreadable: Fault = { reason: "bad_answer", detail: "returned a transaction that cannot be read" }
