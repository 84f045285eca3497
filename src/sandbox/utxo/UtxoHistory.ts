import { json } from "../world/wire.ts"
import { addressesOf, type ChainTransaction, type Past } from "./UtxoChain.ts"
import type { RawSide } from "./utxoRaw.ts"

// Pages of an address's transactions in the format of each kind of indexer.

type UtxoWire = (past: Past, holder: string, query: URLSearchParams) => Response

/** Writes JSON with bigints as integers of full precision. */
const written = (body: unknown): Response =>
  new Response(
    JSON.stringify(body, (_, value) => (typeof value === "bigint" ? `#${value}#` : value)).replace(
      /"#(-?\d+)#"/g,
      "$1"
    ),
    { headers: { "content-type": "application/json" } }
  )

const number = (query: URLSearchParams, name: string, fallback: number) => Number(query.get(name) ?? fallback)

const isConfirmed = ({ height }: ChainTransaction) => height !== undefined

/** Transactions in blocks up to a height. */
const upTo = (all: ReadonlyArray<ChainTransaction>, max: number) =>
  all.filter(({ height }) => height !== undefined && height <= max)

const confirmations = ({ height }: ChainTransaction) => (height === undefined ? 0 : 1_000)

const esploraOutput = ({ address, amount }: RawSide) => ({
  scriptpubkey: address === undefined ? "6a" : "51",
  scriptpubkey_type: address === undefined ? "op_return" : "unknown",
  ...(address === undefined ? {} : { scriptpubkey_address: address }),
  value: amount
})

const noHash = "0".repeat(64)

const esploraRow = ({ fee, hash, height, inputs, outputs, time }: ChainTransaction) => ({
  txid: hash,
  version: 2,
  fee,
  vin:
    inputs.length === 0
      ? [{ txid: noHash, vout: 0xffffffff, prevout: null, is_coinbase: true }]
      : inputs.map((input) => ({
          txid: input.hash,
          vout: input.index,
          prevout: esploraOutput(input),
          is_coinbase: false
        })),
  vout: outputs.map(esploraOutput),
  status: height === undefined ? { confirmed: false } : { confirmed: true, block_height: height, block_time: time },
  ...(height === undefined ? { firstSeen: time } : {})
})

/** `after` is the hash that follows `/txs/chain/` in the path. */
export const esplora = (past: Past, holder: string, after: string | undefined): Response => {
  const all = past.of(holder)
  const confirmed = all.filter(isConfirmed)
  const waiting = after === undefined ? all.filter((transaction) => !isConfirmed(transaction)).slice(0, 50) : []
  const from = confirmed.findIndex(({ hash }) => hash === after) + 1
  return written([...waiting, ...confirmed.slice(from, from + 25)].map(esploraRow))
}

const blockbookSide = ({ address, amount }: RawSide, n: number) => ({
  n,
  addresses: [address ?? "OP_RETURN (sandbox)"],
  isAddress: address !== undefined,
  value: String(amount)
})

export const blockbook: UtxoWire = (past, holder, query) => {
  const ranged = query.has("to")
  const all = ranged ? upTo(past.of(holder), number(query, "to", 0)) : past.of(holder)
  const confirmed = all.filter(isConfirmed)
  const size = Math.min(1_000, number(query, "pageSize", 1_000))
  const totalPages = Math.max(1, Math.ceil(confirmed.length / size))
  const page = Math.min(totalPages, Math.max(1, number(query, "page", 1)))
  const rows = [
    ...(page === 1 ? all.filter((transaction) => !isConfirmed(transaction)) : []),
    ...confirmed.slice((page - 1) * size, page * size)
  ]
  return json({
    page,
    // Blockbook does not count pages for a block range.
    totalPages: ranged && confirmed.length >= page * size ? -1 : totalPages,
    itemsOnPage: size,
    address: holder,
    txs: past.of(holder).filter(isConfirmed).length,
    transactions: rows.map((row) => ({
      txid: row.hash,
      hex: row.hex,
      vin:
        row.inputs.length === 0
          ? [{ n: 0, isAddress: false, coinbase: "00", value: "0" }]
          : row.inputs.map((input, n) => ({ txid: input.hash, vout: input.index, ...blockbookSide(input, n) })),
      vout: row.outputs.map(blockbookSide),
      blockHeight: row.height ?? -1,
      confirmations: confirmations(row),
      blockTime: row.time,
      fees: String(row.fee)
    })),
    ...(holder.length > 100
      ? { tokens: addressesOf(past.facts, holder).map((name) => ({ type: "XPUBAddress", name })) }
      : {})
  })
}

export const haskoin: UtxoWire = (past, holder, query) => {
  const offset = number(query, "offset", 0)
  const all = query.has("height") ? upTo(past.of(holder), number(query, "height", 0)) : past.of(holder)
  const rows = all.slice(offset, offset + Math.min(5_000, number(query, "limit", 100)))
  const side = ({ address, amount }: RawSide) => ({ address: address ?? null, value: amount })
  return written(
    rows.map(({ fee, hash, height, inputs, outputs, time }) => ({
      txid: hash,
      fee,
      inputs:
        inputs.length === 0
          ? [{ coinbase: true, txid: noHash, output: 0xffffffff, value: null, address: null }]
          : inputs.map((input) => ({ coinbase: false, txid: input.hash, output: input.index, ...side(input) })),
      outputs: outputs.map(side),
      block: height === undefined ? { mempool: time } : { height, position: 1 },
      deleted: false,
      time,
      rbf: false
    }))
  )
}

/** `before` is a height. Mempool transactions are on the first page only. */
export const blockcypher: UtxoWire = (past, holder, query) => {
  const before = number(query, "before", Number.POSITIVE_INFINITY)
  const all = past.of(holder)
  const left = all.filter(({ height = before === Number.POSITIVE_INFINITY ? 0 : before }) => height < before)
  const rows = left.slice(0, Math.min(50, number(query, "limit", 10)))
  const iso = (time: number) => new Date(time * 1000).toISOString().replace(".000Z", "Z")
  const side = ({ address }: RawSide) => ({ addresses: address === undefined ? null : [address] })
  return written({
    address: holder,
    n_tx: all.filter(isConfirmed).length,
    ...(rows.length < left.length ? { hasMore: true } : {}),
    txs: rows.map(({ fee, hash, height, inputs, outputs, time }) => ({
      hash,
      block_height: height ?? -1,
      fees: fee,
      ...(height === undefined ? {} : { confirmed: iso(time) }),
      received: iso(time),
      double_spend: false,
      vin_sz: Math.max(1, inputs.length),
      vout_sz: outputs.length,
      inputs:
        inputs.length === 0
          ? [{ output_index: -1, script_type: "empty", addresses: null }]
          : inputs.map((input) => ({
              prev_hash: input.hash,
              output_index: input.index,
              output_value: input.amount,
              ...side(input)
            })),
      outputs: outputs.map((output) => ({ value: output.amount, ...side(output) }))
    }))
  })
}

export const blockchainInfo: UtxoWire = (past, holder, query) => {
  const offset = number(query, "offset", 0)
  const all = past.of(holder)
  const rows = all.slice(offset, offset + Math.min(50, number(query, "limit", 50)))
  const side = ({ address, amount }: RawSide) => ({
    ...(address === undefined ? {} : { addr: address }),
    value: amount
  })
  return written({
    address: holder,
    n_tx: all.length,
    txs: rows.map(({ fee, hash, height, inputs, outputs, time }) => ({
      hash,
      fee,
      vin_sz: Math.max(1, inputs.length),
      vout_sz: outputs.length,
      time,
      block_height: height ?? null,
      inputs:
        inputs.length === 0
          ? [{ index: 0, prev_out: null }]
          : inputs.map((input, index) => ({
              index,
              prev_out: { n: input.index, tx_index: Number.parseInt(input.hash.slice(0, 13), 16), ...side(input) }
            })),
      out: outputs.map(side)
    }))
  })
}
