import * as Either from "effect/Either"
import type { Status, Transaction } from "../../domain/Transaction.ts"
import type { Group } from "../mergePaged.ts"
import { parties, type Transfer } from "../parties.ts"
import type { Trc20, TronInternal, TronRow, TronTransaction } from "./HistoryWire.ts"
import * as TronAddress from "./TronAddress.ts"

/** One transaction, from all that TronGrid lists of it: itself, messages between contracts, transfers of TRC-20 tokens. */
export const toTransaction = (holder: string, { key, rows }: Group<TronRow>): Transaction => {
  const transaction = rows.flatMap((row) => ("transaction" in row ? [row.transaction] : [])).at(0)
  const trc20 = confirmedFirst(rows.flatMap((row) => ("trc20" in row ? [row.trc20] : [])))
  const internalRows = rows.flatMap((row) => ("internal" in row ? [row.internal] : []))
  const internals = onceEach([...(transaction?.internal_transactions ?? []), ...internalRows])
  const tokens = trc20.map(trc20Transfer)
  const transfers = [
    ...(transaction === undefined ? [] : ownTransfers(transaction)),
    ...(tokens.length > 0 || transaction === undefined ? tokens : calledTransfer(transaction)),
    ...internals.flatMap((internal) =>
      internalTransfers(internal).filter(({ from, to }) => from === holder || to === holder)
    )
  ]
  const status = transaction === undefined ? statusOfTransfers(trc20, internalRows) : statusOf(transaction)
  return {
    hash: key,
    type: typeOf(holder, transaction, transfers),
    fee: transaction === undefined ? null : feeOf(transaction),
    status,
    timestamp: Math.min(...rows.map(({ at }) => at)),
    // Blocks are three seconds apart, and only some of the rows tell theirs.
    order: Math.min(...rows.map(({ millis }) => millis)),
    ...parties(transfers, status !== "Failed")
  }
}

/** Nodes write addresses in hexadecimal digits, the index of TRC-20 in base58. */
const base58 = (text: string) => Either.getOrElse(TronAddress.parse(text), () => text)

/** A transfer that is just being confirmed is told twice: the row that says so is left out beside the other. */
const confirmedFirst = (rows: ReadonlyArray<Trc20>) => {
  const confirmed = rows.filter(({ _unconfirmed }) => _unconfirmed !== true)
  return confirmed.length > 0 ? confirmed : rows
}

/** A message stands in its transaction and apart from it. */
const onceEach = (messages: ReadonlyArray<TronInternal>) => [
  ...new Map(messages.map((message) => [message.internal_tx_id, message])).values()
]

/** A token without an address is unknown. */
const trc20Transfer = ({ from, to, token_info, value }: Trc20): Transfer => ({
  from: base58(from),
  to: base58(to),
  amount: value,
  token: token_info.address === undefined ? "Unknown" : base58(token_info.address)
})

/** What a rejected message would have moved stays where it is. */
const internalTransfers = ({ data, from_address, to_address }: TronInternal): ReadonlyArray<Transfer> =>
  data?.rejected === true
    ? []
    : Object.entries(data?.call_value ?? {}).flatMap(([asset, amount]) =>
        amount === 0n
          ? []
          : [{ from: base58(from_address), to: base58(to_address), amount, ...(asset === "_" ? {} : { token: asset }) }]
      )

/**
 * What the transaction itself moves. TRX that is staked leaves the balance and goes to nobody; what is unstaked or earned
 * comes from nobody. Types that move nothing name whom they concern, with amounts of 0.
 */
const ownTransfers = (transaction: TronTransaction): ReadonlyArray<Transfer> => {
  const [{ parameter, type }] = transaction.raw_data.contract
  const { value } = parameter
  const from = base58(value.owner_address)
  const other = value.to_address ?? value.contract_address ?? value.receiver_address ?? value.account_address
  const to = other === undefined ? {} : { to: base58(other) }
  if (type === "TransferContract") return [{ from, ...to, amount: value.amount ?? 0n }]
  if (type === "TransferAssetContract")
    return [{ from, ...to, amount: value.amount ?? 0n, token: trc10(value.asset_name) }]
  if (type === "TriggerSmartContract") {
    const native = { from, ...to, amount: value.call_value ?? 0n }
    const { call_token_value: amount = 0n, token_id } = value
    return amount === 0n ? [native] : [native, { from, ...to, amount, token: String(token_id ?? "Unknown") }]
  }
  const back =
    (transaction.withdraw_amount ?? 0n) +
    (transaction.unfreeze_amount ?? 0n) +
    (transaction.withdraw_expire_amount ?? 0n)
  if (back > 0n) return [{ to: from, amount: back }]
  return value.frozen_balance === undefined ? [{ from, ...to, amount: 0n }] : [{ from, amount: value.frozen_balance }]
}

/** The id of a TRC-10 token, which some nodes write as the hexadecimal form of its digits; names of old say nothing. */
const trc10 = (name = "") => {
  if (/^(3\d){7}$/.test(name)) return name.replace(/3(\d)/g, "$1")
  return /^\d{7}$/.test(name) ? name : "Unknown"
}

/** `transfer(address,uint256)` of TRC-20; some write the byte 41 before the 20 of the address. */
const transferCall = /^(?:0x)?a9059cbb[0-9a-f]{24}([0-9a-f]{40})([0-9a-f]{64})/i

const plainCall = ({ raw_data }: TronTransaction) => {
  const [{ parameter, type }] = raw_data.contract
  const { call_value = 0n, contract_address, data = "" } = parameter.value
  const [, to, amount] = transferCall.exec(data) ?? []
  return type !== "TriggerSmartContract" || call_value > 0n || contract_address === undefined || to === undefined
    ? undefined
    : { contract: base58(contract_address), to: base58(`41${to}`), amount: BigInt(`0x${amount}`) }
}

/** The transfer that a transaction asks a token for, where the list of transfers does not have it. */
const calledTransfer = (transaction: TronTransaction): ReadonlyArray<Transfer> => {
  const call = plainCall(transaction)
  if (call === undefined) return []
  const from = base58(transaction.raw_data.contract[0].parameter.value.owner_address)
  return [{ from, to: call.to, amount: call.amount, token: call.contract }]
}

/**
 * A call of a contract is a Contract Call, unless it is a plain transfer of a token, or somebody else's of which the holder
 * only sees what moves. Other types keep Tron's own names: FreezeBalanceV2, VoteWitness, CreateSmartContract.
 */
const typeOf = (
  holder: string,
  transaction: TronTransaction | undefined,
  transfers: ReadonlyArray<Transfer>
): string => {
  const direction = transfers.some(({ from }) => from === holder) ? "Send" : "Receive"
  if (transaction === undefined) return direction
  const [{ parameter, type }] = transaction.raw_data.contract
  if (type === "TransferContract" || type === "TransferAssetContract") return direction
  if (type !== "TriggerSmartContract") return type === "CreateSmartContract" ? type : type.replace(/Contract$/, "")
  if (plainCall(transaction) !== undefined) return direction
  const others = base58(parameter.value.owner_address) !== holder
  const moves = transfers.some(({ amount, from, to }) => amount > 0n && (from === holder || to === holder))
  return others && moves ? direction : "Contract Call"
}

/** `ret` has all parts of the fee, those for a new account or a memo as well. */
const feeOf = ({ energy_fee, net_fee, ret }: TronTransaction): bigint | null =>
  ret?.[0]?.fee ?? (net_fee === undefined && energy_fee === undefined ? null : (net_fee ?? 0n) + (energy_fee ?? 0n))

/**
 * `code` is misspelt (SUCESS) and of the network; how the contract ended is in `contractRet`. Without a fee, and without
 * an end or a block, it is pending; some rows of what is done name no block.
 */
const statusOf = (transaction: TronTransaction): Status => {
  const { code, contractRet } = transaction.ret?.[0] ?? {}
  if (contractRet !== undefined && !/^(SUCCESS|DEFAULT|UNKNOWN)$/.test(contractRet)) return "Failed"
  if (code !== undefined && /^FAIL/.test(code)) return "Failed"
  const isDone = contractRet !== undefined || transaction.blockNumber !== undefined
  if (transaction._unconfirmed === true || !isDone || feeOf(transaction) === null) return "Pending"
  return contractRet === "UNKNOWN" ? "Unknown" : "Success"
}

/** Of what others' transactions brought: only those that succeed leave such rows, unless all of them are rejected. */
const statusOfTransfers = (trc20: ReadonlyArray<Trc20>, internalRows: ReadonlyArray<TronInternal>): Status => {
  if (trc20.some(({ _unconfirmed }) => _unconfirmed === true)) return "Pending"
  return trc20.length === 0 && internalRows.every(({ data }) => data?.rejected === true) ? "Failed" : "Success"
}
