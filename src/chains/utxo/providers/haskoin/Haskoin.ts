import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import { Height, Seconds } from "../../../../domain/units.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import { Uint32 } from "../../../kit/holdings/amounts.ts"
import { BlockHeight, Count, Hash, isConsistent, Units } from "../../amounts.ts"
import type { TransactionSide, UtxoTransaction } from "../../toTransaction.ts"
import * as Unspent from "../../Unspent.ts"
import * as UtxoAddress from "../../UtxoAddress.ts"
import * as Indexer from "../Indexer.ts"
import { lookedUp, paging, reading, rowsIn } from "../reading.ts"

// Haskoin Store's HTTP API (github.com/haskoin/haskoin-store), `/address/balances`.

// Haskoin Store's `/address/{address}/transactions/full`.

/** Null if the script has no address. */
const side = { address: Schema.NullOr(Schema.String), pkscript: Schema.optional(Schema.NullOr(Schema.String)) }

const Transaction = Schema.Struct({
  txid: Schema.String,
  inputs: Schema.NonEmptyArray(
    Schema.Struct({
      ...side,
      coinbase: Schema.Boolean,
      txid: Schema.String,
      output: Units,
      value: Schema.optional(Schema.NullOr(Units))
    }).pipe(Schema.filter(({ coinbase, txid }) => isConsistent(coinbase, txid)))
  ),
  outputs: Schema.Array(Schema.Struct({ ...side, value: Units })),
  block: Schema.Union(Schema.Struct({ height: Height }), Schema.Struct({ mempool: Schema.Number })),
  fee: Schema.optional(Units),
  /** True if it was replaced by a transaction that spends the same output. */
  deleted: Schema.Boolean,
  /** The time of its block, or when it was first seen. */
  time: Seconds
})

/** Undefined if the amount of an input is missing. */
const toTransaction = ({
  block,
  fee,
  inputs,
  outputs,
  time,
  txid
}: typeof Transaction.Type): UtxoTransaction | undefined => {
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
const isContradictory = (facts: UtxoFacts, { inputs, outputs }: typeof Transaction.Type): boolean =>
  [...inputs, ...outputs]
    .map(({ address, pkscript }) => ({ address, script: pkscript }))
    .some(UtxoAddress.contradictsScript(facts))

/** Far below the limit of a Haskoin Store. */
const perPage = 1000

const history: Indexer.HistoryKind = {
  perPage,
  request: (facts, { address, after = "0", before, limit }) => {
    // One more than requested, to know whether there are more.
    const count = Math.min(limit + 1, perPage)
    return {
      request: HttpClientRequest.get(`/address/${withoutPrefix(address)}/transactions/full`).pipe(
        HttpClientRequest.setUrlParams({
          limit: String(count),
          offset: after,
          ...(before === undefined ? {} : { height: String(before.height) })
        })
      ),
      decode: paging(facts, address, rowsOf(Transaction), {
        page: (rows) => {
          const { read, unread } = rowsIn(rows, (row) => (isContradictory(facts, row) ? undefined : toTransaction(row)))
          return {
            transactions: read.flatMap(({ row, transaction }) => (row.deleted ? [] : transaction)),
            unread,
            next: rows.length >= count ? String(Number(after) + count) : undefined
          }
        }
      })
    }
  }
}

const withoutPrefix = (address: string) => address.slice(address.indexOf(":") + 1)

// Haskoin Store's `/address/{address}/unspent`, `/address/{address}/balance` and `/block/best`.

const Row = Schema.Struct({
  address: Schema.String,
  block: Schema.Union(
    Schema.Struct({ height: BlockHeight, position: Count }),
    Schema.Struct({ mempool: Schema.Number })
  ),
  txid: Hash,
  index: Uint32,
  pkscript: Schema.String.pipe(Schema.pattern(/^([0-9a-f]{2})*$/)),
  value: Units
})

/** Maximum outputs requested; if as many are returned, the total number is read separately. */
const maxRows = 5_000

const interpret = Unspent.decoding(Schema.Array(Schema.Unknown), Row, (rows) => ({
  rows,
  more: rows.length >= maxRows
}))
const best = ResponseDecoder.fitting(Schema.Struct({ height: BlockHeight, time: Schema.compose(Count, Seconds) }))
const newest = HttpClientRequest.setUrlParam(HttpClientRequest.get("/block/best"), "notx", "true")
const balance = ResponseDecoder.fitting(Schema.Struct({ utxo: Count }))

const unspent: Unspent.UnspentKind = {
  head: (endpoint) => endpoint.read(newest, best),
  read: (endpoint, _, address, head) =>
    Effect.gen(function* () {
      const path = `/address/${withoutPrefix(address)}`
      const [{ count, rows }, { height }] = yield* Effect.all(
        [
          endpoint.read(
            HttpClientRequest.setUrlParam(HttpClientRequest.get(`${path}/unspent`), "limit", String(maxRows)),
            interpret
          ),
          head
        ],
        { concurrency: 2 }
      )
      const all =
        count ??
        (yield* Effect.map(endpoint.read(HttpClientRequest.get(`${path}/balance`), balance), ({ utxo }) => utxo))
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

// Haskoin Store's `/transaction/{txid}`.

const statuses: Indexer.StatusKind = {
  transaction: (hash) => ({
    request: HttpClientRequest.get(`/transaction/${hash}`),
    decode: lookedUp(Transaction, {
      isAbsent: ({ status, text }) => status === 404 && /not.?found/i.test(text),
      isDropped: ({ deleted, txid }) => deleted && txid === hash,
      transaction: toTransaction
    })
  })
}

/** The address is returned in CashAddr form, whatever form was requested. */
const decodeBalance = Schema.decodeUnknownOption(
  Schema.Struct({
    address: Schema.String,
    confirmed: Units.pipe(Schema.nonNegativeBigInt()),
    unconfirmed: Units,
    txs: Count
  })
)

export const source = (urls: ReadonlyArray<string>) =>
  Indexer.make(
    {
      id: "haskoin",
      title: "Haskoin Store indexers",
      // No rate limit is published.
      publicRate: { perSecond: 5, burst: 10 },
      // Scripts with a hash of 32 bytes may not be supported, and an unsupported address fails the whole call.
      supports: (payee) => (payee.kind === "keyHash" || payee.kind === "scriptHash") && payee.hash.length === 20,
      // Longer lists are rejected.
      perCall: 100,
      request: (facts, addresses) => ({
        request: HttpClientRequest.get("/address/balances").pipe(
          HttpClientRequest.setUrlParam("addresses", addresses.map(withoutPrefix).join())
        ),
        decode: reading(facts, addresses, Schema.Array(Schema.Unknown), (rows) =>
          rows.map((row) =>
            Option.map(decodeBalance(row), ({ address, confirmed, txs, unconfirmed }) => [
              address,
              { balance: confirmed + unconfirmed, transactions: txs }
            ])
          )
        )
      }),
      history,
      unspent,
      statuses
    },
    urls
  )
