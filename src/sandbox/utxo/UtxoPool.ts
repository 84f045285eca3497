import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as UtxoTransaction from "../../chains/utxo/rawTransactions/UtxoTransaction.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { json, type SimulatedRequest } from "../world/wire.ts"
import type { Past } from "./UtxoChain.ts"
import { isSigned } from "./utxoSignatures.ts"
import { heightAt } from "./utxoUnspent.ts"

// Raw transactions as bitcoind takes them, and as the indexers before it do.

/** An error of bitcoind. */
interface Refusal {
  readonly code: number
  readonly message: string
}

/** The transactions that were sent to a simulated network, and those of its past that lists have named, by hash. */
export interface Pool {
  readonly send: (hex: string) => Effect.Effect<Either.Either<string, Refusal>>
  readonly find: (hash: string) => Either.Either<string, Refusal>
}

/** Transactions that are retained. */
const capacity = 1_000

const undecodable = { code: -22, message: "TX decode failed. Make sure the tx has at least one input." }
const unheard = {
  code: -5,
  message: "No such mempool or blockchain transaction. Use gettransaction for wallet transactions."
}

const unsigned = {
  code: -26,
  message: "mandatory-script-verify-flag-failed (Signature must be zero for failed CHECK(MULTI)SIG operation)"
}

/** Accepts every well-formed transaction whose signatures are valid; what its inputs hold is not checked. */
export const make = ({ hexOf, facts }: Past): Pool => {
  const sent = BoundedMap.make<string, string>({ capacity })
  const find = (hash: string) => sent.get(hash) ?? hexOf(hash)
  return {
    send: (text) =>
      Effect.gen(function* () {
        const checked = UtxoTransaction.check(facts.transactions, facts.name)(text.trim())
        if (Either.isLeft(checked)) return Either.left(undecodable)
        const { hash, hex } = checked.right
        if (hash === undefined) return Either.left(undecodable)
        if (!(yield* isSigned(hex, find, facts.coding.cashaddr !== undefined))) return Either.left(unsigned)
        sent.set(hash, hex)
        return Either.right(hash)
      }),
    find: (hash) => Either.fromNullable(find(hash.toLowerCase()), () => unheard)
  }
}

/** What a kind of upstream does with raw transactions; undefined for all other requests. */
type SpendKind = (pool: Pool, request: SimulatedRequest) => Response | Effect.Effect<Response> | undefined

const blockbook: SpendKind = (pool, { body, path }) => {
  if (path.endsWith("/api/v2/sendtx/"))
    return Effect.map(
      pool.send(body),
      Either.match({
        onLeft: ({ code, message }) => json({ error: `${code}: ${message}` }, 400),
        onRight: (result) => json({ result })
      })
    )
  const [, hash] = /\/api\/v2\/tx\/([^/]+)$/.exec(path) ?? []
  if (hash === undefined) return undefined
  return Either.match(pool.find(hash), {
    onLeft: () => json({ error: `Transaction '${hash}' not found` }, 400),
    onRight: (hex) => json({ txid: hash, hex })
  })
}

const esplora: SpendKind = (pool, { body, method, path }) => {
  if (method === "POST" && path.endsWith("/tx"))
    return Effect.map(
      pool.send(body),
      Either.match({
        onLeft: (refusal) => new Response(`sendrawtransaction RPC error: ${JSON.stringify(refusal)}`, { status: 400 }),
        onRight: (hash) => new Response(hash)
      })
    )
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
  const verdict = Either.match<Refusal, Response, string, Response>({
    onLeft: (error) => answer(error),
    onRight: (result) => answer(null, result)
  })
  if (method === "sendrawtransaction") return Effect.map(pool.send(params[0] ?? ""), verdict)
  return method === "getrawtransaction" ? verdict(pool.find(params[0] ?? "")) : answer(noMethod)
}

const noMethod: Refusal = { code: -32601, message: "Method not found" }

/** By the kind of upstream. */
export const rawTransactionCalls: Readonly<Record<string, SpendKind>> = { blockbook, esplora, rpc: bitcoind }
