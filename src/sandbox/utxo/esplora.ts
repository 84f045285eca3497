import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as calls from "../../chains/utxo/providers/esplora/calls.ts"
import * as Call from "../../upstream/Call.ts"
import { type Answered, answered } from "../world/answers.ts"
import type { Simulated } from "../world/wire.ts"
import type { ChainTransaction } from "./UtxoChain.ts"
import {
  type About,
  type Account,
  answering,
  heightAt,
  inputsOf,
  isConfirmed,
  type ListedOutput,
  noHash,
  ofAddress,
  rateFor,
  timeAt,
  type UtxoLedger
} from "./UtxoIndexer.ts"
import { type RawSide, scriptHex } from "./utxoRaw.ts"

const esploraOutput = (facts: UtxoFacts) => (side: RawSide) => {
  const { address, amount, key } = side
  const scriptpubkey = scriptHex(facts, side)
  if (key !== undefined) return { scriptpubkey, scriptpubkey_type: "p2pk", value: amount }
  return {
    scriptpubkey,
    scriptpubkey_type: address === undefined ? "op_return" : "unknown",
    ...(address === undefined ? {} : { scriptpubkey_address: address }),
    value: amount
  }
}

const esploraStatus = ({ height, time }: Pick<ListedOutput, "height" | "time">) =>
  height === undefined
    ? { confirmed: false as const }
    : { confirmed: true as const, block_height: height, block_time: time }

/** With members that some versions have: those of spent outputs beside them, and empty addresses of data outputs. */
const rareEsploraRow = (row: ReturnType<typeof esploraRow>) => ({
  ...row,
  vin: Arr.map(row.vin, (input) => {
    const { scriptpubkey, scriptpubkey_address, value } = input.prevout ?? {}
    return value === undefined ? input : { ...input, scriptpubkey, scriptpubkey_address, value }
  }),
  vout: row.vout.map((output) =>
    output.scriptpubkey_type === "op_return" ? { ...output, scriptpubkey_address: "" } : output
  )
})

const esploraRow = (facts: UtxoFacts, row: ChainTransaction) => ({
  txid: row.hash,
  version: 2,
  fee: row.fee,
  vin: inputsOf(
    row,
    (input) => ({ txid: input.hash, vout: input.index, prevout: esploraOutput(facts)(input), is_coinbase: false }),
    { txid: noHash, vout: 0xffffffff, prevout: null, is_coinbase: true }
  ),
  vout: row.outputs.map(esploraOutput(facts)),
  status: esploraStatus(row),
  ...(row.height === undefined ? { firstSeen: row.time } : {})
})

const shownByEsplora = (facts: UtxoFacts) => (row: ChainTransaction) =>
  row.exhibit === undefined ? esploraRow(facts, row) : rareEsploraRow(esploraRow(facts, row))

type Rows = ReadonlyArray<ChainTransaction>

/** The same transactions, with those of each block in another order. */
const reordered = (all: Rows, order: (block: Rows) => Rows): Rows =>
  [...Map.groupBy(all, ({ height }) => height).values()].flatMap(order)

/** A page of an indexer over an Electrum server: an unknown transaction is the start. */
const electrumPage = (all: Rows, after: string | undefined) => {
  const rows = reordered(all, (block) => block.toReversed())
  const from = rows.findIndex(({ hash }) => hash === after) + 1
  return rows.slice(from, from + 10)
}

/** A page of an indexer with its own index, which sorts the transactions of a block by their hashes. */
const electrsPage = (all: Rows, after: string | undefined) => {
  const confirmed = reordered(all.filter(isConfirmed), (block) => block.toSorted((a, b) => (a.hash < b.hash ? 1 : -1)))
  if (after === undefined) return [...all.filter((row) => !isConfirmed(row)).slice(0, 50), ...confirmed.slice(0, 25)]
  const last = confirmed.findIndex(({ hash }) => hash === after)
  return last < 0 ? [] : confirmed.slice(last + 1, last + 26)
}

/** An Electrum server has no counts and totals: the remaining amount counts as funded. */
const electrumAccount = ({ address, arriving, leaving, received, spent, transactions, waiting }: Account) => {
  const stats = (count: number, left: bigint) => ({
    funded_txo_count: 0,
    funded_txo_sum: left > 0n ? left : 0n,
    spent_txo_count: 0,
    spent_txo_sum: left < 0n ? -left : 0n,
    tx_count: count
  })
  return {
    address,
    chain_stats: stats(transactions, received - spent),
    mempool_stats: stats(waiting, arriving - leaving),
    electrum: true
  }
}

/** Esplora, with the members that its adapter reads. */
export const esplora = (ledger: UtxoLedger): Simulated => {
  const about = ofAddress(ledger.past, () => new Response("Invalid Bitcoin address", { status: 400 }))
  return answering([...blockAnswers(ledger), ...transactionAnswers(ledger), ...addressAnswers(ledger, about)])
}

/** The adapter reads the hash instead. */
const tipHeight = Call.get("/blocks/tip/height", { response: Schema.String })

const blockAnswers = ({ past }: UtxoLedger): ReadonlyArray<Answered> => [
  answered(calls.tip, ({ now }) => heightAt(now).toString(16).padStart(64, "0")),
  answered(tipHeight, ({ now }) => String(heightAt(now))),
  answered(calls.block, ({ now }) => ({ height: heightAt(now), timestamp: timeAt(now) })),
  answered(calls.recommended, ({ now }) => {
    // Base units per virtual byte, rounded up as by mempool.space.
    const of = (blocks: number) => Math.ceil(rateFor({ now, past }, blocks) / 1000)
    return { fastestFee: of(2), halfHourFee: of(3), hourFee: of(6), economyFee: of(24), minimumFee: 1 }
  })
]

const notFound = () => new Response("Transaction not found", { status: 404 })

/** The sent transaction that spends an output (`hash:index`). */
const spendingOf = (pool: UtxoLedger["pool"], output: string) => {
  const txid = pool.spenderOf(output)
  return txid === undefined
    ? { spent: false }
    : { spent: true, txid, vin: 0, status: { confirmed: pool.row(txid)?.height !== undefined } }
}

const transactionAnswers = ({ past: { facts }, pool }: UtxoLedger): ReadonlyArray<Answered> => [
  answered(calls.submit, ({ now, text }) =>
    Either.match(pool.send(text, now), {
      onLeft: (refusal) => new Response(`sendrawtransaction RPC error: ${JSON.stringify(refusal)}`, { status: 400 }),
      onRight: (hash) => hash
    })
  ),
  answered(calls.transaction, ({ parameters: { hash } }) => {
    const row = pool.row(hash)
    if (row === undefined) return notFound()
    const [found, { sequences, weight }] = [shownByEsplora(facts)(row), pool.sizesOf(row)]
    return { ...found, weight, vin: Arr.map(found.vin, (input, n) => ({ ...input, sequence: sequences[n] })) }
  }),
  answered(calls.outspends, ({ parameters: { hash } }) => {
    const row = pool.row(hash)
    if (row === undefined) return notFound()
    return row.outputs.map((_, index) => spendingOf(pool, `${hash}:${index}`))
  }),
  answered(calls.outspend, ({ parameters: { hash, index } }) => spendingOf(pool, `${hash}:${index}`)),
  answered(calls.hex, ({ parameters: { hash } }) =>
    Either.match(pool.find(hash), { onLeft: notFound, onRight: (hex) => hex })
  )
]

const addressAnswers = ({ past: { facts } }: UtxoLedger, about: About): ReadonlyArray<Answered> => {
  // The public indexers of Bitcoin Cash have an Electrum server.
  const isElectrum = facts.coding.cashaddr !== undefined
  const page = (all: Rows, after?: string) =>
    (isElectrum ? electrumPage : electrsPage)(all, after).map(shownByEsplora(facts))
  return [
    answered(
      calls.utxos,
      about(({ unspent }) =>
        unspent().map((output) => ({
          txid: output.txid,
          vout: output.vout,
          value: output.value,
          status: esploraStatus(output)
        }))
      )
    ),
    answered(
      calls.transactions,
      about(({ listed }) => page(listed()))
    ),
    answered(calls.olderTransactions, (request) =>
      about(({ listed }) => page(listed(), request.parameters.after))(request)
    ),
    answered(
      calls.address,
      about((account) => {
        const { address, arriving, isMuseum, leaving, received, spent, transactions, waiting } = account
        if (isMuseum && isElectrum) return electrumAccount(account)
        const stats = (count: number, funded: bigint, out: bigint) => ({
          funded_txo_count: count,
          funded_txo_sum: funded,
          spent_txo_count: Math.floor(count / 2),
          spent_txo_sum: out,
          tx_count: count
        })
        return {
          address,
          chain_stats: stats(transactions, received, spent),
          mempool_stats: stats(waiting, arriving, leaving)
        }
      })
    )
  ]
}
