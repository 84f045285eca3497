import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { UtxoFacts } from "../../src/catalogue/utxo/UtxoFacts.ts"
import * as UtxoAddress from "../../src/chains/utxo/UtxoAddress.ts"
import type { SimulatedHost } from "./EvmNodes.ts"

// Simulated indexers of the Bitcoin family: their responses come from memory.

export interface Account {
  readonly confirmed: bigint
  readonly pending?: bigint
}

/** Accounts by address in canonical form; a missing address was never used. */
export type Ledger = Readonly<Record<string, Account>>

export const kinds = ["esplora", "blockbook", "haskoin", "blockcypher", "blockchain-info"] as const
export type Kind = (typeof kinds)[number]

/** JSON in which a bigint is a bare number with all its digits, as the real indexers write it. */
const written = (body: unknown): string =>
  JSON.stringify(body, (_, value) => (typeof value === "bigint" ? `#${value}#` : value)).replace(/"#(-?\d+)#"/g, "$1")

interface Row {
  readonly address: string
  readonly confirmed: bigint
  readonly pending: bigint
  readonly count: number
}

const positive = (units: bigint) => (units > 0n ? units : 0n)

const bodies: Readonly<Record<Kind, (rows: ReadonlyArray<Row>) => unknown>> = {
  esplora: ([row]) =>
    row && {
      address: row.address,
      chain_stats: { funded_txo_sum: row.confirmed * 2n, spent_txo_sum: row.confirmed, tx_count: row.count },
      mempool_stats: { funded_txo_sum: positive(row.pending), spent_txo_sum: positive(-row.pending), tx_count: 0 }
    },
  blockbook: ([row]) =>
    row && {
      address: row.address,
      balance: String(row.confirmed),
      unconfirmedBalance: String(row.pending),
      txs: row.count
    },
  haskoin: (rows) =>
    rows.map(({ address, confirmed, count, pending }) => ({ address, confirmed, unconfirmed: pending, txs: count })),
  blockcypher: ([row]) =>
    row && { address: row.address, final_balance: row.confirmed + row.pending, final_n_tx: row.count },
  "blockchain-info": (rows) => ({
    addresses: rows.map(({ address, confirmed, count, pending }) => ({
      address,
      final_balance: confirmed + pending,
      n_tx: count
    }))
  })
}

/** Whether a request is for the newest block, which a service reads once in some minutes. */
export const isForHead = ({ pathname }: URL): boolean => /\/(blocks\/tip\/hash|block\/\w+|api\/v2|main)$/.test(pathname)

/** The response to a request for the newest block, which was made at this time (ms); undefined for other requests. */
export const headAt = (url: URL, at: number): Response | undefined => {
  const [time, iso] = [Math.floor(at / 1000), new Date(at).toISOString()]
  if (!isForHead(url)) return undefined
  if (url.pathname.endsWith("/hash")) return new Response("0".repeat(64))
  if (url.pathname.endsWith("/v2")) return Response.json({ blockbook: { bestHeight: 1, lastBlockTime: iso } })
  return Response.json({ height: 1, timestamp: time, time: url.pathname.endsWith("/main") ? iso : time })
}

/** The requested addresses, as written in the URL. */
export const requestedAddresses = (kind: Kind, url: URL): ReadonlyArray<string> => {
  const last = decodeURIComponent(
    url.pathname
      .replace(/\/balance$/, "")
      .split("/")
      .at(-1) ?? ""
  )
  if (kind === "haskoin") return (url.searchParams.get("addresses") ?? "").split(",")
  return kind === "blockchain-info" ? (url.searchParams.get("active") ?? "").split("|") : [last]
}

/** Simulated indexer of a network, whose newest block is this old (ms). */
export const indexer =
  (info: UtxoFacts, kind: Kind, ledger: Ledger = {}, age = 0): SimulatedHost =>
  (_, { url }) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const head = headAt(url, now - age)
      if (head !== undefined) return head
      const rows = requestedAddresses(kind, url).map((text): Row => {
        const address = Either.getOrThrow(UtxoAddress.parse(info)(text))
        const account = ledger[address]
        return {
          address,
          confirmed: account?.confirmed ?? 0n,
          pending: account?.pending ?? 0n,
          count: account === undefined ? 0 : 3
        }
      })
      return new Response(written(bodies[kind](rows)), { headers: { "content-type": "application/json" } })
    })
