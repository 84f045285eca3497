import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { UtxoFacts } from "../../src/catalogue/utxo/UtxoFacts.ts"
import * as blockbook from "../../src/chains/utxo/providers/blockbook/calls.ts"
import * as blockchainInfo from "../../src/chains/utxo/providers/blockchaininfo/calls.ts"
import * as blockcypher from "../../src/chains/utxo/providers/blockcypher/calls.ts"
import * as esplora from "../../src/chains/utxo/providers/esplora/calls.ts"
import * as haskoin from "../../src/chains/utxo/providers/haskoin/calls.ts"
import * as UtxoAddress from "../../src/chains/utxo/UtxoAddress.ts"
import { type Answered, answered, answerOf } from "../../src/sandbox/world/answers.ts"
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

/** The answers of each kind of indexer; `rowOf` returns the row of an address, in any spelling. */
const answers: Readonly<Record<Kind, (rowOf: (text: string) => Row) => Answered>> = {
  esplora: (rowOf) =>
    answered(esplora.address, ({ parameters }) => {
      const { address, confirmed, count, pending } = rowOf(parameters.address)
      return {
        address,
        chain_stats: { funded_txo_sum: confirmed * 2n, spent_txo_sum: confirmed, tx_count: count },
        mempool_stats: { funded_txo_sum: positive(pending), spent_txo_sum: positive(-pending), tx_count: 0 }
      }
    }),
  blockbook: (rowOf) =>
    answered(blockbook.balance, ({ parameters }) => {
      const { address, confirmed, count, pending } = rowOf(parameters.address)
      return { address, balance: String(confirmed), unconfirmedBalance: String(pending), txs: count }
    }),
  haskoin: (rowOf) =>
    answered(haskoin.balances, ({ query }) =>
      requestedAddresses(query).map((text) => {
        const { address, confirmed, count, pending } = rowOf(text)
        return { address, confirmed, unconfirmed: pending, txs: count }
      })
    ),
  blockcypher: (rowOf) =>
    answered(blockcypher.balance, ({ parameters }) => {
      const { address, confirmed, count, pending } = rowOf(parameters.address)
      return { address, final_balance: confirmed + pending, final_n_tx: count }
    }),
  "blockchain-info": (rowOf) =>
    answered(blockchainInfo.addresses, ({ query }) => ({
      addresses: (query.get("active") ?? "").split("|").map((text) => {
        const { address, confirmed, count, pending } = rowOf(text)
        return { address, final_balance: confirmed + pending, n_tx: count }
      })
    }))
}

/** The addresses that are requested from a Haskoin Store, as written in the query. */
export const requestedAddresses = (query: URLSearchParams): ReadonlyArray<string> =>
  (query.get("addresses") ?? "").split(",")

const toSeconds = (time: number) => Math.floor(time / 1000)

/** The newest block, which was made at the time of the request. The path of BlockCypher's call is empty: it is last. */
const heads: ReadonlyArray<Answered> = [
  answered(esplora.tip, () => "0".repeat(64)),
  answered(haskoin.best, ({ now }) => ({ height: 1, time: toSeconds(now) })),
  answered(esplora.block, ({ now }) => ({ height: 1, timestamp: toSeconds(now) })),
  answered(blockbook.status, ({ now }) => ({
    blockbook: { bestHeight: 1, lastBlockTime: new Date(now).toISOString() }
  })),
  answered(blockcypher.chain, ({ now }) => ({ height: 1, time: new Date(now).toISOString() }))
]

const respond = (all: ReadonlyArray<Answered>, { pathname: path, searchParams: query }: URL, now: number): Response =>
  Option.match(answerOf(all, { method: "GET", path, query, body: "", now }), {
    onNone: () => new Response("not found", { status: 404 }),
    onSome: (answer) =>
      typeof answer === "string"
        ? new Response(answer)
        : new Response(written(answer), { headers: { "content-type": "application/json" } })
  })

/** Whether a request is for the newest block, which a service reads once in some minutes. */
export const isForHead = ({ pathname }: URL): boolean => /\/(blocks\/tip\/hash|block\/\w+|api\/v2|main)$/.test(pathname)

/** The response to a request for the newest block, which was made at this time (ms); undefined for other requests. */
export const headAt = (url: URL, at: number): Response | undefined =>
  isForHead(url) ? respond(heads, url, at) : undefined

/** Simulated indexer of a network, whose newest block is this old (ms). */
export const indexer = (info: UtxoFacts, kind: Kind, ledger: Ledger = {}, age = 0): SimulatedHost => {
  const answer = answers[kind]((text) => {
    const address = Either.getOrThrow(UtxoAddress.parse(info)(decodeURIComponent(text)))
    const account = ledger[address]
    return {
      address,
      confirmed: account?.confirmed ?? 0n,
      pending: account?.pending ?? 0n,
      count: account === undefined ? 0 : 3
    }
  })
  return (_, { url }) =>
    Effect.map(Clock.currentTimeMillis, (now) => headAt(url, now - age) ?? respond([answer], url, now))
}
