import * as Either from "effect/Either"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { json, type Simulated } from "../world/wire.ts"
import { blockchainInfo } from "./blockchainInfo.ts"
import { blockcypher } from "./blockcypher.ts"
import { esplora } from "./esplora.ts"
import { haskoin } from "./haskoin.ts"
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
  number,
  type Routes,
  rateFor,
  routeOfAddress,
  timeAt,
  unspentOf,
  upTo
} from "./UtxoIndexer.ts"
import * as UtxoPool from "./UtxoPool.ts"
import { type RawSide, scriptHex } from "./utxoRaw.ts"
import type { Refusal } from "./utxoReplacements.ts"

// Nodes and indexers of the Bitcoin family, each with its own response format.

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

const blockbookAccount = routeOfAddress(badChecksum, (account, call) => {
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
  "/api/v2/utxo/*": routeOfAddress(badChecksum, ({ address: holder, unspent }, { now }) =>
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

const indexers = { esplora, haskoin, blockcypher, "blockchain-info": blockchainInfo }

/** Routes by kind of upstream, which is the last part of the upstream's name. */
const kinds: Readonly<Record<string, Routes>> = {
  blockbook,
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
  const ledger = { past, pool }
  return [
    ...Object.entries(indexers).map(([kind, answers]) => [`${facts.id}-${kind}`, answers(ledger)] as const),
    ...Object.entries(kinds).map(([kind, routes]) => [`${facts.id}-${kind}`, indexer(past, pool, routes)] as const)
  ]
}
