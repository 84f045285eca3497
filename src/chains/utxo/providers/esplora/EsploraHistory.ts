import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import { Hash } from "../../amounts.ts"
import type { HistoryPage } from "../../Provider.ts"
import type { TransactionSide, UtxoTransaction } from "../../toTransaction.ts"
import * as UtxoAddress from "../../UtxoAddress.ts"
import type { HistoryKind } from "../Indexer.ts"
import { paging, requesting, rowsIn } from "../reading.ts"
import * as calls from "./calls.ts"

type EsploraTransaction = typeof calls.Transaction.Type

/** An instance may have no address for MWEB's outputs. */
const side =
  (facts: UtxoFacts) =>
  ({ scriptpubkey, scriptpubkey_address, value }: typeof calls.Output.Type): TransactionSide => ({
    address:
      scriptpubkey_address ||
      (facts.coding.hidden === undefined ? undefined : UtxoAddress.addressOf(facts.coding, scriptpubkey ?? "")),
    amount: value
  })

/** Undefined if the amount of an input is missing. */
export const toTransaction = (
  { fee, firstSeen, status, txid, vin, vout }: EsploraTransaction,
  facts: UtxoFacts
): UtxoTransaction | undefined => {
  const sideOf = side(facts)
  const spending = vin.filter(({ is_coinbase }) => !is_coinbase)
  const inputs = spending.flatMap(({ prevout, txid, vout }) =>
    prevout === null ? [] : [{ ...sideOf(prevout), spends: `${txid}:${vout}` }]
  )
  if (inputs.length < spending.length) return undefined
  return {
    hash: txid,
    block: status.confirmed ? status.block_height : undefined,
    time: status.confirmed ? status.block_time : firstSeen,
    inputs,
    outputs: vout.map(sideOf),
    statedFee: fee
  }
}

/** Whether the addresses of a row are not those of its scripts. */
export const isContradictory = (facts: UtxoFacts, { vin, vout }: EsploraTransaction): boolean =>
  [...vin.flatMap(({ prevout }) => prevout ?? []), ...vout]
    .map(({ scriptpubkey, scriptpubkey_address }) => ({ address: scriptpubkey_address, script: scriptpubkey }))
    .some(UtxoAddress.contradictsScript(facts))

const decodeHash = Schema.decodeUnknownOption(Schema.Struct({ txid: Hash }))

const toPage = (facts: UtxoFacts, rows: typeof calls.transactions.response.Type): HistoryPage => {
  const { read, unread } = rowsIn(rows, (row) => (isContradictory(facts, row) ? undefined : toTransaction(row, facts)))
  // A repeated row does not end the list, nor does one that cannot be read.
  const all = new Set(read.map(({ row }) => row.txid)).size + unread
  const waiting = read.filter(({ row }) => !row.status.confirmed).length
  const mined = new Set(read.flatMap(({ row }) => (row.status.confirmed ? row.txid : []))).size
  const isFull = mined <= calls.confirmedPerPage && mined + unread >= calls.confirmedPerPage
  const last = Option.getOrElse(decodeHash(rows.at(-1)?.raw), () => ({ txid: read.at(-1)?.row.txid }))
  return {
    transactions: read.map(({ transaction }) => transaction),
    unread,
    next: isFull || all === calls.fullOfForks ? last.txid : undefined,
    ...(waiting === calls.fullOfPool ? { missing: "unconfirmed transactions beyond the newest 50" } : {})
  }
}

export const history = (spelling: UtxoAddress.Spelling): HistoryKind => ({
  perPage: calls.confirmedPerPage,
  // Electrum servers sort the transactions of a block by their hashes.
  unordered: true,
  request: (facts, { address: requested, before, after = before?.above }) => {
    const address = spelling(facts, requested)
    const decode = paging(facts, requested, calls.transactions.response, { page: (rows) => toPage(facts, rows) })
    return after === undefined
      ? requesting(calls.transactions, { address }, decode)
      : requesting(calls.olderTransactions, { address, after }, decode)
  }
})
