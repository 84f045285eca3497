import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import * as TronAddress from "../../chains/tron/TronAddress.ts"
import { type LedgerFacts, ledger, type Move, pendingMoves } from "../world/ledger.ts"
import type { Remembered } from "../world/memoized.ts"
import * as World from "../world/World.ts"
import { contractJson, hexOf } from "./tronRaw.ts"

/** Height of the latest block at a time in ms; one every three seconds. */
export const newestBlock = (now: number): number => Math.floor(now / 3_000) - 520_000_000

/** Block id; starts with the height. */
export const blockOf = (number: number): string =>
  number.toString(16).padStart(16, "0") + createHash("sha256").update(`tron ${number}`).digest("hex").slice(16)

/** Response of `/wallet/getblock`, without transactions. */
export const blockAt = (now: number) => {
  const number = newestBlock(now)
  return {
    blockID: blockOf(number),
    block_header: { raw_data: { number, timestamp: Math.floor(now / 3_000) * 3_000, version: 32 } }
  }
}

/** An incoming transfer that is in no block yet: of half of the used addresses, and another one every ten minutes. */
const arriving = (facts: LedgerFacts, address: string, now: number): ReadonlyArray<Move> => {
  if (World.randomIn(facts, "arrives", address) < 0.5 || ledger(facts, address).length === 0) return []
  const at = 600 * Math.floor(now / 600_000)
  const id = createHash("sha256").update(`arrives ${address} ${at}`).digest("hex")
  const amount = 1n + BigInt(`0x${id.slice(0, 6)}`)
  return [{ id, at, direction: "in", amount, fee: 268_000n, failed: false, seed: id, isPending: true }]
}

interface TronPast {
  readonly facts: LedgerFacts
  readonly now: number
  /** Transactions that a list has returned. */
  readonly past: Remembered<Move>
}

/** Response of `/wallet/gettransactioninfobyid` for a past transaction. */
export const info = (move: Move | undefined) =>
  move === undefined || move.isPending === true ? {} : infoOf(move.id, move.at, move.fee, move.failed)

/** Response of `/wallet/gettransactioninfobyid` for a transaction in the block of this time, in seconds. */
export const infoOf = (id: string, at: number, fee: bigint, failed: boolean) => ({
  id,
  ...(fee === 0n ? {} : { fee: Number(fee) }),
  blockNumber: newestBlock(at * 1000),
  blockTimeStamp: at * 1000,
  ...(failed ? { result: "FAILED", receipt: { result: "REVERT" } } : { receipt: {} })
})

/** Response of `/wallet/gettransactionbyid` for a past transaction, without its raw data. */
export const known = (move: Move | undefined, id: string) =>
  move === undefined ? {} : { txID: id, raw_data: { expiration: move.at * 1000 + 86_400_000 } }

/** A page of TronGrid's lists, newest first: 20 rows by default, at most 200. */
export const listed = ({ facts, now, past }: TronPast, address: string, list: string, query: URLSearchParams) => {
  const limit = Math.min(Number(query.get("limit") ?? 20), 200)
  const from = Number(query.get("fingerprint")?.slice(2) ?? 0)
  const since = Number(query.get("min_timestamp") ?? 0)
  const until = Number(query.get("max_timestamp") ?? Number.POSITIVE_INFINITY)
  const moves = [...ledger(facts, address), ...arriving(facts, address, now), ...pendingMoves(facts, address)]
  for (const move of moves) past.set(move.id, move)
  const rows = moves
    .reverse()
    .filter(({ at }) => at * 1000 >= since && at * 1000 <= until)
    .flatMap((move) => (list === "transactions" ? transactionRows(address, move) : transfers(address, move)))
  const data = rows.slice(from, from + limit)
  const fingerprint = `fp${from + limit}`
  const next = `https://api.trongrid.io/v1/accounts/${address}/${list}?fingerprint=${fingerprint}`
  return {
    data,
    success: true,
    meta: {
      at: now,
      page_size: data.length,
      ...(rows.length > from + limit ? { fingerprint, links: { next } } : {})
    }
  }
}

/** Counterparty; the zero address mints tokens. */
const otherOf = ({ counterparty, kind, seed }: Move) =>
  counterparty ??
  Either.getOrElse(TronAddress.parse(`41${kind === "mint" ? "0".repeat(40) : seed.slice(0, 40)}`), () => "")

/** Call data of the transactions that are no transfers: a payable `deposit()`, `approve`, and a router's swap. */
const dataOf = (move: Move) => {
  if (move.kind === "approval") return `095ea7b3${hexOf(otherOf(move)).slice(2).padStart(64, "0")}${"f".repeat(64)}`
  if (move.received !== undefined) return "18cbafe5"
  return move.failed && move.contract === undefined ? "d0e30db0" : undefined
}

/** Some incoming transfers are internal transactions of another account's contract call. */
const isInternal = ({ contract, direction, id, isPending, ordinal }: Move) =>
  contract === undefined && direction === "in" && ordinal === undefined && isPending !== true && id < "5"

/** Rows of `transactions`. Incoming token transfers are missing, because they are transactions of their senders. */
const transactionRows = (address: string, move: Move): ReadonlyArray<unknown> => {
  const { amount, at, contract, direction, failed, fee, id, isPending } = move
  if (direction === "in" && contract !== undefined) return []
  const internal = (value: bigint) => ({
    internal_tx_id: id.split("").reverse().join(""),
    data: { note: "63616c6c", rejected: false, call_value: { _: Number(value) } },
    block_timestamp: at * 1000,
    from_address: hexOf(otherOf(move)),
    to_address: hexOf(address),
    tx_id: id
  })
  if (isInternal(move)) return [internal(amount)]
  const called = contract !== undefined || failed
  const [from, to] = direction === "in" ? [otherOf(move), address] : [address, otherOf(move)]
  // A swap calls a router, which transfers the tokens.
  const transfer = move.received === undefined ? { ...move, from, to } : { amount: 0n, from, to }
  return [
    ...(move.received === undefined ? [] : [internal(move.received)]),
    {
      ret: [{ contractRet: failed ? "REVERT" : "SUCCESS", fee: Number(fee) }],
      signature: [id.repeat(2)],
      txID: id,
      net_usage: 0,
      net_fee: called ? 0 : Number(fee),
      energy_usage: 0,
      energy_fee: called ? Number(fee) : 0,
      energy_usage_total: 0,
      ...(isPending ? { _unconfirmed: true } : { blockNumber: newestBlock(at * 1000) }),
      block_timestamp: at * 1000,
      raw_data: {
        contract: [contractJson(transfer, dataOf(move))],
        ref_block_bytes: "f8a3",
        ref_block_hash: "3f19277552b64a1f",
        expiration: at * 1000 + 60_000
      },
      internal_transactions: []
    }
  ]
}

const transfers = (address: string, move: Move): ReadonlyArray<unknown> => {
  const { amount, at, contract, direction, failed, id } = move
  if (contract === undefined || failed || move.kind === "approval") return []
  const [from, to] = direction === "in" ? [otherOf(move), address] : [address, otherOf(move)]
  return [
    {
      transaction_id: id,
      token_info: {
        symbol: contract.coin.symbol.toUpperCase(),
        address: contract.address,
        decimals: contract.decimals,
        name: contract.coin.name
      },
      block_timestamp: at * 1000,
      from,
      to,
      type: "Transfer",
      ...(move.isPending ? { _unconfirmed: true } : {}),
      value: amount.toString()
    }
  ]
}
