import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import * as Call from "../../../../upstream/Call.ts"
import type { TransactionSide, UtxoTransaction } from "../../toTransaction.ts"
import * as Unspent from "../../Unspent.ts"
import * as UtxoAddress from "../../UtxoAddress.ts"
import * as Indexer from "../Indexer.ts"
import { lookedUp, paging, reading, requesting, rowsIn } from "../reading.ts"
import * as calls from "./calls.ts"

type HaskoinTransaction = typeof calls.transaction.response.Type

/** Undefined if the amount of an input is missing. */
const toTransaction = ({
  block,
  fee,
  inputs,
  outputs,
  time,
  txid
}: HaskoinTransaction): UtxoTransaction | undefined => {
  const spending = inputs.filter(({ coinbase }) => !coinbase)
  const spent = spending.flatMap(
    ({ address, output, txid, value }): ReadonlyArray<TransactionSide> =>
      value === undefined || value === null
        ? []
        : [{ address: address ?? undefined, amount: value, spends: `${txid}:${output}` }]
  )
  if (spent.length < spending.length) return undefined
  return {
    hash: txid,
    block: "height" in block ? block.height : undefined,
    time,
    inputs: spent,
    outputs: outputs.map(({ address, value }) => ({ address: address ?? undefined, amount: value })),
    statedFee: fee
  }
}

/** Whether the addresses of a row are not those of its scripts. */
const isContradictory = (facts: UtxoFacts, { inputs, outputs }: HaskoinTransaction): boolean =>
  [...inputs, ...outputs]
    .map(({ address, pkscript }) => ({ address, script: pkscript }))
    .some(UtxoAddress.contradictsScript(facts))

/** Far below the limit of a Haskoin Store. */
const perPage = 1000

const history: Indexer.HistoryKind = {
  perPage,
  request: (facts, { address, after: offset = "0", before, limit: most }) => {
    // One more than requested, to know whether there are more.
    const limit = Math.min(most + 1, perPage)
    return requesting(
      calls.transactions,
      { address: withoutPrefix(address), limit, offset, height: before?.height },
      paging(facts, address, calls.transactions.response, {
        page: (rows) => {
          const { read, unread } = rowsIn(rows, (row) => (isContradictory(facts, row) ? undefined : toTransaction(row)))
          return {
            transactions: read.flatMap(({ row, transaction }) => (row.deleted ? [] : transaction)),
            unread,
            next: rows.length >= limit ? String(Number(offset) + limit) : undefined
          }
        }
      })
    )
  }
}

const withoutPrefix = (address: string) => address.slice(address.indexOf(":") + 1)

const interpret = Unspent.decoding(calls.unspent.response, calls.Output, (rows) => ({
  rows,
  more: rows.length >= calls.maxOutputs
}))

const unspent: Unspent.UnspentKind = {
  head: (endpoint) => Call.readAt(endpoint, calls.best, {}),
  read: (endpoint, _, requested, head) =>
    Effect.gen(function* () {
      const address = withoutPrefix(requested)
      const [{ count, rows }, { height }] = yield* Effect.all(
        [endpoint.read(Call.requestOf(calls.unspent, { address }), interpret), head],
        { concurrency: 2 }
      )
      const all = count ?? (yield* Call.readAt(endpoint, calls.balance, { address })).utxo
      return {
        height,
        count: all,
        outputs: rows.map(({ address, block, index, pkscript, txid, value }) => ({
          txid,
          vout: index,
          value,
          address,
          script: pkscript,
          confirmations: "height" in block ? Unspent.confirmationsAt(height, block.height) : 0,
          // The first transaction of a block creates new coins.
          origin: "height" in block && block.position === 0 ? "coinbase" : "other"
        }))
      }
    })
}

const statuses: Indexer.StatusKind = {
  transaction: (hash) =>
    requesting(
      calls.transaction,
      { hash },
      lookedUp(calls.transaction.response, {
        isAbsent: ({ status, text }) => status === 404 && /not.?found/i.test(text),
        isDropped: ({ deleted, txid }) => deleted && txid === hash,
        transaction: toTransaction
      })
    )
}

export const source = (urls: ReadonlyArray<string>) =>
  Indexer.make(
    {
      id: "haskoin",
      calls,
      title: "Haskoin Store indexers",
      // No rate limit is published.
      publicRate: { perSecond: 5, burst: 10 },
      // Scripts with a hash of 32 bytes may not be supported, and an unsupported address fails the whole call.
      supports: (payee) => (payee.kind === "keyHash" || payee.kind === "scriptHash") && payee.hash.length === 20,
      // Longer lists are rejected.
      perCall: 100,
      request: (facts, addresses) =>
        requesting(
          calls.balances,
          { addresses: addresses.map(withoutPrefix) },
          reading(facts, addresses, calls.balances.response, (rows) =>
            rows.map(({ row }) =>
              Option.map(row, ({ address, confirmed, txs, unconfirmed }) => [
                address,
                { balance: confirmed + unconfirmed, transactions: txs }
              ])
            )
          )
        ),
      history,
      unspent,
      statuses
    },
    urls
  )
