import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { PageRequest } from "../../Provider.ts"
import type { UtxoTransaction } from "../../toTransaction.ts"
import * as UtxoAddress from "../../UtxoAddress.ts"
import * as Indexer from "../Indexer.ts"
import { notAllParties, paging, reading, requesting, rowsIn } from "../reading.ts"
import * as calls from "./calls.ts"

/** The output index in the input of a coinbase transaction, which spends no output. */
const noOutput = 0xffffffffn

const toTransaction = (row: typeof calls.Transaction.Type): UtxoTransaction => ({
  hash: row.hash,
  block: row.block_height ?? undefined,
  time: row.time,
  inputs: row.inputs.flatMap(({ prev_out: spent }) =>
    spent === undefined || spent === null || spent.n === noOutput
      ? []
      : [{ address: spent.addr, amount: spent.value, spends: `${spent.tx_index}:${spent.n}` }]
  ),
  outputs: row.out.map(({ addr, value }) => ({ address: addr, amount: value })),
  ...(isWhole(row) ? { statedFee: row.fee } : { partial: { fee: row.fee } })
})

/** Whether the addresses of a row are not those of its scripts. */
const isContradictory = (facts: UtxoFacts, { inputs, out }: typeof calls.Transaction.Type): boolean =>
  [...inputs.flatMap(({ prev_out }) => prev_out ?? []), ...out]
    .map(({ addr, script }) => ({ address: addr, script }))
    .some(UtxoAddress.contradictsScript(facts))

const isWhole = ({ inputs, out, vin_sz, vout_sz }: typeof calls.Transaction.Type) =>
  inputs.length >= vin_sz && out.length >= vout_sz

/** Its count may differ by this much from that of the source of the previous pages. */
const margin = 10

/** The first offset: pages have no other cursor. New arrivals move transactions down the list, never up. */
const firstOf = (before: PageRequest["before"]): string => String(Math.max((before?.returned ?? 0) - margin, 0))

const history: Indexer.HistoryKind = {
  perPage: calls.perPage,
  request: (facts, { address, before, after = firstOf(before), limit }) =>
    requesting(
      calls.transactions,
      { address, limit: Math.min(limit, calls.perPage), offset: after },
      paging(facts, address, calls.transactions.response, {
        owner: (listing) => listing.address,
        page: ({ n_tx, txs }) => {
          const { read, unread } = rowsIn(txs, (row) => (isContradictory(facts, row) ? undefined : toTransaction(row)))
          const end = Number(after) + txs.length
          return {
            transactions: read.map(({ transaction }) => transaction),
            unread,
            next: txs.length > 0 && end < n_tx ? String(end) : undefined,
            stated: { count: n_tx, withPool: true },
            ...(read.every(({ row }) => isWhole(row)) ? {} : { missing: notAllParties })
          }
        }
      })
    )
}

export const source = (urls: ReadonlyArray<string>) =>
  Indexer.make(
    {
      id: "blockchain-info",
      calls,
      title: "blockchain.info",
      // One call every ten seconds.
      publicRate: { perSecond: 0.1, burst: 2 },
      // Only version 0 of witness addresses is known to be supported.
      supports: (payee) => (payee.kind === "witness" ? payee.version === 0 : Indexer.isAddress(payee)),
      perCall: 80,
      minAddresses: 2,
      request: (facts, addresses) =>
        requesting(
          calls.addresses,
          { addresses },
          reading(facts, addresses, calls.addresses.response, (answer) =>
            answer.addresses.map(({ row }) =>
              Option.map(row, ({ address, final_balance, n_tx }) => [
                address,
                { balance: final_balance, transactions: n_tx }
              ])
            )
          )
        ),
      newestIn: (answer) =>
        Either.map(ResponseDecoder.fitting(calls.Newest)(answer), ({ info }) => info?.latest_block?.time),
      history
    },
    urls
  )
