import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as calls from "../../chains/utxo/providers/blockbook/calls.ts"
import { type Answered, answered } from "../world/answers.ts"
import { json, type Simulated } from "../world/wire.ts"
import type { ChainTransaction } from "./UtxoChain.ts"
import * as UtxoChain from "./UtxoChain.ts"
import {
  type Account,
  answering,
  confirmations,
  heightAt,
  inputsOf,
  isConfirmed,
  type ListQuery,
  number,
  ofAddress,
  rateFor,
  timeAt,
  type UtxoLedger,
  unspentOf,
  upTo
} from "./UtxoIndexer.ts"
import { type RawSide, scriptHex } from "./utxoRaw.ts"

const blockbookSide = ({ address, amount, key }: RawSide, n: number) => ({
  n,
  addresses: [address ?? key?.address ?? "OP_RETURN (sandbox)"],
  isAddress: address !== undefined,
  value: String(amount)
})

type BlockbookInput = Partial<ReturnType<typeof blockbookSide>> & {
  readonly isAddress: boolean
  readonly txid?: string
  readonly vout?: number
  readonly coinbase?: string
}

const blockbookRow = (facts: UtxoFacts, row: ChainTransaction, now: number) => ({
  txid: row.hash,
  hex: row.hex,
  // An index of 0 is left out.
  vin: inputsOf<BlockbookInput, BlockbookInput>(
    row,
    (input, n) => ({
      txid: input.hash,
      ...(input.index === 0 ? {} : { vout: input.index }),
      ...blockbookSide(input, n)
    }),
    { n: 0, isAddress: false, coinbase: "00", value: "0" }
  ),
  vout: row.outputs.map((side, n) => ({ ...blockbookSide(side, n), hex: scriptHex(facts, side) })),
  blockHeight: row.height ?? -1,
  confirmations: confirmations(row.height, now),
  blockTime: row.time,
  fees: String(row.fee)
})

/** In the form of some versions: without `hex` and inputs of new coins, and with marks of own parties. */
const rareBlockbookRow = (holder: string, { hex: _, ...row }: ReturnType<typeof blockbookRow>) => {
  const marked = <A extends { readonly addresses?: ReadonlyArray<string> }>(side: A) =>
    side.addresses?.[0] === holder ? { ...side, isOwn: true } : side
  return { ...row, vin: row.vin.filter(({ txid }) => txid !== undefined).map(marked), vout: row.vout.map(marked) }
}

/** A request with the chain that it is about. */
interface OfBlockbook extends ListQuery {
  readonly past: UtxoChain.Past
}

const blockbookPage = (
  { address, listed }: Account,
  call: OfBlockbook
): Schema.Schema.Encoded<typeof calls.transactions.response> => {
  const all = listed()
  const ranged = call.query.has("to")
  const found = ranged ? upTo(all, number(call, "to", 0)) : all
  const confirmed = found.filter(isConfirmed)
  const size = Math.min(1_000, number(call, "pageSize", 1_000))
  const totalPages = Math.max(1, Math.ceil(confirmed.length / size))
  const page = Math.min(totalPages, Math.max(1, number(call, "page", 1)))
  const waiting = page === 1 ? found.filter((row) => !isConfirmed(row)) : []
  return {
    page,
    // Blockbook does not count pages for a block range.
    totalPages: ranged && confirmed.length >= page * size ? -1 : totalPages,
    itemsOnPage: size,
    address,
    txs: all.filter(isConfirmed).length,
    transactions: [...waiting, ...confirmed.slice((page - 1) * size, page * size)].map((row) => {
      const usual = blockbookRow(call.past.facts, row, call.now)
      return row.exhibit === undefined ? usual : rareBlockbookRow(address, usual)
    }),
    ...listedTokens(address, call)
  }
}

/** Extended keys are longer than all addresses. */
const listedTokens = (address: string, call: OfBlockbook) =>
  address.length > 100
    ? {
        usedTokens: UtxoChain.addressesOf(call.past.facts, address).length,
        tokens: tokensOf(address, call).map((name) => ({ type: "XPUBAddress", name }))
      }
    : {}

/** Addresses of an extended public key, by default only those with a balance. */
const tokensOf = (address: string, { past, query }: OfBlockbook) => {
  const used = UtxoChain.addressesOf(past.facts, address)
  const funded = new Set(unspentOf(past, address).map((output) => output.address))
  return query.has("tokens") ? used : used.filter((name) => funded.has(name))
}

const blockbookAccount = (account: Account, call: OfBlockbook) => {
  const { address, arriving, leaving, listed, received, spent, transactions, waiting } = account
  const sums = {
    balance: String(received - spent),
    totalReceived: String(received),
    totalSent: String(spent),
    unconfirmedBalance: String(arriving - leaving),
    unconfirmedTxs: waiting
  }
  if (call.query.get("details") === "txs") return { ...sums, ...blockbookPage(account, call) }
  return {
    page: 1,
    totalPages: 1,
    itemsOnPage: 1000,
    address,
    ...sums,
    txs: transactions,
    ...(call.query.get("details") === "basic"
      ? {}
      : call.query.get("details") === "tokens"
        ? listedTokens(address, call)
        : {
            txids: listed()
              .slice(0, 1_000)
              .map(({ hash }) => hash)
          })
  }
}

/** Blockbook. */
export const blockbook = (ledger: UtxoLedger): Simulated => {
  const about = ofAddress(ledger.past, () => json({ error: "Invalid address, checksum mismatch" }, 400))
  const accounts = about((account, { now, query }) => blockbookAccount(account, { past: ledger.past, now, query }))
  return answering([
    ...transactionAnswers(ledger),
    answered(
      calls.utxos,
      about(({ address: holder, unspent }, { now }) =>
        unspent().map(({ address, coinbase, height, txid, value, vout }, index) => ({
          txid,
          vout,
          value: String(value),
          ...(height === undefined ? {} : { height }),
          confirmations: confirmations(height, now),
          ...(coinbase ? { coinbase } : {}),
          ...(holder === address ? {} : { address, path: `m/84'/2'/0'/0/${index}` })
        }))
      )
    ),
    answered(calls.balance, (request) => {
      const { kind } = request.parameters
      return kind === "address" || kind === "xpub" ? accounts(request) : undefined
    })
  ])
}

const transactionAnswers = ({ past, pool }: UtxoLedger): ReadonlyArray<Answered> => [
  answered(calls.status, ({ now }) => ({
    blockbook: { bestHeight: heightAt(now), lastBlockTime: new Date(1000 * timeAt(now)).toISOString() }
  })),
  answered(calls.estimate, ({ now, parameters: { blocks } }) => ({
    result: (rateFor({ now, past }, Number(blocks)) / 1e8).toFixed(8)
  })),
  answered(calls.submit, ({ now, text }) =>
    Either.match(pool.send(text, now), {
      onLeft: ({ code, message }) => json({ error: `${code}: ${message}` }, 400),
      onRight: (result) => ({ result })
    })
  ),
  answered(calls.transaction, ({ now, parameters: { hash } }) =>
    Either.match(pool.find(hash), {
      onLeft: () => json({ error: `Transaction '${hash}' not found` }, 400),
      onRight: (hex) => {
        const row = pool.row(hash)
        // One that changes nothing is only known by its bytes.
        if (row === undefined) return json({ txid: hash, hex })
        const [found, { sequences, weight }] = [blockbookRow(past.facts, row, now), pool.sizesOf(row)]
        const vin = found.vin.map((input, n) => ({ ...input, sequence: sequences[n] }))
        return { ...found, vin, vsize: Math.ceil(weight / 4) }
      }
    })
  )
]
