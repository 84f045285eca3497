import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { json } from "../world/wire.ts"
import type { ChainTransaction } from "./UtxoChain.ts"
import {
  type Account,
  confirmations,
  heightAt,
  type IndexerCall,
  inputsOf,
  isConfirmed,
  type ListedOutput,
  noHash,
  number,
  ofAddresses,
  type Routes,
  rateFor,
  routeOfAddress,
  timeAt,
  upTo,
  written
} from "./UtxoIndexer.ts"
import { locking, type RawSide, scriptHex } from "./utxoRaw.ts"

// Fallbacks for Esplora and Blockbook, each with its own response format.

const userError = () => json({ error: "user-error", message: "invalid address" }, 400)

const haskoinSide = (facts: UtxoFacts) => (side: RawSide) => ({
  address: side.address ?? side.key?.address ?? null,
  pkscript: scriptHex(facts, side),
  value: side.amount
})

const haskoinRow = (facts: UtxoFacts) => (row: ChainTransaction) => ({
  txid: row.hash,
  fee: row.fee,
  inputs: inputsOf(
    row,
    (input) => ({ coinbase: false, txid: input.hash, output: input.index, ...haskoinSide(facts)(input) }),
    { coinbase: true, txid: noHash, output: 0xffffffff, value: null, address: null }
  ),
  outputs: row.outputs.map(haskoinSide(facts)),
  block: row.height === undefined ? { mempool: row.time } : { height: row.height, position: 1 },
  deleted: false,
  time: row.time,
  rbf: false
})

/** A page of a list: 100 rows by default. */
const page = <A>(all: ReadonlyArray<A>, call: IndexerCall, most: number, usual = 100): ReadonlyArray<A> => {
  const offset = number(call, "offset", 0)
  return all.slice(offset, offset + Math.min(most, number(call, "limit", usual)))
}

export const haskoin: Routes = {
  "/transaction/*": ({ past, pool, words: [hash = ""] }) => {
    const row = pool.row(hash)
    return row === undefined ? json({ error: "not-found", message: "" }, 404) : written(haskoinRow(past.facts)(row))
  },
  "/block/best": ({ now }) => json({ height: heightAt(now), time: timeAt(now) }),
  "/address/*/balance": routeOfAddress(userError, ({ address, unspent }) => ({ address, utxo: unspent().length })),
  "/address/*/unspent": routeOfAddress(userError, ({ unspent }, call) =>
    page(unspent(), call, 5_000).map(({ address, coinbase, height, time, txid, value, vout }) => ({
      address,
      block: height === undefined ? { mempool: time } : { height, position: coinbase ? 0 : 1 },
      txid,
      index: vout,
      pkscript: locking(call.past.facts, address).toString("hex"),
      value
    }))
  ),
  "/address/*/transactions/full": routeOfAddress(userError, ({ listed }, call) => {
    const all = call.query.has("height") ? upTo(listed(), number(call, "height", 0)) : listed()
    return page(all, call, 5_000).map(haskoinRow(call.past.facts))
  }),
  "/address/balances": ofAddresses(
    userError,
    (query) => (query.get("addresses") ?? "").split(","),
    (accounts) =>
      accounts.map(({ address, arriving, leaving, received, spent, transactions }) => ({
        address,
        confirmed: received - spent,
        unconfirmed: arriving - leaving,
        utxo: transactions,
        txs: transactions,
        received
      }))
  )
}

const blockcypherSums = ({ address, arriving, leaving, received, spent, transactions, waiting }: Account) => ({
  address,
  total_received: received,
  total_sent: spent,
  balance: received - spent,
  unconfirmed_balance: arriving - leaving,
  final_balance: received - spent + arriving - leaving,
  n_tx: transactions,
  unconfirmed_n_tx: waiting,
  final_n_tx: transactions + waiting
})

/** Transactions before a height, if given. Mempool transactions are on the first page only. */
const blockcypherPage = (account: Account, call: IndexerCall) => {
  const all = account.listed()
  const before = number(call, "before", Number.POSITIVE_INFINITY)
  const left = all.filter(({ height = before === Number.POSITIVE_INFINITY ? 0 : before }) => height < before)
  const rows = left.slice(0, Math.min(50, number(call, "limit", 10)))
  const iso = (time: number) => new Date(time * 1000).toISOString().replace(".000Z", "Z")
  const side = ({ address, key }: RawSide) => {
    const only = address ?? key?.address
    return { addresses: only === undefined ? null : [only] }
  }
  // Inputs and outputs of a transaction that are listed; the others are on further pages.
  const most = number(call, "txlimit", 20)
  const cut = (hash: string, kind: "inputs" | "outputs", count: number) =>
    count <= most
      ? {}
      : { [`next_${kind}`]: `https://api.blockcypher.com/v1/txs/${hash}?${kind.slice(0, -1)}start=${most}` }
  return {
    ...blockcypherSums(account),
    ...(rows.length < left.length ? { hasMore: true } : {}),
    txs: rows.map((row) => ({
      hash: row.hash,
      block_height: row.height ?? -1,
      confirmations: confirmations(row.height, call.now),
      fees: row.fee,
      ...(row.height === undefined ? {} : { confirmed: iso(row.time) }),
      // It is first seen before its block.
      received: row.exhibit === undefined ? iso(row.time) : new Date(row.time * 1000 - 412_459).toISOString(),
      double_spend: row.exhibit === "data only",
      vin_sz: Math.max(1, row.inputs.length),
      vout_sz: row.outputs.length,
      inputs: inputsOf(
        row,
        (input) => ({ prev_hash: input.hash, output_index: input.index, output_value: input.amount, ...side(input) }),
        { output_index: -1, script_type: "empty", addresses: null }
      ).slice(0, most),
      ...cut(row.hash, "inputs", row.inputs.length),
      outputs: row.outputs
        .slice(0, most)
        .map((output) => ({ value: output.amount, script: scriptHex(call.past.facts, output), ...side(output) })),
      ...cut(row.hash, "outputs", row.outputs.length)
    }))
  }
}

type Reference = Pick<ListedOutput, "address" | "height" | "txid" | "value" | "vout"> & { readonly vin?: number }

/** The inputs of an address, which BlockCypher lists beside its outputs unless the query excludes them. */
const spendingOf = (holder: string, all: ReadonlyArray<ChainTransaction>): ReadonlyArray<Reference> =>
  all.flatMap(({ hash, height, inputs }) =>
    inputs.flatMap(({ address, amount }, vin) =>
      address === holder ? [{ address, height, txid: hash, value: amount, vin, vout: -1 }] : []
    )
  )

const invalidText = (text: string) => json({ error: `Address ${text} is invalid.` }, 400)

export const blockcypher: Routes = {
  "/v1/*/main": (call) =>
    json({
      name: `${call.past.facts.id}.main`,
      height: heightAt(call.now),
      time: new Date(1000 * timeAt(call.now)).toISOString(),
      high_fee_per_kb: rateFor(call, 2),
      medium_fee_per_kb: rateFor(call, 6),
      low_fee_per_kb: rateFor(call, 24)
    }),
  "/addrs/*": routeOfAddress(invalidText, ({ address, listed, unspent }, call) => {
    const unspentOnly = call.query.get("unspentOnly") === "true"
    const references: ReadonlyArray<Reference> = [...unspent(), ...(unspentOnly ? [] : spendingOf(address, listed()))]
    const rows = (confirmed: boolean) =>
      references
        .filter((reference) => isConfirmed(reference) === confirmed)
        .map(({ address, height, txid, value, vin = -1, vout }) => ({
          tx_hash: txid,
          block_height: height ?? -1,
          tx_input_n: vin,
          tx_output_n: vout,
          value,
          confirmations: confirmations(height, call.now),
          ...(call.query.get("includeScript") === "true"
            ? { script: locking(call.past.facts, address).toString("hex") }
            : {})
        }))
    const confirmed = rows(true)
    const txrefs = confirmed.slice(0, Math.min(2_000, number(call, "limit", 200)))
    const more = txrefs.length < confirmed.length ? { hasMore: true } : {}
    return { address, txrefs, unconfirmed_txrefs: rows(false), ...more }
  }),
  "/addrs/*/full": routeOfAddress(invalidText, blockcypherPage),
  "/addrs/*/balance": routeOfAddress(invalidText, blockcypherSums)
}

const notFound = (error: string, status: number) => () => json({ error, message: "Invalid Bitcoin Address" }, status)

const blockchainInfoIndex = (hash: string) => Number.parseInt(hash.slice(0, 13), 16)

const blockchainInfoSide = (facts: UtxoFacts, side: RawSide, hash: string, n: number) => {
  const addr = side.address ?? side.key?.address
  return {
    n,
    tx_index: blockchainInfoIndex(hash),
    ...(addr === undefined ? {} : { addr }),
    script: scriptHex(facts, side),
    value: side.amount
  }
}

const blockchainInfoRow = (facts: UtxoFacts) => (row: ChainTransaction) => ({
  hash: row.hash,
  tx_index: blockchainInfoIndex(row.hash),
  fee: row.fee,
  vin_sz: Math.max(1, row.inputs.length),
  vout_sz: row.outputs.length,
  time: row.time,
  block_height: row.height ?? null,
  inputs: inputsOf<unknown, unknown>(
    row,
    (input, index) => ({ index, prev_out: blockchainInfoSide(facts, input, input.hash, input.index) }),
    { index: 0, prev_out: null }
  ),
  out: row.outputs.map((output, n) => blockchainInfoSide(facts, output, row.hash, n))
})

export const blockchainInfo: Routes = {
  "/rawaddr/*": routeOfAddress(notFound("item-not-found", 404), ({ address, listed }, call) => {
    const all = listed()
    return { address, n_tx: all.length, txs: page(all, call, 50, 50).map(blockchainInfoRow(call.past.facts)) }
  }),
  "/multiaddr": ofAddresses(
    notFound("invalid-bitcoin-address", 400),
    (query) => (query.get("active") ?? "").split("|"),
    (accounts, call) => ({
      addresses: accounts.map(({ address, arriving, leaving, received, spent, transactions, waiting }) => ({
        address,
        final_balance: received - spent + arriving - leaving,
        n_tx: transactions + waiting,
        total_received: received + arriving,
        total_sent: spent + leaving
      })),
      info: { latest_block: { height: heightAt(call.now), time: timeAt(call.now) } },
      txs: accounts
        .flatMap(({ listed }) => listed())
        .toSorted((a, b) => b.time - a.time)
        .slice(0, Math.min(100, number(call, "n", 50)))
        .map(blockchainInfoRow(call.past.facts))
    })
  )
}
