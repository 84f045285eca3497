import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isMpt } from "../../../src/chains/ripple/BalanceChanges.ts"
import { toLedgerTransaction } from "../../../src/chains/ripple/LedgerTransaction.ts"
import { toTransaction } from "../../../src/chains/ripple/toTransaction.ts"
import type { HistoryQuery, Transaction } from "../../../src/domain/Transaction.ts"
import { seconds } from "../../../src/domain/units.ts"
import { withTexts } from "../../support/gaps.ts"
import type { Reply, SentRequest } from "../../support/http.ts"
import { json } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { alice, bob, isForHead, network, rlusd } from "./ripple.ts"

/** The time of a date of the ledger, which counts from 1 January 2000. */
export const timeOf = (date: number) => seconds(date + 946_684_800)

export const decimals = (token: string) => (isMpt(token) ? 0 : 15)

/** A row of `account_tx` as its holder sees it. */
export const seen = (holder: string, row: unknown): Transaction =>
  Option.getOrThrow(
    Option.flatMap(toLedgerTransaction(row), (ledgerTransaction) => toTransaction(holder, ledgerTransaction, decimals))
  )

export const hashOf = (index: number) => index.toString(16).toUpperCase().padStart(64, "0")

/** Synthetic payment of one drop from bob to alice. A higher index is newer. */
export const row = (index: number) => ({
  meta: { AffectedNodes: [], TransactionIndex: 1, TransactionResult: "tesSUCCESS", delivered_amount: "1" },
  tx: {
    Account: bob,
    Amount: "1",
    Destination: alice,
    Fee: "12",
    Sequence: index,
    TransactionType: "Payment",
    date: 800_000_000 + index * 10,
    hash: hashOf(index),
    ledger_index: 90_000_000 + index
  },
  validated: true
})

export interface Node {
  readonly count: number
  /** Oldest ledger that the node has. */
  readonly from?: number
}

/** Node with this number of payments. */
export const node =
  ({ count, from = 32_570 }: Node) =>
  (request: SentRequest): Reply => {
    const { params } = JSON.parse(request.body)
    const { account, limit, marker } = params[0]
    const all = Array.from({ length: count }, (_, index) => row(count - index)).filter(
      ({ tx }) => tx.ledger_index >= from
    )
    const start = marker === undefined ? 0 : Number(marker.seq)
    const end = start + Math.min(Math.max(limit, 10), 400)
    return json({
      result: {
        account,
        ledger_index_min: from,
        ledger_index_max: 98_000_000,
        transactions: account === alice ? all.slice(start, end) : [],
        ...(end < all.length && account === alice ? { marker: { ledger: 1, seq: end } } : {}),
        validated: true,
        status: "success",
        warning: "load"
      },
      warnings: [{ id: 2001, message: "This is a clio server." }]
    })
  }

/** History from the nodes, and the requests that were sent for it, without those for the newest ledger. */
export const read = Effect.fnUntraced(function* (
  handler: (request: SentRequest) => Reply,
  query: Partial<HistoryQuery> = {},
  environment?: Readonly<Record<string, string>>
) {
  const { requests, history } = yield* network(handler, [rlusd], environment)
  if (history === undefined) return yield* Effect.dieMessage("no history")
  const part = yield* settled(
    Effect.either(Effect.map(history({ address: alice, limit: 50, ...query }), withTexts)),
    "100 millis"
  )
  return { part, requests: requests.filter((request) => !isForHead(request)) }
})
