import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as calls from "../../chains/utxo/providers/haskoin/calls.ts"
import { answered } from "../world/answers.ts"
import { json, type Simulated } from "../world/wire.ts"
import type { ChainTransaction } from "./UtxoChain.ts"
import {
  answering,
  heightAt,
  inputsOf,
  noHash,
  number,
  ofAddress,
  ofAddresses,
  page,
  timeAt,
  type UtxoLedger,
  upTo
} from "./UtxoIndexer.ts"
import { locking, type RawSide, scriptHex } from "./utxoRaw.ts"

const userError = () => json({ error: "user-error", message: "invalid address" }, 400)

const haskoinSide = (facts: UtxoFacts) => (side: RawSide) => ({
  address: side.address ?? side.key?.address ?? null,
  pkscript: scriptHex(facts, side),
  value: side.amount
})

const haskoinRow = (facts: UtxoFacts) => (row: ChainTransaction) => ({
  txid: row.hash,
  fee: row.fee,
  inputs: inputsOf(
    row,
    (input) => ({ coinbase: false, txid: input.hash, output: input.index, ...haskoinSide(facts)(input) }),
    { coinbase: true, txid: noHash, output: 0xffffffff, value: null, address: null }
  ),
  outputs: row.outputs.map(haskoinSide(facts)),
  block: row.height === undefined ? { mempool: row.time } : { height: row.height, position: 1 },
  deleted: false,
  time: row.time,
  rbf: false
})

/** Haskoin Store. */
export const haskoin = ({ past, pool }: UtxoLedger): Simulated => {
  const about = ofAddress(past, userError)
  return answering([
    answered(calls.transaction, ({ parameters: { hash } }) => {
      const row = pool.row(hash)
      return row === undefined ? json({ error: "not-found", message: "" }, 404) : haskoinRow(past.facts)(row)
    }),
    answered(calls.best, ({ now }) => ({ height: heightAt(now), time: timeAt(now) })),
    answered(
      calls.balance,
      about(({ address, unspent }) => ({ address, utxo: unspent().length }))
    ),
    answered(
      calls.unspent,
      about(({ unspent }, request) =>
        page(unspent(), request, calls.maxOutputs).map(({ address, coinbase, height, time, txid, value, vout }) => ({
          address,
          block: height === undefined ? { mempool: time } : { height, position: coinbase ? 0 : 1 },
          txid,
          index: vout,
          pkscript: locking(past.facts, address).toString("hex"),
          value
        }))
      )
    ),
    answered(
      calls.transactions,
      about(({ listed }, request) => {
        const all = request.query.has("height") ? upTo(listed(), number(request, "height", 0)) : listed()
        return page(all, request, 5_000).map(haskoinRow(past.facts))
      })
    ),
    answered(calls.balances, ({ query }) =>
      ofAddresses(past, (query.get("addresses") ?? "").split(","), userError, (accounts) =>
        accounts.map(({ address, arriving, leaving, received, spent, transactions }) => ({
          address,
          confirmed: received - spent,
          unconfirmed: arriving - leaving,
          utxo: transactions,
          txs: transactions,
          received
        }))
      )
    )
  ])
}
