import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Schema from "effect/Schema"
import { Units } from "../amounts.ts"
import type { TransactionSide, UtxoTransaction } from "../history.ts"
import type { Spelling } from "../UtxoAddress.ts"
import * as Source from "./Source.ts"

// Esplora's `/address/:address/txs` and `/address/:address/txs/chain/:last_seen_txid`. They list what the script of the
// address itself had, as the balance does: payments to its bare public key are in neither.

const Output = Schema.Struct({
  /** Empty or absent where the script has none, as that of a bare public key. */
  scriptpubkey_address: Schema.optional(Schema.NullOr(Schema.String)),
  value: Units
})

const Transaction = Schema.Struct({
  txid: Schema.String,
  vin: Schema.NonEmptyArray(
    Schema.Struct({ txid: Schema.String, vout: Units, is_coinbase: Schema.Boolean, prevout: Schema.NullOr(Output) })
  ),
  vout: Schema.Array(Output),
  status: Schema.Union(
    Schema.Struct({ confirmed: Schema.Literal(true), block_height: Schema.Int, block_time: Schema.Int }),
    Schema.Struct({ confirmed: Schema.Literal(false) })
  ),
  /** Only forks return it, for unconfirmed transactions. */
  firstSeen: Schema.optional(Schema.Int)
})

const side = ({ scriptpubkey_address, value }: typeof Output.Type): TransactionSide => ({
  address: scriptpubkey_address ?? undefined,
  amount: value
})

/** Undefined where the amount of an input is missing. */
const toTransaction = ({
  firstSeen,
  status,
  txid,
  vin,
  vout
}: typeof Transaction.Type): UtxoTransaction | undefined => {
  const spending = vin.filter(({ is_coinbase }) => !is_coinbase)
  const inputs = spending.flatMap(({ prevout, txid, vout }) =>
    prevout === null ? [] : [{ ...side(prevout), spends: `${txid}:${vout}` }]
  )
  if (inputs.length < spending.length) return undefined
  return {
    hash: txid,
    block: status.confirmed ? status.block_height : undefined,
    time: status.confirmed ? status.block_time : firstSeen,
    inputs,
    outputs: vout.map(side)
  }
}

/** Transactions from blocks on a full page. */
const full = 25
/** Transactions on a full page of forks with an Electrum server, unconfirmed ones included. */
const fullOfForks = 10
/** Unconfirmed transactions on the first page at most. */
const fullOfPool = 50

const toPage = (rows: ReadonlyArray<typeof Transaction.Type>): Source.HistoryPage | undefined => {
  const seen = rows.flatMap((row) => toTransaction(row) ?? [])
  if (seen.length < rows.length) return undefined
  const waiting = rows.filter(({ status }) => !status.confirmed).length
  const more = rows.length - waiting === full || rows.length === fullOfForks
  return {
    transactions: seen,
    next: more ? rows.at(-1)?.txid : undefined,
    ...(waiting === fullOfPool ? { missing: "unconfirmed transactions beyond the newest 50" } : {})
  }
}

export const history = (spelling: Spelling): Source.HistoryKind => ({
  perPage: full,
  // Electrum servers sort the transactions of a block by their hashes.
  unordered: true,
  request: (facts, { address, before, after = before?.above }) => ({
    request: HttpClientRequest.get(
      `/address/${spelling(facts, address)}/txs${after === undefined ? "" : `/chain/${encodeURIComponent(after)}`}`
    ),
    interpret: Source.paging(facts, address, Schema.Array(Transaction), { page: toPage })
  })
})
