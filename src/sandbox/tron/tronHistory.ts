import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import * as TronAddress from "../../chains/tron/TronAddress.ts"
import { netFee } from "../world/exhibits/tron.ts"
import * as Landmarks from "../world/Landmarks.ts"
import { type LedgerFacts, ledger, type Move, pendingMoves } from "../world/ledger.ts"
import { memoized, type Remembered } from "../world/memoized.ts"
import * as World from "../world/World.ts"
import {
  encode,
  hexOf,
  isCall,
  type TronEnvelope,
  type TronOrder,
  type TronSigned,
  transactionJson,
  unstaking
} from "./tronRaw.ts"

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

/**
 * Incoming transfers that are in no block yet: of half of the used addresses, and another one every ten minutes; of the
 * museum, also one of a token.
 */
const arriving = (facts: LedgerFacts, address: string, now: number): ReadonlyArray<Move> => {
  if (ledger(facts, address).length === 0) return []
  const at = 600 * Math.floor(now / 600_000)
  const id = createHash("sha256").update(`arrives ${address} ${at}`).digest("hex")
  const amount = 1n + BigInt(`0x${id.slice(0, 6)}`)
  const move: Move = { id, at, direction: "in", amount, fee: 268_000n, failed: false, seed: id, isPending: true }
  const contract = World.listedOn(facts.platform).at(-1)
  return [
    ...(World.randomIn(facts, "arrives", address) < 0.5 ? [] : [move]),
    ...(contract === undefined || address !== Landmarks.museum(facts)
      ? []
      : [{ ...move, id: [...id].reverse().join(""), contract }])
  ]
}

interface TronPast {
  readonly facts: LedgerFacts
  readonly now: number
  /** Transactions that a list has returned. */
  readonly past: Remembered<ListedMove>
}

/** A move with the address in whose list it is. */
export interface ListedMove {
  readonly holder: string
  readonly move: Move
}

/** Response of `/wallet/gettransactioninfobyid` for a transaction in the block of this time, in seconds. */
export const info = (transaction: TronSigned, move: Pick<Move, "at" | "exhibit" | "failed" | "fee" | "received">) => ({
  id: transaction.id,
  ...returned(move),
  ...(move.fee === 0n ? {} : { fee: Number(move.fee) }),
  blockNumber: newestBlock(move.at * 1000),
  blockTimeStamp: move.at * 1000,
  contractResult: [""],
  ...(move.failed ? { result: "FAILED", resMessage: Buffer.from("REVERT opcode executed").toString("hex") } : {}),
  receipt: {
    ...(isCall(transaction) ? { energy_fee: partsOf(transaction, move).energy_fee, result: resultOf(move) } : {}),
    ...(partsOf(transaction, move).net_fee === 0
      ? { net_usage: transaction.raw.length + 132 }
      : { net_fee: partsOf(transaction, move).net_fee })
  }
})

const topicOf = (address: string) => hexOf(address).slice(2).padStart(64, "0")

/** Logs and internal transactions of a listed transaction, as the node returns them with its fee. */
export const effectsOf = (holder: string, move: Move, { id }: TronSigned) => {
  const { amount, contract, direction, exhibit, failed, kind, received } = move
  const [from, to] = direction === "in" ? [otherOf(move), holder] : [holder, otherOf(move)]
  const isMoved = contract !== undefined && !failed && kind !== "approval"
  const log = {
    address: contract === undefined ? "" : hexOf(contract.address).slice(2),
    topics: [transferTopic, topicOf(from), topicOf(to)],
    data: word(amount.toString(16))
  }
  const internal = (value: bigint, rejected: boolean) => ({
    hash: id.split("").reverse().join(""),
    caller_address: hexOf(otherOf(move)),
    transferTo_address: hexOf(holder),
    callValueInfo: [{ callValue: Number(value) }],
    note: "63616c6c",
    ...(rejected ? { rejected } : {})
  })
  const internals = [
    ...(isInternal(move) ? [internal(amount, failed)] : []),
    ...(received === undefined || exhibit !== undefined ? [] : [internal(received, failed)])
  ]
  return {
    ...(isMoved ? { log: [log] } : {}),
    ...(internals.length === 0 ? {} : { internal_transactions: internals })
  }
}

/** `Transfer(address,address,uint256)`. */
const transferTopic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

/** The parts of a fee, for bandwidth and for energy. */
const partsOf = (transaction: TronSigned, { exhibit = "", fee }: Pick<Move, "exhibit" | "fee">) => {
  const hasBoth = exhibit === "fee in parts" || exhibit === "out of energy"
  const net = hasBoth ? netFee : isCall(transaction) ? 0n : fee
  return { net_fee: Number(net), energy_fee: Number(fee - net) }
}

/** Result of the contract. */
const resultOf = ({ exhibit, failed }: Pick<Move, "exhibit" | "failed">) =>
  !failed ? "SUCCESS" : exhibit === "out of energy" ? "OUT_OF_ENERGY" : "REVERT"

/** Response of `/wallet/gettransactionbyid`. */
export const transactionOf = (transaction: TronSigned, move: Pick<Move, "exhibit" | "failed">) => ({
  ret: [{ contractRet: resultOf(move) }],
  ...transactionJson(transaction)
})

/** A page of a list of TronGrid, by default newest first: 20 rows by default, at most 200. */
const listed =
  <Row>(list: string, own: (rows: ReturnType<ReturnType<typeof rowsOf>>) => ReadonlyArray<Row>) =>
  ({ facts, now, past }: TronPast, address: string, query: URLSearchParams) => {
    const limit = Math.min(Number(query.get("limit") ?? 20), 200)
    const from = Number(query.get("fingerprint")?.slice(2) ?? 0)
    const since = Number(query.get("min_timestamp") ?? 0)
    const until = Number(query.get("max_timestamp") ?? Number.POSITIVE_INFINITY)
    const waiting = [...arriving(facts, address, now), ...pendingMoves(facts, address)].map(signedBy(address))
    for (const { move, transaction } of [...signedMoves(facts, address), ...waiting])
      past.set(transaction.id, { holder: address, move })
    const newestFirst = [...waiting.map(rowsOf(address)).toReversed(), ...listedMoves(facts, address)]
    const rows = (query.get("order_by") === "block_timestamp,asc" ? newestFirst.toReversed() : newestFirst)
      .filter(({ at }) => at * 1000 >= since && at * 1000 <= until)
      .flatMap(own)
    const data = rows.slice(from, from + limit)
    const fingerprint = `fp${from + limit}`
    const next = `https://api.trongrid.io/v1/accounts/${address}/${list}?fingerprint=${fingerprint}`
    return {
      data,
      success: true as const,
      meta: {
        at: now,
        page_size: data.length,
        // The lists of the museum end with an empty page that links to another.
        ...(rows.length > from + limit || address === Landmarks.museum(facts) ? { fingerprint, links: { next } } : {})
      }
    }
  }

export const transactionList = listed("transactions", ({ transactions }) => transactions)
export const transferList = listed("transactions/trc20", ({ transfers }) => transfers)

/** Counterparty; the zero address mints tokens. */
const otherOf = ({ counterparty, kind, seed }: Move) =>
  counterparty ??
  Either.getOrElse(TronAddress.parse(`41${kind === "mint" ? "0".repeat(40) : seed.slice(0, 40)}`), () => "")

/** Some incoming transfers are internal transactions of another account's contract call. */
const isInternal = ({ contract, direction, exhibit, id, isPending, ordinal }: Move) =>
  exhibit === "rejected row" ||
  (contract === undefined &&
    direction === "in" &&
    exhibit === undefined &&
    ordinal === undefined &&
    isPending !== true &&
    id < "5")

/** Types of the exhibits that return staked coins or pay a reward. */
const unstakes: Readonly<Record<string, TronOrder["unstakes"]>> = {
  unfreeze: unstaking.unfreeze,
  withdraw: unstaking.withdraw,
  "withdraw expired": unstaking.withdrawExpired
}

/** The amount that such a transaction returns, under its name at TronGrid. */
const returned = ({ exhibit, received = 0n }: Pick<Move, "exhibit" | "received">) => ({
  ...(exhibit === "unfreeze" ? { unfreeze_amount: Number(received) } : {}),
  ...(exhibit === "withdraw" ? { withdraw_amount: Number(received) } : {}),
  ...(exhibit === "withdraw expired" ? { withdraw_expire_amount: Number(received) } : {})
})

const word = (digits: string) => digits.padStart(64, "0")

/** The transfer, or the call of a function of a contract, that the sender of a move signed. */
const orderOf = ({ holder, move }: ListedMove): TronOrder => {
  const { amount, contract, counterparty, direction, failed, kind, received, seed } = move
  const own = hexOf(holder)
  const other = counterparty === undefined ? `41${seed.slice(0, 40)}` : hexOf(counterparty)
  const [from, to] = direction === "in" ? [other, own] : [own, other]
  const call = (caller: string, contract: string, data: string, paid = 0n) => ({
    from: caller,
    to: contract,
    data,
    amount: paid
  })
  // An account that is no party of the move: it mints, or calls the contract that pays.
  const caller = `41${seed.slice(24)}`
  const type = unstakes[move.exhibit ?? ""]
  if (type !== undefined) return { from, to: "", amount: 0n, unstakes: type }
  // A swap calls a router, which transfers the tokens.
  if (received !== undefined) return call(from, to, "18cbafe5")
  if (contract !== undefined) {
    const token = hexOf(contract.address)
    const payee = word(to.slice(2))
    if (kind === "approval") return call(from, token, `095ea7b3${payee}${"f".repeat(64)}`)
    const paid = payee + word(amount.toString(16))
    return kind === "mint" ? call(caller, token, `40c10f19${paid}`) : call(from, token, `a9059cbb${paid}`)
  }
  if (isInternal(move)) return call(caller, from, "3ccfd60b")
  if (move.exhibit === "TRC-10") return { from, to, amount: 7_639_170_000_000n, asset: "1002000" }
  // A payable `deposit()`, which most often is reverted.
  const isDeposit = failed || move.exhibit === "fee in parts" || move.exhibit === "rejected call"
  return isDeposit ? call(from, to, "d0e30db0", amount) : { from, to, amount }
}

/** Time from sending to expiration, just below the maximum of a day: pending transactions may wait in the sandbox. */
const validity = 24 * 3_600_000 - 10_000

/** Digits of the id tell transactions with the same order and second apart. */
const envelopeOf = ({ at, exhibit, id, sentAt = at }: Move, { data }: TronOrder): TronEnvelope => {
  const digits = (start: number, end: number) => Number.parseInt(id.slice(start, end), 16)
  const block = newestBlock(sentAt * 1000) - digits(0, 2)
  return {
    refBlockBytes: (block & 0xffff).toString(16).padStart(4, "0"),
    refBlockHash: blockOf(block).slice(16, 32),
    timestamp: exhibit === "no timestamp" ? 0 : Math.max(sentAt - 6, 0) * 1000 + (digits(2, 5) % 1000),
    expiration: sentAt * 1000 + validity + digits(5, 8),
    feeLimit: data === undefined ? 0n : 100_000_000n,
    signature: `${id}${id}01`
  }
}

/** The transaction of a move: a sent one, or a generated one, whose signature is invalid. */
const signedOf = (listed: ListedMove): TronSigned => {
  const { details } = listed.move
  if (details !== undefined) return details as TronSigned
  const order = orderOf(listed)
  return encode(order, envelopeOf(listed.move, order))
}

const signedBy = (holder: string) => (move: Move) => ({ move, transaction: signedOf({ holder, move }) })

/** All moves of a holder with their transactions, oldest first. */
const signedMoves = memoized((facts: LedgerFacts, holder) => ledger(facts, holder).map(signedBy(holder)))

/** The rows of a transaction in the two lists. */
const rowsOf =
  (address: string) =>
  ({ move, transaction }: ReturnType<ReturnType<typeof signedBy>>) => ({
    at: move.at,
    transactions: transactionRows(address, move, transaction),
    transfers: transfers(address, move, transaction)
  })

/** The rows of all moves of a holder, newest first. */
const listedMoves = memoized((facts: LedgerFacts, holder) => signedMoves(facts, holder).map(rowsOf(holder)).reverse())

/** A listed transaction with its move, which may be in a block by now. */
export const found = (facts: LedgerFacts, { holder, move }: ListedMove, id: string) =>
  signedMoves(facts, holder).find(({ transaction }) => transaction.id === id) ?? signedBy(holder)(move)

/** Rows of `transactions`. Incoming token transfers are missing, because they are transactions of their senders. */
const transactionRows = (address: string, move: Move, transaction: TronSigned) => {
  const { amount, at, contract, direction, exhibit, fee, isPending } = move
  if (direction === "in" && contract !== undefined) return []
  const message = (value: bigint, rejected = false) => ({
    internal_tx_id: transaction.id.split("").reverse().join(""),
    data: { note: "63616c6c", rejected, call_value: { _: Number(value) } },
    from_address: hexOf(otherOf(move)),
    to_address: hexOf(address)
  })
  const internal = (value: bigint) => ({
    ...message(value, move.failed),
    block_timestamp: at * 1000,
    tx_id: transaction.id
  })
  if (isInternal(move)) return [internal(amount)]
  const { ret, ...own } = transactionOf(transaction, move)
  // The network's result, misspelt, which only old rows have.
  const code = exhibit === "SUCESS" ? { code: "SUCESS" } : {}
  return [
    ...(move.received === undefined || exhibit !== undefined ? [] : [internal(move.received)]),
    {
      ret: ret.map((result) => ({
        ...code,
        ...result,
        ...(exhibit === "fee in parts" ? {} : { fee: Number(fee) })
      })),
      ...own,
      ...returned(move),
      net_usage: 0,
      energy_usage: 0,
      ...partsOf(transaction, move),
      energy_usage_total: 0,
      ...(isPending ? { _unconfirmed: true } : { blockNumber: newestBlock(at * 1000) }),
      block_timestamp: at * 1000,
      ...(exhibit === "out of energy"
        ? {}
        : { internal_transactions: exhibit === "rejected call" ? [message(5_000_000n, true)] : [] })
    }
  ]
}

const transfers = (address: string, move: Move, { id }: TronSigned) => {
  const { amount, at, contract, direction, failed } = move
  if (contract === undefined || failed || move.kind === "approval") return []
  const [from, to] = direction === "in" ? [otherOf(move), address] : [address, otherOf(move)]
  const row = (isUnconfirmed: boolean) => ({
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
    ...(isUnconfirmed ? { _unconfirmed: true } : {}),
    value: amount.toString()
  })
  return [...(move.exhibit === "listed twice" ? [row(true)] : []), row(move.isPending === true)]
}
