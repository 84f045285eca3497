import * as Either from "effect/Either"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { json, type Simulated } from "../world/wire.ts"
import { blockchainInfo, blockcypher, haskoin } from "./fallbackIndexers.ts"
import type { ChainTransaction } from "./UtxoChain.ts"
import * as UtxoChain from "./UtxoChain.ts"
import {
  type Account,
  confirmations,
  heightAt,
  type IndexerCall,
  indexer,
  inputsOf,
  isConfirmed,
  type ListedOutput,
  noHash,
  number,
  ofAddress,
  type Routes,
  rateFor,
  timeAt,
  unspentOf,
  upTo,
  written
} from "./UtxoIndexer.ts"
import * as UtxoPool from "./UtxoPool.ts"
import { type RawSide, scriptHex } from "./utxoRaw.ts"
import type { Refusal } from "./utxoReplacements.ts"

// Nodes and indexers of the Bitcoin family, each with its own response format.

const esploraOutput = (facts: UtxoFacts) => (side: RawSide) => {
  const { address, amount, key } = side
  const scriptpubkey = scriptHex(facts, side)
  if (key !== undefined) return { scriptpubkey, scriptpubkey_type: "p2pk", value: amount }
  return {
    scriptpubkey,
    scriptpubkey_type: address === undefined ? "op_return" : "unknown",
    ...(address === undefined ? {} : { scriptpubkey_address: address }),
    value: amount
  }
}

const esploraStatus = ({ height, time }: Pick<ListedOutput, "height" | "time">) =>
  height === undefined ? { confirmed: false } : { confirmed: true, block_height: height, block_time: time }

/** With members that some versions have: those of spent outputs beside them, and empty addresses of data outputs. */
const rareEsploraRow = (row: ReturnType<typeof esploraRow>) => ({
  ...row,
  vin: row.vin.map((input) => {
    const { scriptpubkey, scriptpubkey_address, value } = input.prevout ?? {}
    return value === undefined ? input : { ...input, scriptpubkey, scriptpubkey_address, value }
  }),
  vout: row.vout.map((output) =>
    output.scriptpubkey_type === "op_return" ? { ...output, scriptpubkey_address: "" } : output
  )
})

const esploraRow = (facts: UtxoFacts, row: ChainTransaction) => ({
  txid: row.hash,
  version: 2,
  fee: row.fee,
  vin: inputsOf(
    row,
    (input) => ({ txid: input.hash, vout: input.index, prevout: esploraOutput(facts)(input), is_coinbase: false }),
    { txid: noHash, vout: 0xffffffff, prevout: null, is_coinbase: true }
  ),
  vout: row.outputs.map(esploraOutput(facts)),
  status: esploraStatus(row),
  ...(row.height === undefined ? { firstSeen: row.time } : {})
})

const shownByEsplora = (facts: UtxoFacts) => (row: ChainTransaction) =>
  row.exhibit === undefined ? esploraRow(facts, row) : rareEsploraRow(esploraRow(facts, row))

const notBitcoin = () => new Response("Invalid Bitcoin address", { status: 400 })

type Rows = ReadonlyArray<ChainTransaction>

/** The same transactions, with those of each block in another order. */
const reordered = (all: Rows, order: (block: Rows) => Rows): Rows =>
  [...Map.groupBy(all, ({ height }) => height).values()].flatMap(order)

/** A page of an indexer over an Electrum server: an unknown transaction is the start. */
const electrumPage = (all: Rows, after: string | undefined) => {
  const rows = reordered(all, (block) => block.toReversed())
  const from = rows.findIndex(({ hash }) => hash === after) + 1
  return rows.slice(from, from + 10)
}

/** A page of an indexer with its own index, which sorts the transactions of a block by their hashes. */
const electrsPage = (all: Rows, after: string | undefined) => {
  const confirmed = reordered(all.filter(isConfirmed), (block) => block.toSorted((a, b) => (a.hash < b.hash ? 1 : -1)))
  if (after === undefined) return [...all.filter((row) => !isConfirmed(row)).slice(0, 50), ...confirmed.slice(0, 25)]
  const last = confirmed.findIndex(({ hash }) => hash === after)
  return last < 0 ? [] : confirmed.slice(last + 1, last + 26)
}

const esploraPage = ofAddress(notBitcoin, ({ listed }, { past: { facts }, words: [, after] }) =>
  // The public indexers of Bitcoin Cash have an Electrum server.
  (facts.coding.cashaddr === undefined ? electrsPage : electrumPage)(listed(), after).map(shownByEsplora(facts))
)

/** An Electrum server has no counts and totals: the remaining amount counts as funded. */
const electrumAccount = ({ address, arriving, leaving, received, spent, transactions, waiting }: Account) => {
  const stats = (count: number, left: bigint) => ({
    funded_txo_count: 0,
    funded_txo_sum: left > 0n ? left : 0n,
    spent_txo_count: 0,
    spent_txo_sum: left < 0n ? -left : 0n,
    tx_count: count
  })
  return {
    address,
    chain_stats: stats(transactions, received - spent),
    mempool_stats: stats(waiting, arriving - leaving),
    electrum: true
  }
}

const esplora: Routes = {
  "/blocks/tip/hash": ({ now }) => new Response(heightAt(now).toString(16).padStart(64, "0")),
  "/blocks/tip/height": ({ now }) => new Response(String(heightAt(now))),
  "/block/*": ({ now }) => json({ height: heightAt(now), timestamp: timeAt(now) }),
  "/v1/fees/recommended": (call) => {
    // Base units per virtual byte, rounded up as by mempool.space.
    const of = (blocks: number) => Math.ceil(rateFor(call, blocks) / 1000)
    return json({ fastestFee: of(2), halfHourFee: of(3), hourFee: of(6), economyFee: of(24), minimumFee: 1 })
  },
  "/tx": ({ body, now, pool }) =>
    Either.match(pool.send(body, now), {
      onLeft: (refusal) => new Response(`sendrawtransaction RPC error: ${JSON.stringify(refusal)}`, { status: 400 }),
      onRight: (hash) => new Response(hash)
    }),
  "/tx/*": ({ past: { facts }, pool, words: [hash = ""] }) => {
    const row = pool.row(hash)
    if (row === undefined) return new Response("Transaction not found", { status: 404 })
    const [found, { sequences, weight }] = [shownByEsplora(facts)(row), pool.sizesOf(row)]
    return written({ ...found, weight, vin: found.vin.map((input, n) => ({ ...input, sequence: sequences[n] })) })
  },
  "/tx/*/outspends": ({ pool, words: [hash = ""] }) => {
    const row = pool.row(hash)
    if (row === undefined) return new Response("Transaction not found", { status: 404 })
    const spenders = row.outputs.map((_, index) => pool.spenderOf(`${hash}:${index}`))
    return json(
      spenders.map((txid) =>
        txid === undefined
          ? { spent: false }
          : { spent: true, txid, vin: 0, status: { confirmed: pool.row(txid)?.height !== undefined } }
      )
    )
  },
  "/tx/*/outspend/*": () => json({ spent: false }),
  "/tx/*/hex": ({ pool, words: [hash = ""] }) =>
    Either.match(pool.find(hash), {
      onLeft: () => new Response("Transaction not found", { status: 404 }),
      onRight: (hex) => new Response(hex)
    }),
  "/address/*/utxo": ofAddress(notBitcoin, ({ unspent }) =>
    unspent().map((output) => ({
      txid: output.txid,
      vout: output.vout,
      value: output.value,
      status: esploraStatus(output)
    }))
  ),
  "/address/*/txs": esploraPage,
  "/address/*/txs/chain/*": esploraPage,
  "/address/*": ofAddress(notBitcoin, (account, { past }) => {
    const { address, arriving, isMuseum, leaving, received, spent, transactions, waiting } = account
    if (isMuseum && past.facts.coding.cashaddr !== undefined) return electrumAccount(account)
    const stats = (count: number, funded: bigint, out: bigint) => ({
      funded_txo_count: count,
      funded_txo_sum: funded,
      spent_txo_count: Math.floor(count / 2),
      spent_txo_sum: out,
      tx_count: count
    })
    return {
      address,
      chain_stats: stats(transactions, received, spent),
      mempool_stats: stats(waiting, arriving, leaving)
    }
  })
}

const blockbookSide = ({ address, amount, key }: RawSide, n: number) => ({
  n,
  addresses: [address ?? key?.address ?? "OP_RETURN (sandbox)"],
  isAddress: address !== undefined,
  value: String(amount)
})

type BlockbookInput = Partial<ReturnType<typeof blockbookSide>> & {
  readonly txid?: string
  readonly vout?: number
  readonly coinbase?: string
}

const blockbookRow = (facts: UtxoFacts, row: ChainTransaction, now: number) => ({
  txid: row.hash,
  hex: row.hex,
  // An index of 0 is left out.
  vin: inputsOf<BlockbookInput, BlockbookInput>(
    row,
    (input, n) => ({
      txid: input.hash,
      ...(input.index === 0 ? {} : { vout: input.index }),
      ...blockbookSide(input, n)
    }),
    { n: 0, isAddress: false, coinbase: "00", value: "0" }
  ),
  vout: row.outputs.map((side, n) => ({ ...blockbookSide(side, n), hex: scriptHex(facts, side) })),
  blockHeight: row.height ?? -1,
  confirmations: confirmations(row.height, now),
  blockTime: row.time,
  fees: String(row.fee)
})

/** In the form of some versions: without `hex` and inputs of new coins, and with marks of own parties. */
const rareBlockbookRow = (holder: string, { hex: _, ...row }: ReturnType<typeof blockbookRow>) => {
  const marked = <A extends { readonly addresses?: ReadonlyArray<string> }>(side: A) =>
    side.addresses?.[0] === holder ? { ...side, isOwn: true } : side
  return { ...row, vin: row.vin.filter(({ txid }) => txid !== undefined).map(marked), vout: row.vout.map(marked) }
}

const blockbookPage = ({ address, listed }: Account, call: IndexerCall) => {
  const all = listed()
  const ranged = call.query.has("to")
  const found = ranged ? upTo(all, number(call, "to", 0)) : all
  const confirmed = found.filter(isConfirmed)
  const size = Math.min(1_000, number(call, "pageSize", 1_000))
  const totalPages = Math.max(1, Math.ceil(confirmed.length / size))
  const page = Math.min(totalPages, Math.max(1, number(call, "page", 1)))
  const waiting = page === 1 ? found.filter((row) => !isConfirmed(row)) : []
  return {
    page,
    // Blockbook does not count pages for a block range.
    totalPages: ranged && confirmed.length >= page * size ? -1 : totalPages,
    itemsOnPage: size,
    address,
    txs: all.filter(isConfirmed).length,
    transactions: [...waiting, ...confirmed.slice((page - 1) * size, page * size)].map((row) => {
      const usual = blockbookRow(call.past.facts, row, call.now)
      return row.exhibit === undefined ? usual : rareBlockbookRow(address, usual)
    }),
    ...listedTokens(address, call)
  }
}

/** Extended keys are longer than all addresses. */
const listedTokens = (address: string, call: IndexerCall) =>
  address.length > 100
    ? {
        usedTokens: UtxoChain.addressesOf(call.past.facts, address).length,
        tokens: tokensOf(address, call).map((name) => ({ type: "XPUBAddress", name }))
      }
    : {}

/** Addresses of an extended public key, by default only those with a balance. */
const tokensOf = (address: string, { past, query }: IndexerCall) => {
  const used = UtxoChain.addressesOf(past.facts, address)
  const funded = new Set(unspentOf(past, address).map((output) => output.address))
  return query.has("tokens") ? used : used.filter((name) => funded.has(name))
}

const badChecksum = () => json({ error: "Invalid address, checksum mismatch" }, 400)

const blockbookAccount = ofAddress(badChecksum, (account, call) => {
  const { address, arriving, leaving, listed, received, spent, transactions, waiting } = account
  const sums = {
    balance: String(received - spent),
    totalReceived: String(received),
    totalSent: String(spent),
    unconfirmedBalance: String(arriving - leaving),
    unconfirmedTxs: waiting
  }
  if (call.query.get("details") === "txs") return { ...sums, ...blockbookPage(account, call) }
  return {
    page: 1,
    totalPages: 1,
    itemsOnPage: 1000,
    address,
    ...sums,
    txs: transactions,
    ...(call.query.get("details") === "basic"
      ? {}
      : call.query.get("details") === "tokens"
        ? listedTokens(address, call)
        : {
            txids: listed()
              .slice(0, 1_000)
              .map(({ hash }) => hash)
          })
  }
})

const blockbook: Routes = {
  "/api/v2": ({ now }) =>
    json({ blockbook: { bestHeight: heightAt(now), lastBlockTime: new Date(1000 * timeAt(now)).toISOString() } }),
  "/api/v2/estimatefee/*": (call) => json({ result: (rateFor(call, Number(call.words[0])) / 1e8).toFixed(8) }),
  "/api/v2/sendtx": ({ body, now, pool }) =>
    Either.match(pool.send(body, now), {
      onLeft: ({ code, message }) => json({ error: `${code}: ${message}` }, 400),
      onRight: (result) => json({ result })
    }),
  "/api/v2/tx/*": ({ now, past, pool, words: [hash = ""] }) =>
    Either.match(pool.find(hash), {
      onLeft: () => json({ error: `Transaction '${hash}' not found` }, 400),
      onRight: (hex) => {
        const row = pool.row(hash)
        if (row === undefined) return json({ txid: hash, hex })
        const [found, { sequences, weight }] = [blockbookRow(past.facts, row, now), pool.sizesOf(row)]
        const vin = found.vin.map((input, n) => ({ ...input, sequence: sequences[n] }))
        return json({ ...found, vin, vsize: Math.ceil(weight / 4) })
      }
    }),
  "/api/v2/utxo/*": ofAddress(badChecksum, ({ address: holder, unspent }, { now }) =>
    unspent().map(({ address, coinbase, height, txid, value, vout }, index) => ({
      txid,
      vout,
      value: String(value),
      ...(height === undefined ? {} : { height }),
      confirmations: confirmations(height, now),
      ...(coinbase ? { coinbase } : {}),
      ...(holder === address ? {} : { address, path: `m/84'/2'/0'/0/${index}` })
    }))
  ),
  "/api/v2/address/*": blockbookAccount,
  "/api/v2/xpub/*": blockbookAccount
}

interface BitcoindRequest {
  readonly jsonrpc?: string
  readonly id: unknown
  readonly method: string
  readonly params?: ReadonlyArray<string>
}

/** Methods of bitcoind: the result, or the error. */
const methods: Readonly<Record<string, (call: IndexerCall, first: string) => Either.Either<unknown, Refusal>>> = {
  getblockcount: ({ now }) => Either.right(heightAt(now)),
  estimatesmartfee: (_, blocks) => Either.right({ feerate: 0.00002, blocks: Number(blocks) }),
  getmempoolinfo: () => Either.right({ loaded: true, size: 0, mempoolminfee: 0.00001 }),
  sendrawtransaction: ({ now, pool }, hex) => pool.send(hex, now),
  getrawtransaction: ({ pool }, hash) => pool.find(hash)
}

/** A request of version 2.0 gets only one of result and error, and status 200 (bitcoind 28, doc/JSON-RPC-interface.md). */
const bitcoind = (call: IndexerCall) => {
  const { id, jsonrpc, method, params = [] } = JSON.parse(call.body) as BitcoindRequest
  const isNew = jsonrpc === "2.0"
  const refused = (error: unknown, status: number) =>
    isNew ? json({ jsonrpc, error, id }) : json({ result: null, error, id }, status)
  const answer = methods[method]?.(call, String(params[0] ?? ""))
  if (answer === undefined) return refused({ code: -32601, message: "Method not found" }, 404)
  return Either.match(answer, {
    onLeft: (error) => refused(error, 500),
    onRight: (result) => json(isNew ? { jsonrpc, result, id } : { result, error: null, id })
  })
}

/** Routes by kind of upstream, which is the last part of the upstream's name. */
const kinds: Readonly<Record<string, Routes>> = {
  esplora,
  blockbook,
  haskoin,
  blockcypher,
  "blockchain-info": blockchainInfo,
  rpc: { "": bitcoind }
}

const isUtxo = (facts: NetworkFacts): facts is UtxoFacts => facts.family === "utxo"

/**
 * All kinds of upstreams of a network of the Bitcoin family, by name. A transaction that one upstream accepts is
 * available at all of them.
 */
export const utxo = (facts: NetworkFacts): ReadonlyArray<readonly [name: string, upstream: Simulated]> => {
  if (!isUtxo(facts)) return []
  const past = UtxoChain.past(facts)
  const pool = UtxoPool.make(past)
  return Object.entries(kinds).map(([kind, routes]) => [`${facts.id}-${kind}`, indexer(past, pool, routes)] as const)
}
