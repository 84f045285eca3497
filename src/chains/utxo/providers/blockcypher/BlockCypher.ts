import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import { height, numberOf, secondsOf } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { otherTransaction } from "../../../kit/sending/nodeResponse.ts"
import { type FeeCalls, plausible } from "../../fees/FeeRates.ts"
import type { UtxoTransaction } from "../../toTransaction.ts"
import * as Unspent from "../../Unspent.ts"
import * as UtxoAddress from "../../UtxoAddress.ts"
import * as Indexer from "../Indexer.ts"
import { notAllParties, paging, reading, requesting, rowsIn } from "../reading.ts"
import * as calls from "./calls.ts"

/** Undefined for several addresses: those are of a multisig script, which belongs to none of them alone. */
const only = (addresses: ReadonlyArray<string> | null | undefined): string | undefined =>
  addresses?.length === 1 ? addresses[0] : undefined

const toTransaction = (row: typeof calls.Transaction.Type): UtxoTransaction => ({
  hash: row.hash,
  block: row.block_height < 0 ? undefined : height(row.block_height),
  time: secondsOf(row.confirmed ?? row.received),
  inputs: row.inputs.flatMap(({ addresses, output_index, output_value, prev_hash }) =>
    prev_hash === undefined || output_index < 0
      ? []
      : [{ address: only(addresses), amount: output_value ?? 0n, spends: `${prev_hash}:${output_index}` }]
  ),
  outputs: row.outputs.map(({ addresses, value }) => ({ address: only(addresses), amount: value })),
  ...(isWhole(row) ? { statedFee: row.fees } : { partial: { fee: row.fees } })
})

/** Whether the addresses of a row are not those of its scripts. */
const isContradictory = (facts: UtxoFacts, { inputs, outputs }: typeof calls.Transaction.Type): boolean => {
  const stated = ({ addresses, script }: Pick<(typeof outputs)[number], "addresses" | "script">) => ({
    address: only(addresses),
    script
  })
  return (
    inputs.map(stated).some(UtxoAddress.contradictsSpender(facts)) ||
    outputs.map(stated).some(UtxoAddress.contradictsScript(facts))
  )
}

const isWhole = ({ inputs, outputs, vin_sz, vout_sz }: typeof calls.Transaction.Type) =>
  inputs.length >= vin_sz && outputs.length >= vout_sz

/** The cursor of the next page. Pages follow heights and may end within a block: the next page repeats that block. */
const before = (rows: ReadonlyArray<typeof calls.Transaction.Type>): string | undefined => {
  const heights = rows.flatMap(({ block_height }) => (block_height < 0 ? [] : [block_height]))
  return heights.length === 0 ? undefined : String(Math.min(...heights) + 1)
}

export const history: Indexer.HistoryKind = {
  perPage: calls.perPage,
  request: (facts, { address, before: from, after = from && String(numberOf(from.height) + 1), limit }) =>
    requesting(
      calls.transactions,
      { address, limit: after === undefined ? Math.min(limit, calls.perPage) : calls.perPage, before: after },
      paging(facts, address, calls.transactions.response, {
        owner: (listing) => listing.address,
        page: ({ hasMore, n_tx, txs }) => {
          const { read, unread } = rowsIn(txs, (row) => (isContradictory(facts, row) ? undefined : toTransaction(row)))
          const rows = read.map(({ row }) => row)
          return {
            transactions: read.map(({ transaction }) => transaction),
            unread,
            next: hasMore ? before(rows) : undefined,
            stated: { count: n_tx, withPool: false },
            ...(rows.every(isWhole) ? {} : { missing: notAllParties })
          }
        }
      })
    )
}

const interpret = Unspent.decoding(
  calls.unspent.response,
  calls.Output,
  ({ hasMore = false, txrefs, unconfirmed_txrefs }) => {
    const rows = [...txrefs, ...unconfirmed_txrefs]
    return { rows, more: hasMore || rows.length >= calls.maxOutputs }
  }
)

const unspent: Unspent.UnspentKind = {
  head: (endpoint) =>
    Effect.map(Call.readAt(endpoint, calls.chain, {}), ({ height, time }) => ({
      height,
      time: secondsOf(time)
    })),
  read: (endpoint, _, address, head) =>
    Effect.gen(function* () {
      const { count, rows } = yield* endpoint.read(Call.requestOf(calls.unspent, { address }), interpret)
      const height =
        Unspent.heightBy(rows.map(({ block_height, confirmations }) => ({ height: block_height, confirmations }))) ??
        (yield* head).height
      return {
        height,
        count,
        outputs: rows.map(({ confirmations, script, tx_hash, tx_output_n, value }) => ({
          txid: tx_hash,
          vout: tx_output_n,
          value,
          confirmations,
          origin: undefined,
          ...(script === undefined ? {} : { script })
        }))
      }
    }),
  originOf: (endpoint, txid) =>
    Effect.flatMap(Call.readAt(endpoint, calls.origin, { hash: txid }), ({ hash, inputs, outputs }) =>
      hash === txid
        ? Effect.succeed(
            Unspent.originOf(
              inputs.some(({ output_index }) => output_index === -1),
              outputs[0].script
            )
          )
        : endpoint.fault(otherTransaction)
    )
}

const fees: FeeCalls = {
  rank: 3,
  read: (address) =>
    Effect.map(Call.readAt(address, calls.rates, {}), (rates) => ({
      slow: plausible(BigInt(rates.low_fee_per_kb)),
      standard: plausible(BigInt(rates.medium_fee_per_kb)),
      fast: plausible(BigInt(rates.high_fee_per_kb))
    }))
}

export const source = (urls: ReadonlyArray<string>) =>
  Indexer.make(
    {
      id: "blockcypher",
      calls,
      title: "BlockCypher",
      publicRate: { perSecond: 3, burst: 3 },
      supports: Indexer.isAddress,
      perCall: 1,
      request: (facts, addresses) =>
        requesting(
          calls.balance,
          { address: addresses.join() },
          reading(facts, addresses, calls.balance.response, ({ address, final_balance, final_n_tx }) => [
            Option.some([address, { balance: final_balance, transactions: final_n_tx }])
          ])
        ),
      history,
      unspent,
      fees
    },
    urls
  )
