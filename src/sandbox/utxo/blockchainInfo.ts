import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as calls from "../../chains/utxo/providers/blockchaininfo/calls.ts"
import { answered } from "../world/answers.ts"
import { json, type Simulated } from "../world/wire.ts"
import type { ChainTransaction } from "./UtxoChain.ts"
import {
  answering,
  heightAt,
  inputsOf,
  number,
  ofAddress,
  ofAddresses,
  page,
  timeAt,
  type UtxoLedger
} from "./UtxoIndexer.ts"
import { type RawSide, scriptHex } from "./utxoRaw.ts"

const refused = (error: string, status: number) => () => json({ error, message: "Invalid Bitcoin Address" }, status)

const blockchainInfoIndex = (hash: string) => Number.parseInt(hash.slice(0, 13), 16)

const blockchainInfoSide = (facts: UtxoFacts, side: RawSide, hash: string, n: number) => {
  const addr = side.address ?? side.key?.address
  return {
    n,
    tx_index: blockchainInfoIndex(hash),
    ...(addr === undefined ? {} : { addr }),
    script: scriptHex(facts, side),
    value: side.amount
  }
}

const blockchainInfoRow = (facts: UtxoFacts) => (row: ChainTransaction) => ({
  hash: row.hash,
  tx_index: blockchainInfoIndex(row.hash),
  fee: row.fee,
  vin_sz: Math.max(1, row.inputs.length),
  vout_sz: row.outputs.length,
  time: row.time,
  block_height: row.height ?? null,
  inputs: inputsOf(
    row,
    (input, index) => ({ index, prev_out: blockchainInfoSide(facts, input, input.hash, input.index) }),
    { index: 0, prev_out: null }
  ),
  out: row.outputs.map((output, n) => blockchainInfoSide(facts, output, row.hash, n))
})

/** blockchain.info. */
export const blockchainInfo = ({ past }: UtxoLedger): Simulated => {
  const about = ofAddress(past, refused("item-not-found", 404))
  return answering([
    answered(
      calls.transactions,
      about(({ address, listed }, request) => {
        const all = listed()
        return { address, n_tx: all.length, txs: page(all, request, 50, 50).map(blockchainInfoRow(past.facts)) }
      })
    ),
    answered(calls.addresses, ({ now, query }) =>
      ofAddresses(
        past,
        (query.get("active") ?? "").split("|"),
        refused("invalid-bitcoin-address", 400),
        (accounts) => ({
          addresses: accounts.map(({ address, arriving, leaving, received, spent, transactions, waiting }) => ({
            address,
            final_balance: received - spent + arriving - leaving,
            n_tx: transactions + waiting,
            total_received: received + arriving,
            total_sent: spent + leaving
          })),
          info: { latest_block: { height: heightAt(now), time: timeAt(now) } },
          txs: accounts
            .flatMap(({ listed }) => listed())
            .toSorted((a, b) => b.time - a.time)
            .slice(0, Math.min(100, number({ query }, "n", 50)))
            .map(blockchainInfoRow(past.facts))
        })
      )
    )
  ])
}
