import * as Either from "effect/Either"
import * as calls from "../../chains/utxo/providers/bitcoind/calls.ts"
import { answeredRpc, type RpcAnswered, rpcAnswerOf } from "../world/answers.ts"
import { json, type Simulated } from "../world/wire.ts"
import { heightAt, type UtxoLedger } from "./UtxoIndexer.ts"

interface BitcoindRequest {
  readonly jsonrpc?: string
  readonly id: unknown
  readonly method: string
  readonly params?: ReadonlyArray<unknown>
}

const answersOf = ({ pool }: UtxoLedger): ReadonlyArray<RpcAnswered> => [
  answeredRpc(calls.blockCount, ({ now }) => heightAt(now)),
  answeredRpc(calls.smartFee, ({ params: [blocks] }) => ({ feerate: 0.00002, blocks: Number(blocks) })),
  answeredRpc(calls.mempoolInfo, () => ({ loaded: true, size: 0, mempoolminfee: 0.00001 })),
  answeredRpc(calls.submit, ({ now, params: [hex] }) => pool.send(String(hex ?? ""), now)),
  answeredRpc(calls.raw, ({ params: [hash] }) => pool.find(String(hash ?? "")))
]

/** A request of version 2.0 gets only one of result and error, and status 200 (bitcoind 28, doc/JSON-RPC-interface.md). */
export const bitcoind = (ledger: UtxoLedger): Simulated => {
  const answers = answersOf(ledger)
  return ({ body, now }) => {
    const { id, jsonrpc, method, params = [] } = JSON.parse(body) as BitcoindRequest
    const isNew = jsonrpc === "2.0"
    const refused = (error: unknown, status: number) =>
      isNew ? json({ jsonrpc, error, id }) : json({ result: null, error, id }, status)
    const result = rpcAnswerOf(answers, method, params, now)
    if (result === undefined) return refused({ code: -32601, message: "Method not found" }, 404)
    return Either.match(Either.isEither(result) ? result : Either.right(result), {
      onLeft: (error) => refused(error, 500),
      onRight: (result) => json(isNew ? { jsonrpc, result, id } : { result, error: null, id })
    })
  }
}
