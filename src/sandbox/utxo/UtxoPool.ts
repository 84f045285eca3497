import * as Either from "effect/Either"
import * as UtxoTransaction from "../../chains/utxo/rawTransactions/UtxoTransaction.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { json, type SimulatedRequest } from "../world/wire.ts"
import type { Past } from "./UtxoChain.ts"
import { heightAt } from "./utxoUnspent.ts"

// Raw transactions as bitcoind takes them, and as the indexers before it do.

/** An error of bitcoind. */
interface Refusal {
  readonly code: number
  readonly message: string
}

/** The transactions that were sent to a simulated network, and those of its past that lists have named, by hash. */
export interface Pool {
  readonly send: (hex: string) => Either.Either<string, Refusal>
  readonly find: (hash: string) => Either.Either<string, Refusal>
}

/** Transactions that are retained. */
const capacity = 1_000

const undecodable = { code: -22, message: "TX decode failed. Make sure the tx has at least one input." }
const unheard = {
  code: -5,
  message: "No such mempool or blockchain transaction. Use gettransaction for wallet transactions."
}

/** Accepts every well-formed transaction: the amounts of its inputs are not known. */
export const make = ({ hexOf, facts }: Past): Pool => {
  const sent = BoundedMap.make<string, string>({ capacity })
  return {
    send: (hex) =>
      Either.match(UtxoTransaction.check(facts.transactions, facts.name)(hex.trim()), {
        onLeft: () => Either.left(undecodable),
        onRight: ({ hash, hex }) => {
          if (hash === undefined) return Either.left(undecodable)
          sent.set(hash, hex)
          return Either.right(hash)
        }
      }),
    find: (hash) => Either.fromNullable(sent.get(hash.toLowerCase()) ?? hexOf(hash.toLowerCase()), () => unheard)
  }
}

/** What a kind of upstream does with raw transactions; undefined for all other requests. */
type SpendKind = (pool: Pool, request: SimulatedRequest) => Response | undefined

const blockbook: SpendKind = (pool, { body, path }) => {
  if (path.endsWith("/api/v2/sendtx/"))
    return Either.match(pool.send(body), {
      onLeft: ({ code, message }) => json({ error: `${code}: ${message}` }, 400),
      onRight: (result) => json({ result })
    })
  const [, hash] = /\/api\/v2\/tx\/([^/]+)$/.exec(path) ?? []
  if (hash === undefined) return undefined
  return Either.match(pool.find(hash), {
    onLeft: () => json({ error: `Transaction '${hash}' not found` }, 400),
    onRight: (hex) => json({ txid: hash, hex })
  })
}

const esplora: SpendKind = (pool, { body, method, path }) => {
  if (method === "POST" && path.endsWith("/tx"))
    return Either.match(pool.send(body), {
      onLeft: (refusal) => new Response(`sendrawtransaction RPC error: ${JSON.stringify(refusal)}`, { status: 400 }),
      onRight: (hash) => new Response(hash)
    })
  const [, hash] = /\/tx\/([^/]+)\/hex$/.exec(path) ?? []
  if (hash === undefined) return undefined
  return Either.match(pool.find(hash), {
    onLeft: () => new Response("Transaction not found", { status: 404 }),
    onRight: (hex) => new Response(hex)
  })
}

const bitcoind: SpendKind = (pool, { body, now }) => {
  const { id, method, params } = JSON.parse(body) as {
    readonly id: unknown
    readonly method: string
    readonly params: ReadonlyArray<string>
  }
  const answer = (error: Refusal | null, result: unknown = null) =>
    json({ result, error, id }, error === null ? 200 : error === noMethod ? 404 : 500)
  if (method === "getblockcount") return answer(null, heightAt(now))
  if (method === "estimatesmartfee") return answer(null, { feerate: 0.00002, blocks: Number(params[0]) })
  if (method === "getmempoolinfo") return answer(null, { loaded: true, size: 0, mempoolminfee: 0.00001 })
  const call = method === "sendrawtransaction" ? pool.send : method === "getrawtransaction" ? pool.find : undefined
  return call === undefined
    ? answer(noMethod)
    : Either.match(call(params[0] ?? ""), {
        onLeft: (error) => answer(error),
        onRight: (result) => answer(null, result)
      })
}

const noMethod: Refusal = { code: -32601, message: "Method not found" }

/** By the kind of upstream. */
export const rawTransactionCalls: Readonly<Record<string, SpendKind>> = { blockbook, esplora, rpc: bitcoind }
