import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain } from "../../src/chains/Chain.ts"
import type { HistoryPart, HistoryQuery } from "../../src/domain/Transaction.ts"
import { seconds } from "../../src/domain/units.ts"
import { withTexts } from "../support/gaps.ts"
import { pathOf } from "./cardano.ts"
import { json, type Reply, type SentRequest } from "./http.ts"

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
  asset_list: []
})

/** Simulated Koios with the transactions of one holder. */
export const koiosOf =
  (holder: string, all: ReadonlyArray<Paid>) =>
  (request: SentRequest): Reply => {
    if (new TextEncoder().encode(request.body).length > 1000) return json({ message: "too large" }, { status: 413 })
    const body = request.body === "" ? {} : JSON.parse(request.body)
    const query = request.url.searchParams
    switch (pathOf(request)) {
      case "/address_txs":
      case "/account_txs": {
        const after = Number(body._after_block_height ?? query.get("_after_block_height") ?? 0)
        const of: string = body._addresses?.[0] ?? query.get("_stake_address")
        const rows = all
          .filter(({ height }) => of === holder && height >= after)
          .sort((a, b) => b.height - a.height || (a.hash < b.hash ? -1 : 1))
          .map(({ hash, height }) => ({
            tx_hash: hash,
            epoch_no: 500,
            block_height: height,
            block_time: timeOf(height)
          }))
        return json(rows.slice(0, Number(query.get("limit") ?? 1000)))
      }
      case "/tx_info":
        return json(
          all
            .filter(({ hash }) => body._tx_hashes.includes(hash))
            .map((item) => ({
              tx_hash: item.hash,
              block_height: item.height,
              tx_timestamp: timeOf(item.height),
              tx_block_index: item.index,
              fee: "170000",
              deposit: "0",
              inputs: [output(payer, 5_170_000)],
              outputs: [output(holder, 3_000_000), output(payer, 2_000_000)],
              collateral_inputs: [],
              withdrawals: [],
              certificates: [],
              plutus_contracts: []
            }))
        )
      case "/tip":
        return json([{ block_no: 12_100_000, block_time: timeOf(12_100_000) }])
      default:
        return json([
          {
            address: body._addresses?.[0],
            stake_address: body._stake_addresses?.[0],
            balance: "1",
            utxo: "1",
            rewards_available: "0"
          }
        ])
    }
  }

/** Simulated Blockfrost with the transactions of one holder. */
export const blockfrostOf =
  (holder: string, all: ReadonlyArray<Paid>) =>
  (request: SentRequest): Reply => {
    const [, kind, id, what] = pathOf(request).split("/")
    const query = request.url.searchParams
    const missing = json(
      { status_code: 404, error: "Not Found", message: "The requested component has not been found." },
      { status: 404 }
    )
    if (what === "transactions") {
      if (id !== holder) return missing
      const start = (Number(query.get("page")) - 1) * 100
      const newest = [...all].sort((a, b) => b.height - a.height || b.index - a.index)
      return json(
        newest.slice(start, start + 100).map(({ hash, height, index }) => ({
          tx_hash: hash,
          tx_index: index,
          block_height: height,
          block_time: timeOf(height)
        }))
      )
    }
    const item = all.find(({ hash }) => hash === id)
    if (kind !== "txs" || item === undefined) return missing
    const amount = (quantity: number) => [{ unit: "lovelace", quantity: String(quantity) }]
    return json(
      what === "utxos"
        ? {
            hash: item.hash,
            inputs: [{ address: payer, amount: amount(5_170_000), collateral: false, reference: false }],
            outputs: [
              { address: holder, amount: amount(3_000_000), collateral: false },
              { address: payer, amount: amount(2_000_000), collateral: false }
            ]
          }
        : {
            hash: item.hash,
            block_height: item.height,
            block_time: timeOf(item.height),
            index: item.index,
            fees: "170000",
            deposit: "0",
            withdrawal_count: 0,
            delegation_count: 0,
            valid_contract: true
          }
    )
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
