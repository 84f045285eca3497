import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as calls from "../../chains/utxo/providers/blockcypher/calls.ts"
import { answered } from "../world/answers.ts"
import { json, type Simulated } from "../world/wire.ts"
import type { ChainTransaction } from "./UtxoChain.ts"
import {
  type Account,
  answering,
  confirmations,
  heightAt,
  inputsOf,
  isConfirmed,
  type ListedOutput,
  type ListQuery,
  number,
  ofAddress,
  rateFor,
  timeAt,
  type UtxoLedger
} from "./UtxoIndexer.ts"
import { locking, type RawSide, scriptHex } from "./utxoRaw.ts"

const blockcypherSums = ({ address, arriving, leaving, received, spent, transactions, waiting }: Account) => ({
  address,
  total_received: received,
  total_sent: spent,
  balance: received - spent,
  unconfirmed_balance: arriving - leaving,
  final_balance: received - spent + arriving - leaving,
  n_tx: transactions,
  unconfirmed_n_tx: waiting,
  final_n_tx: transactions + waiting
})

/** Transactions before a height, if given. Mempool transactions are on the first page only. */
const blockcypherPage = (facts: UtxoFacts, account: Account, call: ListQuery) => {
  const all = account.listed()
  const before = number(call, "before", Number.POSITIVE_INFINITY)
  const left = all.filter(({ height = before === Number.POSITIVE_INFINITY ? 0 : before }) => height < before)
  const rows = left.slice(0, Math.min(50, number(call, "limit", 10)))
  const iso = (time: number) => new Date(time * 1000).toISOString().replace(".000Z", "Z")
  const side = ({ address, key }: RawSide) => {
    const only = address ?? key?.address
    return { addresses: only === undefined ? null : [only] }
  }
  // Inputs and outputs of a transaction that are listed; the others are on further pages.
  const most = number(call, "txlimit", 20)
  const cut = (hash: string, kind: "inputs" | "outputs", count: number) =>
    count <= most
      ? {}
      : { [`next_${kind}`]: `https://api.blockcypher.com/v1/txs/${hash}?${kind.slice(0, -1)}start=${most}` }
  return {
    ...blockcypherSums(account),
    ...(rows.length < left.length ? { hasMore: true } : {}),
    txs: rows.map((row) => ({
      hash: row.hash,
      block_height: row.height ?? -1,
      confirmations: confirmations(row.height, call.now),
      fees: row.fee,
      ...(row.height === undefined ? {} : { confirmed: iso(row.time) }),
      // It is first seen before its block.
      received: row.exhibit === undefined ? iso(row.time) : new Date(row.time * 1000 - 412_459).toISOString(),
      double_spend: row.exhibit === "data only",
      vin_sz: Math.max(1, row.inputs.length),
      vout_sz: row.outputs.length,
      inputs: inputsOf(
        { ...row, inputs: row.inputs.slice(0, most) },
        (input) => ({ prev_hash: input.hash, output_index: input.index, output_value: input.amount, ...side(input) }),
        { output_index: -1, script_type: "empty", addresses: null }
      ),
      ...cut(row.hash, "inputs", row.inputs.length),
      outputs: row.outputs
        .slice(0, most)
        .map((output) => ({ value: output.amount, script: scriptHex(facts, output), ...side(output) })),
      ...cut(row.hash, "outputs", row.outputs.length)
    }))
  }
}

type Reference = Pick<ListedOutput, "address" | "height" | "txid" | "value" | "vout"> & { readonly vin?: number }

/** The inputs of an address, which BlockCypher lists beside its outputs unless the query excludes them. */
const spendingOf = (holder: string, all: ReadonlyArray<ChainTransaction>): ReadonlyArray<Reference> =>
  all.flatMap(({ hash, height, inputs }) =>
    inputs.flatMap(({ address, amount }, vin) =>
      address === holder ? [{ address, height, txid: hash, value: amount, vin, vout: -1 }] : []
    )
  )

/** BlockCypher. */
export const blockcypher = ({ past }: UtxoLedger): Simulated => {
  const about = ofAddress(past, (text) => json({ error: `Address ${text} is invalid.` }, 400))
  // The path of this call is empty: it is at the base address.
  const chain = answering([
    answered(calls.chain, ({ now }) => ({
      name: `${past.facts.id}.main`,
      height: heightAt(now),
      time: new Date(1000 * timeAt(now)).toISOString(),
      high_fee_per_kb: rateFor({ now, past }, 2),
      medium_fee_per_kb: rateFor({ now, past }, 6),
      low_fee_per_kb: rateFor({ now, past }, 24)
    }))
  ])
  const others = answering([
    answered(
      calls.unspent,
      about(({ address, listed, unspent }, { now, query }) => {
        const spending = query.get("unspentOnly") === "true" ? [] : spendingOf(address, listed())
        const references: ReadonlyArray<Reference> = [...unspent(), ...spending]
        const rows = (confirmed: boolean) =>
          references
            .filter((reference) => isConfirmed(reference) === confirmed)
            .map(({ address, height, txid, value, vin = -1, vout }) => ({
              tx_hash: txid,
              block_height: height ?? -1,
              tx_input_n: vin,
              tx_output_n: vout,
              value,
              confirmations: confirmations(height, now),
              ...(query.get("includeScript") === "true" ? { script: locking(past.facts, address).toString("hex") } : {})
            }))
        const confirmed = rows(true)
        const txrefs = confirmed.slice(0, Math.min(calls.maxOutputs, number({ query }, "limit", 200)))
        const more = txrefs.length < confirmed.length ? { hasMore: true } : {}
        return { address, txrefs, unconfirmed_txrefs: rows(false), ...more }
      })
    ),
    answered(
      calls.transactions,
      about((account, request) => blockcypherPage(past.facts, account, request))
    ),
    answered(calls.balance, about(blockcypherSums))
  ])
  return (request) => (/\/main\/?$/.test(request.path) ? chain : others)(request)
}
