import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import { height, numberOf, secondsOf } from "../../../../domain/units.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import { Uint32 } from "../../../kit/holdings/amounts.ts"
import { otherTransaction } from "../../../kit/sending/nodeResponse.ts"
import { BlockHeight, Count, Hash, Units } from "../../amounts.ts"
import { type FeeCalls, plausible } from "../../fees/FeeRates.ts"
import type { UtxoTransaction } from "../../toTransaction.ts"
import * as Unspent from "../../Unspent.ts"
import * as UtxoAddress from "../../UtxoAddress.ts"
import * as Indexer from "../Indexer.ts"
import { notAllParties, paging, reading, rowsIn } from "../reading.ts"

// BlockCypher's API (www.blockcypher.com/dev/bitcoin), `/addrs/$ADDRESS/balance`.

// BlockCypher's `/addrs/$ADDRESS/full`. `double_spend` is not used, because it is also set on confirmed transactions.

/** An ISO date with a zone, to the second or finer. */
const Time = Schema.String.pipe(Schema.filter((text) => !Number.isNaN(Date.parse(text))))

const Addresses = Schema.optional(Schema.NullOr(Schema.Array(Schema.String)))

/** The script of an input is the one that spends. */
const Script = Schema.optional(Schema.NullOr(Schema.String))

const Transaction = Schema.Struct({
  hash: Schema.String,
  /** -1 in the mempool. */
  block_height: Schema.Int,
  confirmed: Schema.optional(Time),
  /** When it was first seen. */
  received: Time,
  fees: Units,
  vin_sz: Count,
  vout_sz: Count,
  inputs: Schema.NonEmptyArray(
    Schema.Struct({
      /** Absent in a coinbase transaction. */
      prev_hash: Schema.optional(Schema.String),
      output_index: Schema.Int,
      output_value: Schema.optional(Units),
      addresses: Addresses,
      script: Script
    })
  ),
  outputs: Schema.Array(Schema.Struct({ value: Units, addresses: Addresses, script: Script }))
})

const Listing = Schema.Struct({
  address: Schema.String,
  /** The number of confirmed transactions of the address. */
  n_tx: Count,
  hasMore: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  /** Absent if the page is empty. */
  txs: Schema.optionalWith(rowsOf(Transaction), { default: () => [] })
})

/** Undefined for several addresses: those are of a multisig script, which belongs to none of them alone. */
const only = (addresses: ReadonlyArray<string> | null | undefined): string | undefined =>
  addresses?.length === 1 ? addresses[0] : undefined

const toTransaction = (row: typeof Transaction.Type): UtxoTransaction => ({
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
const isContradictory = (facts: UtxoFacts, { inputs, outputs }: typeof Transaction.Type): boolean => {
  const stated = ({ addresses, script }: Pick<(typeof outputs)[number], "addresses" | "script">) => ({
    address: only(addresses),
    script
  })
  return (
    inputs.map(stated).some(UtxoAddress.contradictsSpender(facts)) ||
    outputs.map(stated).some(UtxoAddress.contradictsScript(facts))
  )
}

const isWhole = ({ inputs, outputs, vin_sz, vout_sz }: typeof Transaction.Type) =>
  inputs.length >= vin_sz && outputs.length >= vout_sz

const perPage = 50

/** Maximum inputs and outputs returned per transaction. */
const maxInputsAndOutputs = 200

/** The cursor of the next page. Pages follow heights and may end within a block: the next page repeats that block. */
const before = (rows: ReadonlyArray<typeof Transaction.Type>): string | undefined => {
  const heights = rows.flatMap(({ block_height }) => (block_height < 0 ? [] : [block_height]))
  return heights.length === 0 ? undefined : String(Math.min(...heights) + 1)
}

export const history: Indexer.HistoryKind = {
  perPage,
  request: (facts, { address, before: from, after = from && String(numberOf(from.height) + 1), limit }) => ({
    request: HttpClientRequest.get(`/addrs/${address}/full`).pipe(
      HttpClientRequest.setUrlParams({
        limit: String(after === undefined ? Math.min(limit, perPage) : perPage),
        txlimit: String(maxInputsAndOutputs),
        ...(after === undefined ? {} : { before: after })
      })
    ),
    decode: paging(facts, address, Listing, {
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
  })
}

// BlockCypher's `/addrs/$ADDRESS?unspentOnly=true` (www.blockcypher.com/dev/bitcoin), and `/txs/$HASH`.

const Row = Schema.Struct({
  tx_hash: Hash,
  tx_output_n: Uint32,
  value: Units,
  /** Negative in the mempool. */
  block_height: Schema.Int,
  confirmations: Schema.optionalWith(Count, { default: () => 0 }),
  script: Schema.optional(Schema.String)
})

/** Maximum rows per call. */
const maxRows = 2_000

const OutputList = Schema.Struct({
  hasMore: Schema.optional(Schema.Boolean),
  txrefs: Schema.optionalWith(Schema.Array(Schema.Unknown), { default: () => [] }),
  unconfirmed_txrefs: Schema.optionalWith(Schema.Array(Schema.Unknown), { default: () => [] })
})

const interpret = Unspent.decoding(OutputList, Row, ({ hasMore = false, txrefs, unconfirmed_txrefs }) => {
  const rows = [...txrefs, ...unconfirmed_txrefs]
  return { rows, more: hasMore || rows.length >= maxRows }
})
const chain = ResponseDecoder.fitting(Schema.Struct({ height: BlockHeight, time: Schema.String }))
const transaction = ResponseDecoder.fitting(
  Schema.Struct({
    hash: Schema.String,
    inputs: Schema.Array(Schema.Struct({ output_index: Schema.Int })),
    outputs: Schema.NonEmptyArray(Schema.Struct({ script: Schema.String }))
  })
)

const unspent: Unspent.UnspentKind = {
  head: (endpoint) =>
    Effect.map(endpoint.read(HttpClientRequest.get(""), chain), ({ height, time }) => ({
      height,
      time: secondsOf(time)
    })),
  read: (endpoint, _, address, head) =>
    Effect.gen(function* () {
      const { count, rows } = yield* endpoint.read(
        HttpClientRequest.get(`/addrs/${address}`).pipe(
          HttpClientRequest.setUrlParams({ unspentOnly: "true", includeScript: "true", limit: String(maxRows) })
        ),
        interpret
      )
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
    Effect.flatMap(
      endpoint.read(HttpClientRequest.setUrlParam(HttpClientRequest.get(`/txs/${txid}`), "limit", "1"), transaction),
      ({ hash, inputs, outputs }) =>
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

// The chain endpoint of BlockCypher's API (www.blockcypher.com/dev/bitcoin): base units per 1,000 bytes for
// confirmation in one or two blocks, in three to six, and in seven or more.

const Rates = Schema.Struct({ high_fee_per_kb: Count, medium_fee_per_kb: Count, low_fee_per_kb: Count })

const fees: FeeCalls = {
  rank: 3,
  read: (address) =>
    Effect.map(address.read(HttpClientRequest.get(""), ResponseDecoder.fitting(Rates)), (rates) => ({
      slow: plausible(BigInt(rates.low_fee_per_kb)),
      standard: plausible(BigInt(rates.medium_fee_per_kb)),
      fast: plausible(BigInt(rates.high_fee_per_kb))
    }))
}

const Address = Schema.Struct({
  address: Schema.String,
  /** Includes unconfirmed transactions. */
  final_balance: Units,
  final_n_tx: Count
})

export const source = (urls: ReadonlyArray<string>) =>
  Indexer.make(
    {
      id: "blockcypher",
      title: "BlockCypher",
      // One address per call, because each address of a batch counts as a call.
      publicRate: { perSecond: 3, burst: 3 },
      supports: Indexer.isAddress,
      perCall: 1,
      request: (facts, addresses) => ({
        request: HttpClientRequest.get(`/addrs/${addresses.join()}/balance`),
        decode: reading(facts, addresses, Address, ({ address, final_balance, final_n_tx }) => [
          Option.some([address, { balance: final_balance, transactions: final_n_tx }])
        ])
      }),
      history,
      unspent,
      fees
    },
    urls
  )
