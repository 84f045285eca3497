import * as Either from "effect/Either"
import { notListed } from "../../domain/history/Gap.ts"
import { numbered, type Status, type Transaction } from "../../domain/Transaction.ts"
import type { Group } from "../kit/history/mergePaged.ts"
import { paidOf, parties, type Transfer } from "../kit/history/parties.ts"
import { byKey } from "../kit/holdings/amounts.ts"
import type { ListedTransaction, Trc20Row, TronInternal } from "./providers/trongrid/indexCalls.ts"
import type { TronRow } from "./providers/trongrid/rows.ts"
import * as TronAddress from "./TronAddress.ts"

/** The account that signed a transaction. */
export const ownerOf = ({ raw_data }: ListedTransaction): string =>
  base58(raw_data.contract[0].parameter.value.owner_address)

/**
 * Merges all rows of a transaction: the transaction itself, internal transactions and transfers of TRC-20 tokens. Internal
 * transactions between other accounts are left out, unless all parties are wanted (`isWhole`): then the rows contain all
 * transfers of tokens, so that a call without one has moved none.
 */
export const toTransaction = (holder: string, group: Group<TronRow>, isWhole = false): Transaction => {
  const { at, key, rows } = group
  const transaction = rows.flatMap((row) => ("transaction" in row ? [row.transaction] : [])).at(0)
  const trc20 = confirmedFirst(rows.flatMap((row) => ("trc20" in row ? [row.trc20] : [])))
  const internalRows = rows.flatMap((row) => ("internal" in row ? [row.internal] : []))
  const internals = [...internalsOf(group).values()].filter((internal) => internal !== undefined)
  const tokens = trc20.map(trc20Transfer)
  const isListed = tokens.length > 0 || transaction === undefined || (isWhole && transaction._unconfirmed !== true)
  const transfers = [
    ...(transaction === undefined ? [] : ownTransfers(transaction)),
    ...(isListed ? tokens : calledTransfer(transaction)),
    ...internals.flatMap((internal) =>
      internalTransfers(internal).filter(({ from, to }) => isWhole || from === holder || to === holder)
    )
  ]
  const status = transaction === undefined ? statusOfTransfers(trc20, internalRows) : statusOf(transaction)
  const fee = transaction === undefined ? null : feeOf(transaction)
  const owner = transaction && ownerOf(transaction)
  const own = parties(transfers, status !== "Failed")
  return {
    hash: key,
    type: typeOf(holder, transaction, transfers),
    fee,
    ...paidOf(holder, { fee, ...own }, owner === holder ? fee : 0n),
    status,
    timestamp: at,
    ...numbered({ block: transaction?._unconfirmed === true ? undefined : transaction?.blockNumber }),
    order: Math.min(...rows.map(({ order }) => order)),
    ...own
  }
}

/** Nodes write addresses in hexadecimal digits, the TRC-20 index in base58. */
const base58 = (text: string) => Either.getOrElse(TronAddress.parse(text), () => text)

/** A transfer that is being confirmed appears twice: the unconfirmed row is left out if there is a confirmed one. */
const confirmedFirst = (rows: ReadonlyArray<Trc20Row>) => {
  const confirmed = rows.filter(({ _unconfirmed }) => _unconfirmed !== true)
  return confirmed.length > 0 ? confirmed : rows
}

/** Internal transactions by id; each may be listed in its transaction and as a row. Undefined if these differ. */
const internalsOf = ({ rows }: Group<TronRow>) =>
  byKey(
    rows
      .flatMap((row) =>
        "internal" in row ? [row.internal] : "transaction" in row ? (row.transaction.internal_transactions ?? []) : []
      )
      .map((internal) => [internal.internal_tx_id, internal])
  )

/** Whether its rows contradict each other. */
export const isContradictory = (group: Group<TronRow>): boolean => [...internalsOf(group).values()].includes(undefined)

/** A token without an address is unknown. */
const trc20Transfer = ({ from, to, token_info, value }: Trc20Row): Transfer => ({
  from: base58(from),
  to: base58(to),
  amount: value,
  token: token_info.address === undefined ? "Unknown" : base58(token_info.address)
})

/** A rejected internal transaction moves nothing. */
const internalTransfers = ({ data, from_address, to_address }: TronInternal): ReadonlyArray<Transfer> =>
  data?.rejected === true
    ? []
    : Object.entries(data?.call_value ?? {}).flatMap(([asset, amount]) =>
        amount === 0n
          ? []
          : [{ from: base58(from_address), to: base58(to_address), amount, ...(asset === "_" ? {} : { token: asset }) }]
      )

/**
 * Transfers of the transaction itself. Staking has a sender only; unstaking and rewards have a recipient only. Types
 * that move nothing list the addresses involved, with amounts of 0.
 */
const ownTransfers = (transaction: ListedTransaction): ReadonlyArray<Transfer> => {
  const [{ parameter, type }] = transaction.raw_data.contract
  const { value } = parameter
  const from = base58(value.owner_address)
  const other = value.to_address ?? value.contract_address ?? value.receiver_address ?? value.account_address
  const to = other === undefined ? {} : { to: base58(other) }
  if (type === "TransferContract") return [{ from, ...to, amount: value.amount ?? 0n }]
  if (type === "TransferAssetContract")
    return [{ from, ...to, amount: value.amount ?? 0n, token: trc10(value.asset_name) }]
  if (type === "TriggerSmartContract" || type === "CreateSmartContract") {
    const native = { from, ...to, amount: value.call_value ?? value.new_contract?.call_value ?? 0n }
    const { call_token_value: amount = 0n, token_id } = value
    return amount === 0n ? [native] : [native, { from, ...to, amount, token: String(token_id ?? "Unknown") }]
  }
  if (type === "ParticipateAssetIssueContract") return [{ from, ...to, amount: value.amount ?? 0n }]
  if (type === "ExchangeWithdrawContract") return [{ to: from, ...traded(value.token_id, value.quant) }]
  if (type === "ExchangeCreateContract")
    return [
      { from, ...traded(value.first_token_id, value.first_token_balance) },
      { from, ...traded(value.second_token_id, value.second_token_balance) }
    ]
  if (value.quant !== undefined) return [{ from, ...traded(value.token_id, value.quant) }]
  if (type === "MarketSellAssetContract") return [{ from, ...traded(value.sell_token_id, value.sell_token_quantity) }]
  const back =
    (transaction.withdraw_amount ?? 0n) +
    (transaction.unfreeze_amount ?? 0n) +
    (transaction.withdraw_expire_amount ?? 0n)
  if (back > 0n) return [{ to: from, amount: back }]
  return value.frozen_balance === undefined ? [{ from, ...to, amount: 0n }] : [{ from, amount: value.frozen_balance }]
}

/** TRX is `_` at Tron's built-in exchanges, also in hexadecimal digits. */
const traded = (id: string | bigint = "", amount = 0n) =>
  id === "_" || id === "5f" ? { amount } : { amount, token: trc10(String(id)) }

/** Trades and token sales. No list has their proceeds, which depend on the state of an exchange. */
export const isTrade = ({ type }: Transaction) =>
  /^(Exchange(Transaction|Inject|Withdraw)|Market|ParticipateAssetIssue)/.test(type)

/**
 * The id of a TRC-10 token, which some nodes write in hexadecimal digits. Older tokens have names, which do not
 * identify them.
 */
const trc10 = (name = "") => {
  if (/^(3\d){7}$/.test(name)) return name.replace(/3(\d)/g, "$1")
  return /^\d{7}$/.test(name) ? name : "Unknown"
}

/** Missing at every source. */
export const tradeProceeds = notListed("proceeds of trades on Tron's built-in exchanges and of token sales")

/** `transfer(address,uint256)` of TRC-20; some callers put the byte 41 before the 20 bytes of the address. */
const transferCall = /^(?:0x)?a9059cbb[0-9a-f]{24}([0-9a-f]{40})([0-9a-f]{64})/i

const plainCall = ({ raw_data }: ListedTransaction) => {
  const [{ parameter, type }] = raw_data.contract
  const { call_value = 0n, contract_address, data = "" } = parameter.value
  const [, to, amount] = transferCall.exec(data) ?? []
  return type !== "TriggerSmartContract" || call_value > 0n || contract_address === undefined || to === undefined
    ? undefined
    : { contract: base58(contract_address), to: base58(`41${to}`), amount: BigInt(`0x${amount}`) }
}

/** The token transfer that a transaction calls, for a transaction that is not in the list of transfers. */
const calledTransfer = (transaction: ListedTransaction): ReadonlyArray<Transfer> => {
  const call = plainCall(transaction)
  if (call === undefined) return []
  const from = base58(transaction.raw_data.contract[0].parameter.value.owner_address)
  return [{ from, to: call.to, amount: call.amount, token: call.contract }]
}

/**
 * A contract call is a Contract Call, unless it is a plain token transfer, or another account's call in which the
 * holder only sends or receives. Other types have Tron's own names: FreezeBalanceV2, VoteWitness, CreateSmartContract.
 */
const typeOf = (
  holder: string,
  transaction: ListedTransaction | undefined,
  transfers: ReadonlyArray<Transfer>
): string => {
  const direction = transfers.some(({ from }) => from === holder) ? "Send" : "Receive"
  if (transaction === undefined) return direction
  const [{ type }] = transaction.raw_data.contract
  if (type === "TransferContract" || type === "TransferAssetContract") return direction
  if (type !== "TriggerSmartContract") return type === "CreateSmartContract" ? type : type.replace(/Contract$/, "")
  if (plainCall(transaction) !== undefined) return direction
  const others = ownerOf(transaction) !== holder
  const moves = transfers.some(({ amount, from, to }) => amount > 0n && (from === holder || to === holder))
  return others && moves ? direction : "Contract Call"
}

/** `ret` has the full fee, including the parts for a new account or a memo. */
const feeOf = ({ energy_fee, net_fee, ret }: ListedTransaction): bigint | null =>
  ret?.[0]?.fee ?? (net_fee === undefined && energy_fee === undefined ? null : (net_fee ?? 0n) + (energy_fee ?? 0n))

/**
 * `code` (with the value SUCESS, misspelt) is the network's result; `contractRet` is that of the contract. A
 * transaction without a fee, or without a result and a block, is pending; some completed rows contain no block.
 */
const statusOf = (transaction: ListedTransaction): Status => {
  const { code, contractRet } = transaction.ret?.[0] ?? {}
  if (contractRet !== undefined && !/^(SUCCESS|DEFAULT|UNKNOWN)$/.test(contractRet)) return "Failed"
  if (code !== undefined && /^FAIL/.test(code)) return "Failed"
  if (transaction._unconfirmed === true || feeOf(transaction) === null) return "Pending"
  return contractRet === "UNKNOWN" ? "Unknown" : "Success"
}

/** Status of another account's transaction: only successful ones have such rows, unless all rows are rejected. */
const statusOfTransfers = (trc20: ReadonlyArray<Trc20Row>, internalRows: ReadonlyArray<TronInternal>): Status => {
  if (trc20.some(({ _unconfirmed }) => _unconfirmed === true)) return "Pending"
  return trc20.length === 0 && internalRows.every(({ data }) => data?.rejected === true) ? "Failed" : "Success"
}
