import * as Either from "effect/Either"
import * as calls from "../../chains/utxo/providers/bitcoind/calls.ts"
import type * as Call from "../../upstream/Call.ts"
import { json, type Simulated } from "../world/wire.ts"
import { heightAt, type UtxoLedger } from "./UtxoIndexer.ts"
import type { Refusal } from "./utxoReplacements.ts"

interface BitcoindRequest {
  readonly jsonrpc?: string
  readonly id: unknown
  readonly method: string
  readonly params?: ReadonlyArray<unknown>
}

/** The transactions of the node, and the time of a request. */
interface BitcoindCall extends Pick<UtxoLedger, "pool"> {
  readonly now: number
}

/** Answers a method: with the result, or with the error. */
const answered = <P, B, A, I>(
  { rpc }: Call.RpcCall<P, B, A, I>,
  answer: (call: BitcoindCall, params: Partial<B>) => Either.Either<I, Refusal>
) => [rpc, answer as (call: BitcoindCall, params: unknown) => Either.Either<unknown, Refusal>] as const

const methods = new Map<string, ReturnType<typeof answered>[1]>([
  answered(calls.blockCount, ({ now }) => Either.right(heightAt(now))),
  answered(calls.smartFee, (_, [blocks]) => Either.right({ feerate: 0.00002, blocks: Number(blocks) })),
  answered(calls.mempoolInfo, () => Either.right({ loaded: true, size: 0, mempoolminfee: 0.00001 })),
  answered(calls.submit, ({ now, pool }, [hex]) => pool.send(String(hex ?? ""), now)),
  answered(calls.raw, ({ pool }, [hash]) => pool.find(String(hash ?? "")))
])

/** A request of version 2.0 gets only one of result and error, and status 200 (bitcoind 28, doc/JSON-RPC-interface.md). */
export const bitcoind =
  ({ pool }: UtxoLedger): Simulated =>
  ({ body, now }) => {
    const { id, jsonrpc, method, params = [] } = JSON.parse(body) as BitcoindRequest
    const isNew = jsonrpc === "2.0"
    const refused = (error: unknown, status: number) =>
      isNew ? json({ jsonrpc, error, id }) : json({ result: null, error, id }, status)
    const answer = methods.get(method)?.({ now, pool }, params)
    if (answer === undefined) return refused({ code: -32601, message: "Method not found" }, 404)
    return Either.match(answer, {
      onLeft: (error) => refused(error, 500),
      onRight: (result) => json(isNew ? { jsonrpc, result, id } : { result, error: null, id })
    })
  }
