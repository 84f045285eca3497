import * as Either from "effect/Either"
import type { NetworkInfo } from "../networks/Network.ts"
import * as Address from "../networks/utxo/address.ts"
import type { UtxoInfo } from "../networks/utxo/Utxo.ts"
import * as World from "./World.ts"
import { json, type Simulated } from "./wire.ts"

/** What the chain and the pool of transactions say of an address, base units. */
interface Account {
  readonly received: bigint
  readonly spent: bigint
  /** What waits in the pool adds to it, or takes from it. */
  readonly pending: bigint
  readonly transactions: number
}

const unused: Account = { received: 0n, spent: 0n, pending: 0n, transactions: 0 }

/** A quarter of what an address holds is on its way to it, or twice as much on its way from it. */
const accountOf = (info: UtxoInfo, address: string): Account => {
  const total = World.native(info, address)
  // The address that shows whether an indexer works has a past.
  if (total === 0n) return address === info.sample ? { ...unused, transactions: 2 } : unused
  const pending = total % 3n === 0n ? total / 4n : total % 3n === 1n ? -total / 2n : 0n
  const confirmed = total - pending
  return { received: confirmed * 3n, spent: confirmed * 2n, pending, transactions: 2 + Number(total % 40n) }
}

const most = (amount: bigint): number => Number(amount > 0n ? amount : 0n)

type Indexer = (info: UtxoInfo) => Simulated

const notThere = () => json({ error: "not found" }, 404)

/** The last part of a path, and the account of the address that stands there. */
const asked = (info: UtxoInfo, text: string | undefined) =>
  Either.map(Address.parse(info)(decodeURIComponent(text ?? "")), (address) => ({
    address,
    ...accountOf(info, address)
  }))

const esplora: Indexer =
  (info) =>
  ({ path }) => {
    const [, text] = /\/address\/([^/]+)$/.exec(path) ?? []
    if (text === undefined) return notThere()
    return Either.match(asked(info, text), {
      onLeft: () => new Response("Invalid Bitcoin address", { status: 400 }),
      onRight: ({ address, pending, received, spent, transactions }) =>
        json({
          address,
          chain_stats: {
            funded_txo_count: transactions,
            funded_txo_sum: Number(received),
            spent_txo_count: Math.floor(transactions / 2),
            spent_txo_sum: Number(spent),
            tx_count: transactions
          },
          mempool_stats: {
            funded_txo_count: pending > 0n ? 1 : 0,
            funded_txo_sum: most(pending),
            spent_txo_count: pending < 0n ? 1 : 0,
            spent_txo_sum: most(-pending),
            tx_count: pending === 0n ? 0 : 1
          }
        })
    })
  }

const blockbook: Indexer =
  (info) =>
  ({ path }) => {
    const [, text] = /\/api\/v2\/(?:address|xpub)\/([^/]+)$/.exec(path) ?? []
    if (text === undefined) return notThere()
    return Either.match(asked(info, text), {
      onLeft: () => json({ error: "Invalid address, checksum mismatch" }, 400),
      onRight: ({ address, pending, received, spent, transactions }) =>
        json({
          page: 1,
          totalPages: 1,
          itemsOnPage: 1000,
          address,
          balance: String(received - spent),
          totalReceived: String(received),
          totalSent: String(spent),
          unconfirmedBalance: String(pending),
          unconfirmedTxs: pending === 0n ? 0 : 1,
          txs: transactions
        })
    })
  }

/** Several addresses at once; one that is none spoils the whole call, as in reality. */
const many = (info: UtxoInfo, texts: ReadonlyArray<string>) => Either.all(texts.map((text) => asked(info, text)))

const haskoin: Indexer =
  (info) =>
  ({ path, query }) => {
    if (!path.endsWith("/address/balances")) return notThere()
    return Either.match(many(info, (query.get("addresses") ?? "").split(",")), {
      onLeft: () => json({ error: "user-error", message: "invalid address" }, 400),
      onRight: (accounts) =>
        json(
          accounts.map(({ address, pending, received, spent, transactions }) => ({
            address,
            confirmed: Number(received - spent) - most(-pending),
            unconfirmed: most(pending),
            utxo: transactions,
            txs: transactions,
            received: Number(received)
          }))
        )
    })
  }

const blockcypher: Indexer =
  (info) =>
  ({ path }) => {
    const [, text] = /\/addrs\/([^/]+)\/balance$/.exec(path) ?? []
    if (text === undefined) return notThere()
    return Either.match(asked(info, text), {
      onLeft: () => json({ error: `Address ${text} is invalid.` }, 400),
      onRight: ({ address, pending, received, spent, transactions }) =>
        json({
          address,
          total_received: Number(received),
          total_sent: Number(spent),
          balance: Number(received - spent),
          unconfirmed_balance: Number(pending),
          final_balance: Number(received - spent + pending),
          n_tx: transactions,
          unconfirmed_n_tx: pending === 0n ? 0 : 1,
          final_n_tx: transactions + (pending === 0n ? 0 : 1)
        })
    })
  }

const blockchainInfo: Indexer =
  (info) =>
  ({ path, query }) => {
    if (!path.endsWith("/multiaddr")) return notThere()
    return Either.match(many(info, (query.get("active") ?? "").split("|")), {
      onLeft: () => json({ error: "invalid-bitcoin-address", message: "Invalid Bitcoin Address" }, 400),
      onRight: (accounts) =>
        json({
          addresses: accounts.map(({ address, pending, received, spent, transactions }) => ({
            address,
            final_balance: Number(received - spent + pending),
            n_tx: transactions,
            total_received: Number(received) + most(pending),
            total_sent: Number(spent) + most(-pending)
          })),
          txs: []
        })
    })
  }

/** By the kind of indexer, as the names of upstreams have it. */
const kinds: Readonly<Record<string, Indexer>> = {
  esplora,
  blockbook,
  haskoin,
  blockcypher,
  "blockchain-info": blockchainInfo
}

const isUtxo = (info: NetworkInfo): info is UtxoInfo => info.family === "utxo"

/** Every kind of indexer of a network of the Bitcoin family, by name. */
export const utxo = (info: NetworkInfo): ReadonlyArray<readonly [name: string, upstream: Simulated]> =>
  isUtxo(info) ? Object.entries(kinds).map(([kind, indexer]) => [`${info.id}-${kind}`, indexer(info)]) : []
