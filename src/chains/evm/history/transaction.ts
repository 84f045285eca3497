import { type DataFee, evmSupply } from "../../../catalogue/EvmFacts.ts"
import type { Status, Transaction } from "../../../domain/Transaction.ts"
import { partiesOfTransfers } from "../../parties.ts"
import * as ExplorerWire from "./ExplorerWire.ts"
import type { Joined } from "./joined.ts"
import { feeOf, hasFixedPrice, isDeposit, type KnownReceipts } from "./receipts.ts"

/** What the mapper has to know beside the rows. */
export interface Knowledge {
  readonly holder: string
  /** Whether gas alone is not the fee. */
  readonly dataFee: DataFee | undefined
  /** Nonces of the holder that are used up: what waits with one of them was replaced and will never happen. */
  readonly used: ReadonlySet<string>
  /** UNIX seconds: the time of what waits for a block. */
  readonly now: number
}

const lower = (address: string | null | undefined) => (address ?? "").toLowerCase()

/** A contract that is made has no recipient, but an address of its own. */
const recipientOf = (row: Pick<ExplorerWire.Own, "to" | "contractAddress">) =>
  lower(row.to) || lower(row.contractAddress)

const isPending = ({ block }: Joined, receipt: KnownReceipts | undefined) =>
  block === undefined && receipt === undefined

const isReplaced = ({ own }: Joined, { holder, used }: Knowledge) =>
  own !== undefined && lower(own.from) === holder && own.nonce != null && used.has(own.nonce)

/**
 * Whether only a node knows how it ended or what it cost: explorers show calls of contracts whose transaction failed in
 * the end, and leave out what is charged beside gas. The fee is looked up for the holder's own transactions alone.
 */
export const isUnclear = (joined: Joined, { dataFee, holder }: Pick<Knowledge, "dataFee" | "holder">): boolean => {
  const { own, tokens } = joined
  if (own === undefined) return tokens.length === 0
  if (joined.block === undefined || saysNothing(own)) return true
  return lower(own.from) === holder && feeTold(joined, dataFee) === undefined
}

/** Whether only a node knows if it is a deposit of the holder's from the other chain, which pays no gas here. */
export const isPerhapsDeposit = (
  { own }: Joined,
  { dataFee, holder }: Pick<Knowledge, "dataFee" | "holder">
): boolean => dataFee !== undefined && own?.gasPrice === "0" && lower(own.from) === holder

const saysNothing = ({ isError, txreceipt_status }: ExplorerWire.Own) => !isError && !txreceipt_status

const statusOf = (joined: Joined, receipt: KnownReceipts | undefined, known: Knowledge): Status => {
  const { own, tokens } = joined
  // A node has run it, and an explorer may have listed a block that was undone.
  if (receipt?.status) return BigInt(receipt.status) === 0n ? "Failed" : "Success"
  if (own?.isError === "1" || own?.txreceipt_status === "0") return "Failed"
  // Replaced by another transaction with its nonce: it moves nothing, and costs nothing.
  if (isPending(joined, receipt)) return isReplaced(joined, known) ? "Failed" : "Pending"
  // Receipts had no status before Byzantium, but the explorer has run the transaction.
  if (own !== undefined) return saysNothing(own) ? "Unknown" : "Success"
  return tokens.length > 0 ? "Success" : "Unknown"
}

/**
 * What the rows say of the whole fee; undefined where a part of it may be missing. Where transactions may or may not pay
 * for their data, and for a price of nothing there, only a receipt says it.
 */
const feeTold = ({ own, tokens }: Joined, dataFee: DataFee | undefined): bigint | undefined => {
  const row = own ?? tokens[0]
  const used = ExplorerWire.told(row?.gasUsed)
  const price = ExplorerWire.told(row?.gasPrice)
  if (used === undefined || price === undefined) return undefined
  if (dataFee === undefined) return used * price
  if (dataFee === "perhaps" || price === 0n) return undefined
  const data = ExplorerWire.told(row?.L1FeesPaid) ?? ExplorerWire.told(row?.l1Fee)
  return data === undefined ? undefined : used * price + data + (ExplorerWire.told(row?.operatorFee) ?? 0n)
}

const feeIn = (joined: Joined, receipt: KnownReceipts | undefined, known: Knowledge): bigint | null => {
  if (isPending(joined, receipt)) return isReplaced(joined, known) ? 0n : null
  const isExact = ExplorerWire.told(joined.own?.gasUsed) !== undefined
  const price = receipt && (isExact || hasFixedPrice(receipt)) ? ExplorerWire.told(joined.own?.gasPrice) : undefined
  const fees = [receipt && feeOf(receipt, known.dataFee, price), feeTold(joined, known.dataFee)]
  return fees.find((fee) => fee !== undefined && fee <= evmSupply) ?? null
}

interface Moved {
  /** Empty where it comes from the other chain. */
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly token?: string
}

/** `transfer(address,uint256)`: whom, on which token. */
const plainTransfer = ({ input, to, value }: ExplorerWire.Own) =>
  value === "0" && input?.length === 138 && input.startsWith("0xa9059cbb")
    ? { to: `0x${input.slice(34, 74)}`.toLowerCase(), token: lower(to) }
    : undefined

/**
 * What a deposit brings its sender from the other chain, also where it fails; undefined for all other transactions. Where
 * no node says how much, one to oneself is taken to bring what it sends.
 */
const broughtBy = (own: ExplorerWire.Own, receipt: KnownReceipts | undefined, status: Status): Moved | undefined => {
  if (receipt === undefined || !isDeposit(receipt)) return undefined
  const from = lower(own.from)
  const likely = status === "Success" && from === lower(own.to) ? BigInt(own.value) : 0n
  const amount = receipt.minted ?? likely
  return amount === 0n ? undefined : { from: "", to: from, amount }
}

const movedIn = (joined: Joined, receipt: KnownReceipts | undefined, status: Status): ReadonlyArray<Moved> => {
  const { internals, own, tokens } = joined
  const native = own && { from: lower(own.from), to: recipientOf(own), amount: BigInt(own.value) }
  const brought = own && broughtBy(own, receipt, status)
  const deposited = brought === undefined ? [] : [brought]
  const inside = internals.map((row) => ({ from: lower(row.from), to: recipientOf(row), amount: BigInt(row.value) }))
  if (status === "Failed") {
    if (native === undefined || own === undefined) return inside.map((item) => ({ ...item, amount: 0n }))
    return [{ ...native, ...plainTransfer(own), amount: 0n }, ...deposited]
  }
  const others: ReadonlyArray<Moved> = [
    ...deposited,
    ...inside,
    ...tokens.map((row) => ({
      from: lower(row.from),
      to: lower(row.to),
      amount: ExplorerWire.told(row.value) ?? 0n,
      token: lower(row.contractAddress)
    }))
  ]
  if (native === undefined || (native.amount === 0n && others.length > 0)) return others
  // What was brought is where it is sent already.
  return brought !== undefined && native.from === native.to ? others : [native, ...others]
}

const partiesOf = (moved: ReadonlyArray<Moved>) =>
  partiesOfTransfers(
    moved.map(({ from, to, ...rest }) => ({ ...rest, ...(from === "" ? {} : { from }), ...(to === "" ? {} : { to }) }))
  )

const hasData = ({ input }: ExplorerWire.Own) => !["", "0x", "deprecated"].includes(input ?? "")

/**
 * From the holder's view. Who sends the transaction: Cancel is nothing to oneself, Send is value without data or a plain
 * transfer of a token, Receive a deposit from the other chain to oneself, all else (a new contract too) is a Contract Call.
 * For anybody else's transaction it is what the holder gets or gives; a Contract Call where it is both, or neither.
 */
const typeOf = ({ own, tokens }: Joined, moved: ReadonlyArray<Moved>, status: Status, holder: string): string => {
  if (own !== undefined && lower(own.from) === holder) {
    if (lower(own.to) === holder && moved.some(({ from }) => from === "")) return "Receive"
    if (!hasData(own)) return own.value === "0" && lower(own.to) === holder && tokens.length === 0 ? "Cancel" : "Send"
    const plain = plainTransfer(own)
    const all =
      tokens.length > 0 &&
      tokens.every((row) => lower(row.contractAddress) === plain?.token && lower(row.from) === holder)
    return plain !== undefined && (all || status !== "Success") ? "Send" : "Contract Call"
  }
  const gives = moved.some(({ from }) => from === holder)
  const gets = moved.some(({ to }) => to === holder)
  return gives === gets ? "Contract Call" : gives ? "Send" : "Receive"
}

/** More than any block has transactions. */
const perBlock = 65_536

/**
 * One entry of all that is told of a transaction. A failed one keeps its fee and moves nothing, its internal calls
 * neither; a self transfer is a Send.
 */
export const toTransaction = (joined: Joined, receipt: KnownReceipts | undefined, known: Knowledge): Transaction => {
  const status = statusOf(joined, receipt, known)
  const moved = movedIn(joined, receipt, status)
  const block = joined.block ?? (receipt && Number(receipt.blockNumber))
  const index = joined.block === undefined ? Number(receipt?.transactionIndex ?? 0) : joined.index
  return {
    hash: joined.hash,
    type: typeOf(joined, moved, status, known.holder),
    fee: feeIn(joined, receipt, known),
    status,
    timestamp: joined.at ?? known.now,
    order: block === undefined ? Number.MAX_SAFE_INTEGER : block * perBlock + index,
    ...partiesOf(moved)
  }
}
