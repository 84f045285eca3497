import * as Either from "effect/Either"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as UtxoAddress from "../../chains/utxo/UtxoAddress.ts"
import { randomOf } from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import * as UtxoChain from "./UtxoChain.ts"
import * as UtxoHistory from "./UtxoHistory.ts"
import * as UtxoPool from "./UtxoPool.ts"
import { heightAt, timeAt, unspentCalls } from "./utxoUnspent.ts"

// Fee estimates of bitcoind and of the indexers in front of it.

/** Base units per 1,000 bytes for a confirmation within this number of blocks; changes every ten minutes. */
const rateFor = (id: string, blocks: number, now: number): number => {
  const usual = 2_000 + Math.floor(8_000 * randomOf(id, "fees", String(Math.floor(now / 600_000))))
  return 1_000 + Math.floor(usual / Math.max(blocks, 1))
}

const coins = (rate: number): string => (rate / 1e8).toFixed(8)

/** Base units per virtual byte, rounded up as by mempool.space. */
const recommended = (rate: (blocks: number) => number) => {
  const of = (blocks: number) => Math.ceil(rate(blocks) / 1000)
  return { fastestFee: of(2), halfHourFee: of(3), hourFee: of(6), economyFee: of(24), minimumFee: 1 }
}

/** Fee requests by kind of upstream; undefined for other requests. */
const feeCalls: Readonly<Record<string, (id: string, request: Parameters<Simulated>[0]) => Response | undefined>> = {
  esplora: (id, { now, path }) =>
    path.endsWith("/v1/fees/recommended") ? json(recommended((blocks) => rateFor(id, blocks, now))) : undefined,
  blockbook: (id, { now, path }) => {
    const [, blocks] = /\/api\/v2\/estimatefee\/(\d+)$/.exec(path) ?? []
    return blocks === undefined ? undefined : json({ result: coins(rateFor(id, Number(blocks), now)) })
  },
  blockcypher: (id, { now, path }) =>
    /\/v1\/\w+\/main\/?$/.test(path)
      ? json({
          name: `${id}.main`,
          height: heightAt(now),
          time: new Date(1000 * timeAt(now)).toISOString(),
          high_fee_per_kb: rateFor(id, 2, now),
          medium_fee_per_kb: rateFor(id, 6, now),
          low_fee_per_kb: rateFor(id, 24, now)
        })
      : undefined
}

type Indexer = (past: UtxoChain.Past) => Simulated

const notThere = () => json({ error: "not found" }, 404)

/** Parses an address from a path segment; returns it with the state of the address. */
const accountIn = (facts: UtxoFacts, text: string | undefined) =>
  Either.map(UtxoAddress.parse(facts)(decodeURIComponent(text ?? "")), (address) => ({
    address,
    ...UtxoChain.accountOf(facts, address)
  }))

const esplora: Indexer =
  (past) =>
  ({ path }) => {
    const [, text, txs, after] = /\/address\/([^/]+)(\/txs(?:\/chain\/([^/]+))?)?$/.exec(path) ?? []
    if (text === undefined) return notThere()
    return Either.match(accountIn(past.facts, text), {
      onLeft: () => new Response("Invalid Bitcoin address", { status: 400 }),
      onRight: ({ address, arriving, leaving, received, spent, transactions, waiting }) =>
        txs !== undefined
          ? UtxoHistory.esplora(past, address, after)
          : json({
              address,
              chain_stats: {
                funded_txo_count: transactions,
                funded_txo_sum: Number(received),
                spent_txo_count: Math.floor(transactions / 2),
                spent_txo_sum: Number(spent),
                tx_count: transactions
              },
              mempool_stats: {
                funded_txo_count: waiting,
                funded_txo_sum: Number(arriving),
                spent_txo_count: waiting,
                spent_txo_sum: Number(leaving),
                tx_count: waiting
              }
            })
    })
  }

const blockbook: Indexer =
  (past) =>
  ({ path, query }) => {
    const [, text] = /\/api\/v2\/(?:address|xpub)\/([^/]+)$/.exec(path) ?? []
    if (text === undefined) return notThere()
    return Either.match(accountIn(past.facts, text), {
      onLeft: () => json({ error: "Invalid address, checksum mismatch" }, 400),
      onRight: ({ address, arriving, leaving, received, spent, transactions, waiting }) =>
        query.get("details") === "txs"
          ? UtxoHistory.blockbook(past, address, query)
          : json({
              page: 1,
              totalPages: 1,
              itemsOnPage: 1000,
              address,
              balance: String(received - spent),
              totalReceived: String(received),
              totalSent: String(spent),
              unconfirmedBalance: String(arriving - leaving),
              unconfirmedTxs: waiting,
              txs: transactions
            })
    })
  }

/** States of several addresses. A malformed address fails the whole request, as in reality. */
const many = (facts: UtxoFacts, texts: ReadonlyArray<string>) => Either.all(texts.map((text) => accountIn(facts, text)))

const haskoin: Indexer =
  (past) =>
  ({ path, query }) => {
    const [, text] = /\/address\/([^/]+)\/transactions\/full$/.exec(path) ?? []
    if (text !== undefined)
      return Either.match(accountIn(past.facts, text), {
        onLeft: () => json({ error: "user-error", message: "invalid address" }, 400),
        onRight: ({ address }) => UtxoHistory.haskoin(past, address, query)
      })
    if (!path.endsWith("/address/balances")) return notThere()
    return Either.match(many(past.facts, (query.get("addresses") ?? "").split(",")), {
      onLeft: () => json({ error: "user-error", message: "invalid address" }, 400),
      onRight: (accounts) =>
        json(
          accounts.map(({ address, arriving, leaving, received, spent, transactions }) => ({
            address,
            confirmed: Number(received - spent),
            unconfirmed: Number(arriving - leaving),
            utxo: transactions,
            txs: transactions,
            received: Number(received)
          }))
        )
    })
  }

const blockcypher: Indexer =
  (past) =>
  ({ path, query }) => {
    const [, text, what] = /\/addrs\/([^/]+)\/(balance|full)$/.exec(path) ?? []
    if (text === undefined) return notThere()
    return Either.match(accountIn(past.facts, text), {
      onLeft: () => json({ error: `Address ${text} is invalid.` }, 400),
      onRight: ({ address, arriving, leaving, received, spent, transactions, waiting }) =>
        what === "full"
          ? UtxoHistory.blockcypher(past, address, query)
          : json({
              address,
              total_received: Number(received),
              total_sent: Number(spent),
              balance: Number(received - spent),
              unconfirmed_balance: Number(arriving - leaving),
              final_balance: Number(received - spent + arriving - leaving),
              n_tx: transactions,
              unconfirmed_n_tx: waiting,
              final_n_tx: transactions + waiting
            })
    })
  }

const blockchainInfo: Indexer =
  (past) =>
  ({ path, query }) => {
    const [, text] = /\/rawaddr\/([^/]+)$/.exec(path) ?? []
    if (text !== undefined)
      return Either.match(accountIn(past.facts, text), {
        onLeft: () => json({ error: "item-not-found", message: "Invalid Bitcoin Address" }, 404),
        onRight: ({ address }) => UtxoHistory.blockchainInfo(past, address, query)
      })
    if (!path.endsWith("/multiaddr")) return notThere()
    return Either.match(many(past.facts, (query.get("active") ?? "").split("|")), {
      onLeft: () => json({ error: "invalid-bitcoin-address", message: "Invalid Bitcoin Address" }, 400),
      onRight: (accounts) =>
        json({
          addresses: accounts.map(({ address, arriving, leaving, received, spent, transactions, waiting }) => ({
            address,
            final_balance: Number(received - spent + arriving - leaving),
            n_tx: transactions + waiting,
            total_received: Number(received + arriving),
            total_sent: Number(spent + leaving)
          })),
          txs: []
        })
    })
  }

/** Indexers by kind of upstream, which is the last part of the upstream's name. */
const kinds: Readonly<Record<string, Indexer>> = {
  esplora,
  blockbook,
  haskoin,
  blockcypher,
  "blockchain-info": blockchainInfo,
  rpc: () => notThere
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
  return Object.entries(kinds).map(([kind, indexer]) => {
    const respond = indexer(past)
    return [
      `${facts.id}-${kind}`,
      (requested) =>
        unspentCalls[kind]?.(past, requested) ??
        feeCalls[kind]?.(facts.id, requested) ??
        UtxoPool.rawTransactionCalls[kind]?.(pool, requested) ??
        respond(requested)
    ] as const
  })
}
