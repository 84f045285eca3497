import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain } from "../../src/chains/Chain.ts"
import * as blockfrost from "../../src/chains/cardano/providers/blockfrost/calls.ts"
import * as koios from "../../src/chains/cardano/providers/koios/calls.ts"
import type { HistoryPart, HistoryQuery } from "../../src/domain/Transaction.ts"
import { numberOf, seconds } from "../../src/domain/units.ts"
import { answered } from "../../src/sandbox/world/answers.ts"
import { withTexts } from "../support/gaps.ts"
import { answering } from "./cardano.ts"
import { json } from "./http.ts"

/** A transaction of a simulated ledger: a payment to the holder, at a height. */
export interface Paid {
  readonly hash: string
  readonly height: number
  readonly index: number
}

export const hash = (index: number) => index.toString(16).padStart(64, "0")

/** Transactions in consecutive blocks, newest last. */
export const paid = (count: number): ReadonlyArray<Paid> =>
  Array.from({ length: count }, (_, index) => ({ hash: hash(index + 1), height: 12_000_000 + index, index: 0 }))

export const timeOf = (height: number) => seconds(1_750_000_000 + (height - 12_000_000) * 20)

const payer = "addr1v8djv8h2ws084wc92rwau0u73wtnsw8x3fm6uw292npscwsx2xc98"

const output = (address: string, value: number) => ({
  payment_addr: { bech32: address, cred: null },
  stake_addr: null,
  value: String(value),
  asset_list: [],
  tx_hash: null,
  tx_index: null
})

/** Simulated Koios with the transactions of one holder. */
export const koiosOf = (holder: string, all: ReadonlyArray<Paid>) => {
  const listed = (of: string | null | undefined, after: unknown, query: URLSearchParams) =>
    all
      .filter(({ height }) => of === holder && height >= Number(after ?? 0))
      .sort((a, b) => b.height - a.height || (a.hash < b.hash ? -1 : 1))
      .map(({ hash, height }) => ({
        tx_hash: hash,
        epoch_no: 500,
        block_height: height,
        block_time: numberOf(timeOf(height))
      }))
      .slice(0, Number(query.get("limit") ?? 1000))
  const answers = [
    answered(koios.addressTxs, ({ body, query }) => listed(body._addresses?.[0], body._after_block_height, query)),
    answered(koios.accountTxs, ({ query }) =>
      listed(query.get("_stake_address"), query.get("_after_block_height"), query)
    ),
    answered(koios.txInfo, ({ body }) =>
      all
        .filter(({ hash }) => body._tx_hashes?.includes(hash))
        .map(({ hash, height, index }) => ({
          tx_hash: hash,
          block_height: height,
          tx_timestamp: numberOf(timeOf(height)),
          tx_block_index: index,
          fee: "170000",
          deposit: "0",
          inputs: [output(payer, 5_170_000)],
          outputs: [output(holder, 3_000_000), output(payer, 2_000_000)],
          collateral_inputs: [],
          withdrawals: [],
          certificates: [],
          plutus_contracts: []
        }))
    ),
    answered(koios.addressInfo, ({ body }) => (body._addresses ?? []).map((address) => ({ address, balance: "1" }))),
    answered(koios.accountInfo, ({ body }) =>
      (body._stake_addresses ?? []).map((stake_address) => ({ stake_address, utxo: "1", rewards_available: "0" }))
    )
  ]
  return answering(answers, json([]), 1000)
}

/** Simulated Blockfrost with the transactions of one holder. */
export const blockfrostOf = (holder: string, all: ReadonlyArray<Paid>) => {
  const listed = ({ parameters: { address }, query }: Listing) => {
    if (address !== holder) return undefined
    const start = (Number(query.get("page")) - 1) * 100
    const newest = [...all].sort((a, b) => b.height - a.height || b.index - a.index)
    return newest.slice(start, start + 100).map(({ hash, height, index }) => ({
      tx_hash: hash,
      tx_index: index,
      block_height: height,
      block_time: numberOf(timeOf(height))
    }))
  }
  const found = ({ parameters }: Named) => all.find(({ hash }) => hash === parameters.hash)
  const amount = (quantity: number) => [{ unit: "lovelace", quantity: String(quantity) }]
  const answers = [
    answered(blockfrost.addressTransactions, listed),
    answered(blockfrost.accountTransactions, listed),
    answered(blockfrost.utxos, (request) => {
      const transaction = found(request)
      return (
        transaction && {
          hash: transaction.hash,
          inputs: [{ address: payer, amount: amount(5_170_000), collateral: false, reference: false }],
          outputs: [
            { address: holder, amount: amount(3_000_000), collateral: false },
            { address: payer, amount: amount(2_000_000), collateral: false }
          ]
        }
      )
    }),
    answered(blockfrost.transaction, (request) => {
      const transaction = found(request)
      return (
        transaction && {
          hash: transaction.hash,
          block_height: transaction.height,
          block_time: numberOf(timeOf(transaction.height)),
          index: transaction.index,
          fees: "170000",
          deposit: "0",
          withdrawal_count: 0,
          delegation_count: 0,
          valid_contract: true
        }
      )
    })
  ]
  const missing = { status_code: 404, error: "Not Found", message: "The requested component has not been found." }
  return answering(answers, json(missing, { status: 404 }))
}

interface Listing {
  readonly parameters: { readonly address: string }
  readonly query: URLSearchParams
}

interface Named {
  readonly parameters: { readonly hash: string }
}

/** The transaction that both sources return for this payment. */
export const received = (holder: string, { hash, height, index }: Paid) => ({
  hash,
  type: "Receive",
  fee: 170_000n,
  status: "Success",
  timestamp: timeOf(height),
  block: height,
  order: height * 65_536 + index,
  from: [{ address: payer, amount: 3_000_000n }],
  to: [{ address: holder, amount: 3_000_000n }]
})

/** Reads a network's history; dies if it has none. */
export const historyOf = (
  network: Pick<Chain["Type"], "history">,
  query: HistoryQuery
): Effect.Effect<ReturnType<typeof withTexts<HistoryPart>>, unknown> =>
  Option.match(Option.fromNullable(network.history), {
    onNone: () => Effect.dieMessage("this network has no history"),
    onSome: (history) => Effect.map(history(query), withTexts)
  })
