import * as Either from "effect/Either"
import { json, type Simulated } from "../world/wire.ts"
import { heightAt, type UtxoLedger } from "./UtxoIndexer.ts"
import type { Refusal } from "./utxoReplacements.ts"

interface BitcoindRequest {
  readonly jsonrpc?: string
  readonly id: unknown
  readonly method: string
  readonly params?: ReadonlyArray<string>
}

/** The transactions of the node, and the time of a request. */
interface BitcoindCall extends Pick<UtxoLedger, "pool"> {
  readonly now: number
}

/** Methods of bitcoind: the result, or the error. */
const methods: Readonly<Record<string, (call: BitcoindCall, first: string) => Either.Either<unknown, Refusal>>> = {
  getblockcount: ({ now }) => Either.right(heightAt(now)),
  estimatesmartfee: (_, blocks) => Either.right({ feerate: 0.00002, blocks: Number(blocks) }),
  getmempoolinfo: () => Either.right({ loaded: true, size: 0, mempoolminfee: 0.00001 }),
  sendrawtransaction: ({ now, pool }, hex) => pool.send(hex, now),
  getrawtransaction: ({ pool }, hash) => pool.find(hash)
}

/** A request of version 2.0 gets only one of result and error, and status 200 (bitcoind 28, doc/JSON-RPC-interface.md). */
export const bitcoind =
  ({ pool }: UtxoLedger): Simulated =>
  ({ body, now }) => {
    const { id, jsonrpc, method, params = [] } = JSON.parse(body) as BitcoindRequest
    const isNew = jsonrpc === "2.0"
    const refused = (error: unknown, status: number) =>
      isNew ? json({ jsonrpc, error, id }) : json({ result: null, error, id }, status)
    const answer = methods[method]?.({ now, pool }, String(params[0] ?? ""))
    if (answer === undefined) return refused({ code: -32601, message: "Method not found" }, 404)
    return Either.match(answer, {
      onLeft: (error) => refused(error, 500),
      onRight: (result) => json(isNew ? { jsonrpc, result, id } : { result, error: null, id })
    })
  }
