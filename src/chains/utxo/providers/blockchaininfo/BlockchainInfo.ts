import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import { Height, Seconds } from "../../../../domain/units.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import { Count, Units } from "../../amounts.ts"
import type { PageRequest } from "../../Provider.ts"
import type { UtxoTransaction } from "../../toTransaction.ts"
import * as UtxoAddress from "../../UtxoAddress.ts"
import * as Indexer from "../Indexer.ts"
import { notAllParties, paging, reading, rowsIn } from "../reading.ts"

// blockchain.info's data API (www.blockchain.com/explorer/api/blockchain_api), `/multiaddr`.

// blockchain.info's `/rawaddr/$address`, because `/multiaddr` omits outputs to other addresses.

const side = {
  addr: Schema.optional(Schema.String),
  script: Schema.optional(Schema.NullOr(Schema.String)),
  value: Units
}

const Transaction = Schema.Struct({
  hash: Schema.String,
  fee: Units,
  vin_sz: Count,
  vout_sz: Count,
  /** The time of its block, or when it was first seen. */
  time: Seconds,
  block_height: Schema.optional(Schema.NullOr(Height)),
  inputs: Schema.NonEmptyArray(
    Schema.Struct({
      prev_out: Schema.optional(Schema.NullOr(Schema.Struct({ ...side, n: Units, tx_index: Units })))
    })
  ),
  out: Schema.Array(Schema.Struct(side))
})

const Listing = Schema.Struct({
  address: Schema.String,
  n_tx: Count,
  txs: rowsOf(Transaction)
})

/** The output index in the input of a coinbase transaction, which spends no output. */
const noOutput = 0xffffffffn

const toTransaction = (row: typeof Transaction.Type): UtxoTransaction => ({
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
const isContradictory = (facts: UtxoFacts, { inputs, out }: typeof Transaction.Type): boolean =>
  [...inputs.flatMap(({ prev_out }) => prev_out ?? []), ...out]
    .map(({ addr, script }) => ({ address: addr, script }))
    .some(UtxoAddress.contradictsScript(facts))

const isWhole = ({ inputs, out, vin_sz, vout_sz }: typeof Transaction.Type) =>
  inputs.length >= vin_sz && out.length >= vout_sz

const perPage = 50

/** Its count may differ by this much from that of the source of the previous pages. */
const margin = 10

/** The first offset: pages have no other cursor. New arrivals move transactions down the list, never up. */
const firstOf = (before: PageRequest["before"]): string => String(Math.max((before?.returned ?? 0) - margin, 0))

const history: Indexer.HistoryKind = {
  perPage,
  request: (facts, { address, before, after = firstOf(before), limit }) => ({
    request: HttpClientRequest.get(`/rawaddr/${address}`).pipe(
      HttpClientRequest.setUrlParams({ limit: String(Math.min(limit, perPage)), offset: after })
    ),
    decode: paging(facts, address, Listing, {
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
  })
}

/** The newest block that the source has. */
const Newest = Schema.Struct({
  info: Schema.optional(Schema.Struct({ latest_block: Schema.optional(Schema.Struct({ time: Seconds })) }))
})

const MultiAddress = Schema.Struct({ addresses: Schema.Array(Schema.Unknown) })

const decodeBalance = Schema.decodeUnknownOption(
  Schema.Struct({
    address: Schema.String,
    /** Includes unconfirmed transactions. */
    final_balance: Units,
    n_tx: Count
  })
)

export const source = (urls: ReadonlyArray<string>) =>
  Indexer.make(
    {
      id: "blockchain-info",
      title: "blockchain.info",
      // One call every ten seconds.
      publicRate: { perSecond: 0.1, burst: 2 },
      // Only version 0 of witness addresses is known to be supported.
      supports: (payee) => (payee.kind === "witness" ? payee.version === 0 : Indexer.isAddress(payee)),
      perCall: 80,
      minAddresses: 2,
      request: (facts, addresses) => ({
        request: HttpClientRequest.get("/multiaddr").pipe(
          HttpClientRequest.setUrlParams({ active: addresses.join("|"), n: "1" })
        ),
        decode: reading(facts, addresses, MultiAddress, (answer) =>
          answer.addresses.map((row) =>
            Option.map(decodeBalance(row), ({ address, final_balance, n_tx }) => [
              address,
              { balance: final_balance, transactions: n_tx }
            ])
          )
        )
      }),
      newestIn: (answer) => Either.map(ResponseDecoder.fitting(Newest)(answer), ({ info }) => info?.latest_block?.time),
      history
    },
    urls
  )
