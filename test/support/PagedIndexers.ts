import type * as Schema from "effect/Schema"
import type * as blockbook from "../../src/chains/utxo/providers/blockbook/calls.ts"
import type * as blockchainInfo from "../../src/chains/utxo/providers/blockchaininfo/calls.ts"
import type * as blockcypher from "../../src/chains/utxo/providers/blockcypher/calls.ts"
import type * as esplora from "../../src/chains/utxo/providers/esplora/calls.ts"
import type * as haskoin from "../../src/chains/utxo/providers/haskoin/calls.ts"
import { json, type Reply, text } from "./http.ts"

// Simulated indexers: they page the transactions of an address as the real ones do.

export type Kind = "esplora" | "blockbook" | "haskoin" | "blockcypher" | "blockchain-info"

/** A payment of 1000 to the requested address. */
interface Payment {
  readonly hash: string
  readonly height: number | undefined
  readonly time: number
}

/** Time of the n-th transaction: two transactions share a block, and blocks are two hours apart. */
export const timeOf = (index: number) => 1_700_000_000 + Math.floor(index / 2) * 7_200

const hashOf = (index: number) => index.toString(16).padStart(64, "0")

/** Hashes of `count` confirmed transactions, newest first. */
export const hashes = (count: number) => Array.from({ length: count }, (_, index) => hashOf(count - 1 - index))

/** Payments, newest first: `waiting` pending ones, then `count` confirmed ones, two per block. */
export const payments = (count: number, waiting = 0): ReadonlyArray<Payment> =>
  Array.from({ length: count + waiting }, (_, index) => ({
    hash: hashOf(index),
    height: index < count ? 1_000 + Math.floor(index / 2) : undefined,
    time: index < count ? timeOf(index) : timeOf(count + 2)
  })).toReversed()

/** Not a valid address: tests of paging ignore the sender. */
const payer = "somebody"

type Change = (row: Record<string, unknown>) => Record<string, unknown>

type RowOf<Row> = (address: string, payment: Payment) => Row

/** Rows of each kind, in the format that its adapter decodes. */
interface Rows {
  readonly esplora: RowOf<typeof esplora.Transaction.Encoded>
  readonly blockbook: RowOf<typeof blockbook.Transaction.Encoded>
  readonly haskoin: RowOf<Schema.Schema.Encoded<typeof haskoin.transaction.response>>
  readonly blockcypher: RowOf<typeof blockcypher.Transaction.Encoded>
  readonly "blockchain-info": RowOf<typeof blockchainInfo.Transaction.Encoded>
}

const rows: Rows = {
  esplora: (address, { hash, height, time }) => ({
    txid: hash,
    vin: [
      { txid: `f${hash.slice(1)}`, vout: 0, is_coinbase: false, prevout: { scriptpubkey_address: payer, value: 1_100 } }
    ],
    vout: [{ scriptpubkey_address: address, value: 1_000 }],
    status: height === undefined ? { confirmed: false } : { confirmed: true, block_height: height, block_time: time }
  }),
  blockbook: (address, { hash, height, time }) => ({
    txid: hash,
    vin: [{ txid: `f${hash.slice(1)}`, n: 0, isAddress: true, addresses: [payer], value: "1100" }],
    vout: [{ n: 0, isAddress: true, addresses: [address], value: "1000" }],
    blockHeight: height ?? -1,
    confirmations: height === undefined ? 0 : 9,
    blockTime: time
  }),
  haskoin: (address, { hash, height, time }) => ({
    txid: hash,
    inputs: [{ coinbase: false, txid: `f${hash.slice(1)}`, output: 0, value: 1_100, address: payer }],
    outputs: [{ address, value: 1_000 }],
    block: height === undefined ? { mempool: time } : { height, position: 3 },
    deleted: false,
    time
  }),
  blockcypher: (address, { hash, height, time }) => ({
    hash,
    block_height: height ?? -1,
    received: new Date(time * 1000).toISOString(),
    fees: 100,
    vin_sz: 1,
    vout_sz: 1,
    inputs: [{ prev_hash: `f${hash.slice(1)}`, output_index: 0, output_value: 1_100, addresses: [payer] }],
    outputs: [{ value: 1_000, addresses: [address] }]
  }),
  "blockchain-info": (address, { hash, height, time }) => ({
    hash,
    fee: 100,
    vin_sz: 1,
    vout_sz: 1,
    time,
    block_height: height ?? null,
    inputs: [{ prev_out: { addr: payer, value: 1_100, n: 0, tx_index: Number.parseInt(hash.slice(-8), 16) } }],
    out: [{ addr: address, value: 1_000 }]
  })
}

/** An indexer's reply to a request for a page. */
export const page = (
  kind: Kind,
  address: string,
  payments: ReadonlyArray<Payment>,
  { pathname, searchParams }: URL,
  change: Change = (row) => row
): Reply => {
  const number = (name: string, fallback: number) => Number(searchParams.get(name) ?? fallback)
  const changes = (some: ReadonlyArray<Payment>) => some.map((payment) => change(rows[kind](address, payment)))
  const confirmed = payments.filter(({ height }) => height !== undefined)
  const waiting = payments.filter(({ height }) => height === undefined)
  switch (kind) {
    case "esplora": {
      const [, after] = /\/txs\/chain\/(.+)$/.exec(pathname) ?? []
      const from = confirmed.findIndex(({ hash }) => hash === after) + 1
      return json(changes([...(after === undefined ? waiting.slice(0, 50) : []), ...confirmed.slice(from, from + 25)]))
    }
    case "blockbook": {
      const size = number("pageSize", 1_000)
      const to = number("to", Number.POSITIVE_INFINITY)
      const found = confirmed.filter(({ height = 0 }) => height <= to)
      const totalPages = Math.max(1, Math.ceil(found.length / size))
      const at = Math.min(number("page", 1), totalPages)
      const some = [...(at === 1 ? waiting : []), ...found.slice((at - 1) * size, at * size)]
      const txs = confirmed.length
      return json({
        page: at,
        // Blockbook does not count the pages of a block range.
        totalPages: searchParams.has("to") && found.length >= at * size ? -1 : totalPages,
        itemsOnPage: size,
        address,
        txs,
        ...(some.length === 0 ? {} : { transactions: changes(some) })
      })
    }
    case "haskoin": {
      const offset = number("offset", 0)
      return json(changes(payments.slice(offset, offset + number("limit", 100))))
    }
    case "blockcypher": {
      const before = number("before", Number.POSITIVE_INFINITY)
      const left = payments.filter(({ height = Number.MAX_VALUE }) => height < before)
      const some = left.slice(0, Math.min(50, number("limit", 10)))
      return json({
        address,
        n_tx: confirmed.length,
        txs: changes(some),
        ...(some.length < left.length ? { hasMore: true } : {})
      })
    }
    case "blockchain-info": {
      const offset = number("offset", 0)
      const some = payments.slice(offset, offset + Math.min(50, number("limit", 50)))
      return pathname.includes("/rawaddr/")
        ? json({ address, n_tx: payments.length, txs: changes(some) })
        : text("not here", { status: 404 })
    }
  }
}
