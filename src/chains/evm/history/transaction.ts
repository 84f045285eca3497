import { type DataFee, evmSupply } from "../../../catalogue/evm/EvmFacts.ts"
import { zeroAddress } from "../../../domain/evmAddress.ts"
import { numbered, type Status, type Transaction } from "../../../domain/Transaction.ts"
import { type Height, height, numberOf, type Seconds } from "../../../domain/units.ts"
import { paidOf, partiesOfTransfers } from "../../kit/history/parties.ts"
import { uint64 } from "../../kit/holdings/amounts.ts"
import { type Own, perBlock } from "../providers/etherscan/calls.ts"
import * as ExplorerRow from "./ExplorerRow.ts"
import type { ListedTransaction } from "./ListedTransaction.ts"
import { feeOf, hasBlobs, hasFixedPrice, isDeposit, type KnownReceipts } from "./receipts.ts"

/** Input of the mapper besides the rows. */
export interface MappingContext {
  readonly holder: string
  /** Whether there is a data fee in addition to gas. */
  readonly dataFee: DataFee | undefined
  /** Time since which transactions may carry blobs (EIP-4844). */
  readonly blobsSince: Seconds | undefined
  /** The contract that wraps the native coin without a transfer. */
  readonly wrapped: string | undefined
  /** Used nonces of the holder: a pending transaction with such a nonce was replaced and will never be mined. */
  readonly used: ReadonlySet<string>
  /** Whether token transfers may be missing. */
  readonly isMissingTokens: boolean
  /** Serves as the time of pending transactions. */
  readonly now: Seconds
}

/** The nonces of the holder that transactions in blocks have used. */
export const usedNonces = (found: ReadonlyArray<ListedTransaction>, holder: string): ReadonlySet<string> =>
  new Set(
    found.flatMap(({ block, own }) =>
      own?.nonce && block !== undefined && own.from.toLowerCase() === holder ? [own.nonce] : []
    )
  )

const lower = (address: string | null | undefined) => (address ?? "").toLowerCase()

/** The recipient; for a transaction that creates a contract, the address of the contract. */
const recipientOf = (row: Pick<Own, "to" | "contractAddress">) => lower(row.to) || lower(row.contractAddress)

const isPending = ({ block }: ListedTransaction, receipt: KnownReceipts | undefined) =>
  block === undefined && receipt === undefined

const isReplaced = ({ own }: ListedTransaction, { holder, used }: MappingContext) =>
  own !== undefined && lower(own.from) === holder && own.nonce != null && used.has(own.nonce)

/**
 * Whether only a node has the result or the fee: explorers list calls of contracts whose transaction failed in the end,
 * and omit data fees. The fee is looked up only for the holder's own transactions, unless its gas is impossible.
 */
export const needsReceipt = (
  joined: ListedTransaction,
  fees: Pick<MappingContext, "blobsSince" | "dataFee" | "holder">
): boolean => {
  const { own, tokens } = joined
  const { gasPrice, gasUsed } = own ?? tokens[0] ?? {}
  if ([gasPrice, gasUsed].some((text) => ExplorerRow.numberIn(text) !== partOfFee(text))) return true
  if (own === undefined) return tokens.length === 0
  if (joined.block === undefined || hasNoResult(own)) return true
  return lower(own.from) === fees.holder && listedFee(joined, fees) === undefined
}

/** Whether it may be a deposit of the holder from the other chain, which pays no gas here; only a node knows. */
export const mayBeDeposit = (
  { own }: ListedTransaction,
  { dataFee, holder }: Pick<MappingContext, "dataFee" | "holder">
): boolean => dataFee !== undefined && own?.gasPrice === "0" && lower(own.from) === holder

const hasNoResult = ({ isError, txreceipt_status }: Own) => !isError && !txreceipt_status
const isSuccess = (own: Own) =>
  !hasNoResult(own) && ["", "0"].includes(own.isError ?? "") && ["", "1"].includes(own.txreceipt_status ?? "")

/** Statuses by the number in the `status` of a receipt. */
const statuses: ReadonlyArray<Status | undefined> = ["Failed", "Success"]

const statusOf = (joined: ListedTransaction, receipt: KnownReceipts | undefined, known: MappingContext): Status => {
  const { own, tokens } = joined
  // The node's result takes precedence: an explorer may have listed a block that was reorganised away.
  if (receipt?.status) return statuses[Number(receipt.status)] ?? "Unknown"
  if (own?.isError === "1" || own?.txreceipt_status === "0") return "Failed"
  // A transaction that was replaced by another with its nonce moves nothing, and costs nothing.
  if (isPending(joined, receipt)) return isReplaced(joined, known) ? "Failed" : "Pending"
  // Receipts had no status before Byzantium, but the explorer has run the transaction.
  if (own !== undefined) return isSuccess(own) ? "Success" : "Unknown"
  return tokens.length > 0 ? "Success" : "Unknown"
}

/**
 * Whether a transaction may carry blobs: lists contain neither the type nor the blob fee. Wallets send no blobs: a
 * payment and a call of a token's standard methods have none.
 */
const mayCarryBlobs = ({ at, own }: ListedTransaction, since: Seconds | undefined): boolean =>
  since !== undefined &&
  (at === undefined || at >= since) &&
  own !== undefined &&
  lower(own.to) !== "" &&
  !(!hasData(own) && (own.value !== "0" || lower(own.to) === lower(own.from))) &&
  !isTokenCall(own)

/** `transfer`, `approve` and `transferFrom` of a token. */
const isTokenCall = ({ input, value }: Own) =>
  value === "0" && /^0x(?:(?:a9059cbb|095ea7b3)[0-9a-f]{128}|23b872dd[0-9a-f]{192})$/i.test(input ?? "")

/**
 * The whole fee by the rows; undefined if a part of it may be missing. If a data fee is uncertain, or the price is zero
 * on a network with data fees, only a receipt has the fee.
 */
const listedFee = (
  joined: ListedTransaction,
  { blobsSince, dataFee }: Pick<MappingContext, "blobsSince" | "dataFee">
): bigint | undefined => {
  const { own, tokens } = joined
  const row = own ?? tokens[0]
  if (mayCarryBlobs(joined, blobsSince)) return undefined
  const used = partOfFee(row?.gasUsed)
  const price = partOfFee(row?.gasPrice)
  if (used === undefined || price === undefined) return undefined
  if (dataFee === undefined) return used * price
  if (dataFee === "perhaps" || price === 0n) return undefined
  const data = partOfFee(row?.L1FeesPaid) ?? partOfFee(row?.l1Fee)
  const operator = row?.operatorFee ? partOfFee(row.operatorFee) : 0n
  return data === undefined || operator === undefined ? undefined : used * price + data + operator
}

/** An amount of gas, or of wei for gas or data; undefined if none is this large. */
const partOfFee = (text: string | null | undefined): bigint | undefined => {
  const amount = ExplorerRow.numberIn(text)
  return amount !== undefined && amount <= uint64 ? amount : undefined
}

const feeIn = (joined: ListedTransaction, receipt: KnownReceipts | undefined, known: MappingContext): bigint | null => {
  if (isPending(joined, receipt)) return isReplaced(joined, known) ? 0n : null
  const isExact = ExplorerRow.numberIn(joined.own?.gasUsed) !== undefined
  const price = receipt && (isExact || hasFixedPrice(receipt)) ? partOfFee(joined.own?.gasPrice) : undefined
  const listed = receipt && hasBlobs(receipt) ? undefined : listedFee(joined, known)
  const fees = [receipt && feeOf(receipt, known.dataFee, price), listed]
  return fees.find((fee) => fee !== undefined && fee <= evmSupply) ?? null
}

interface ListedTransfer {
  /** Empty if the amount comes from the other chain. */
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly token?: string
}

/** The recipient, the token and the amount of a `transfer(address,uint256)`. */
const plainTransfer = ({ input, to, value }: Own) =>
  input != null && value === "0" && /^0xa9059cbb[0-9a-f]{128}$/i.test(input)
    ? { to: `0x${input.slice(34, 74)}`.toLowerCase(), token: lower(to), amount: BigInt(`0x${input.slice(74)}`) }
    : undefined

/**
 * The transfer of a deposit to its sender from the other chain, even if the transaction fails; undefined for other
 * transactions. If no node has the amount, a deposit to oneself is assumed to bring what it sends.
 */
const depositedBy = (own: Own, receipt: KnownReceipts | undefined, status: Status): ListedTransfer | undefined => {
  if (receipt === undefined || !isDeposit(receipt)) return undefined
  const from = lower(own.from)
  const likely = status === "Success" && from === lower(own.to) ? BigInt(own.value) : 0n
  const amount = receipt.minted ?? likely
  return amount === 0n ? undefined : { from: "", to: from, amount }
}

/**
 * The mints and burns of the wrapped coin for the holder: as much as the contract got from the holder, or returned. A
 * transfer from or to the zero address, which some lists have for them, counts once.
 */
const wrappings = (
  natives: ReadonlyArray<ListedTransfer>,
  tokens: ReadonlyArray<ListedTransfer>,
  { holder, wrapped }: MappingContext
): ReadonlyArray<ListedTransfer> => {
  const listed = tokens.filter(({ token }) => token === wrapped)
  return natives.flatMap(({ amount, from, to }) => {
    const mint = from === holder && to === wrapped
    if (wrapped === undefined || amount === 0n || !(mint || (from === wrapped && to === holder))) return []
    const moved = { from: mint ? zeroAddress : holder, to: mint ? holder : zeroAddress, amount, token: wrapped }
    const repeated = listed.findIndex((row) => row.from === moved.from && row.to === moved.to && row.amount === amount)
    if (repeated >= 0) listed.splice(repeated, 1)
    return repeated >= 0 ? [] : [moved]
  })
}

const transfersIn = (
  joined: ListedTransaction,
  receipt: KnownReceipts | undefined,
  status: Status,
  known: MappingContext
): ReadonlyArray<ListedTransfer> => {
  const { internals, own, tokens } = joined
  const native = own && { from: lower(own.from), to: recipientOf(own), amount: BigInt(own.value) }
  const brought = own && depositedBy(own, receipt, status)
  const deposited = brought === undefined ? [] : [brought]
  const inside = internals.map((row) => ({ from: lower(row.from), to: recipientOf(row), amount: BigInt(row.value) }))
  if (status === "Failed") {
    if (native === undefined || own === undefined) return inside.map((transfer) => ({ ...transfer, amount: 0n }))
    return [{ ...native, ...plainTransfer(own), amount: 0n }, ...deposited]
  }
  const planned = status === "Pending" && own !== undefined && tokens.length === 0 ? plainTransfer(own) : undefined
  if (native !== undefined && planned !== undefined) return [{ ...native, ...planned }]
  const moved = tokens.map((row) => ({
    from: lower(row.from),
    to: lower(row.to),
    amount: ExplorerRow.numberIn(row.value) ?? 0n,
    token: lower(row.contractAddress)
  }))
  const natives = native === undefined ? inside : [native, ...inside]
  const others: ReadonlyArray<ListedTransfer> = [
    ...deposited,
    ...inside,
    ...moved,
    ...(status === "Pending" ? [] : wrappings(natives, moved, known))
  ]
  if (native === undefined || (native.amount === 0n && others.length > 0)) return others
  // The deposit already contains the amount.
  return brought !== undefined && native.from === native.to ? others : [native, ...others]
}

const partiesOf = (moved: ReadonlyArray<ListedTransfer>) =>
  partiesOfTransfers(
    moved.map(({ from, to, ...rest }) => ({ ...rest, ...(from === "" ? {} : { from }), ...(to === "" ? {} : { to }) }))
  )

const hasData = ({ input }: Own) => !["", "0x", "deprecated"].includes(input ?? "")

/**
 * The type, as the holder sees it. Own transactions: Cancel sends zero to oneself, Send is value without data or a
 * plain token transfer, also if its row may be missing, Receive is a deposit from the other chain to oneself, all others
 * (also new contracts) are Contract Call. Other transactions: Receive or Send; Contract Call if the holder does both, or neither.
 */
const typeOf = (
  { own, tokens }: ListedTransaction,
  moved: ReadonlyArray<ListedTransfer>,
  status: Status,
  { holder, isMissingTokens }: MappingContext
): string => {
  if (own !== undefined && lower(own.from) === holder) {
    if (lower(own.to) === holder && moved.some(({ from }) => from === "")) return "Receive"
    if (!hasData(own)) return own.value === "0" && lower(own.to) === holder && tokens.length === 0 ? "Cancel" : "Send"
    const plain = plainTransfer(own)
    const all =
      tokens.length > 0 &&
      tokens.every((row) => lower(row.contractAddress) === plain?.token && lower(row.from) === holder)
    const isLikely = status !== "Success" || (isMissingTokens && tokens.length === 0)
    return plain !== undefined && (all || isLikely) ? "Send" : "Contract Call"
  }
  const gives = moved.some(({ from }) => from === holder)
  const gets = moved.some(({ to }) => to === holder)
  return gives === gets ? "Contract Call" : gives ? "Send" : "Receive"
}

/** The height of a transaction's block, from its `order`; infinite while no explorer lists it in a block. */
export const heightOf = ({ order }: Pick<Transaction, "order">): Height =>
  height(order === pending ? Number.POSITIVE_INFINITY : Math.floor(order / perBlock))

/** The `order` of transactions that explorers list in no block: above all blocks. */
const pending = Number.MAX_SAFE_INTEGER

/**
 * Maps all rows of a transaction. If it failed, it has its fee and moves nothing, nor do its internal calls. A transfer
 * to oneself is a Send.
 */
export const toTransaction = (
  joined: ListedTransaction,
  receipt: KnownReceipts | undefined,
  known: MappingContext
): Transaction => {
  const status = statusOf(joined, receipt, known)
  const moved = transfersIn(joined, receipt, status, known)
  const block = joined.block === undefined ? receipt && Number(receipt.blockNumber) : numberOf(joined.block)
  const fee = feeIn(joined, receipt, known)
  const parties = partiesOf(moved)
  const isOwn = joined.own !== undefined && lower(joined.own.from) === known.holder
  return {
    hash: joined.hash,
    type: typeOf(joined, moved, status, known),
    fee,
    ...paidOf(known.holder, { fee, ...parties }, isOwn ? fee : 0n),
    status,
    timestamp: joined.at ?? known.now,
    ...numbered({ block, nonce: joined.own?.nonce ? Number(joined.own.nonce) : undefined }),
    // A row that moved to the block of its receipt would be below rows that the page does not have.
    order: joined.block === undefined ? pending : numberOf(joined.block) * perBlock + joined.index,
    ...parties
  }
}
