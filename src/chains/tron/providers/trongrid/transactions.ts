import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Millis, now, numberOf } from "../../../../domain/units.ts"
import type * as Call from "../../../../upstream/Call.ts"
import type { Upstream } from "../../../../upstream/Upstream.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { batchTopic, singleTopic, transferTopic } from "../../../evm/history/tokenLogs.ts"
import type { TronProvider } from "../../Provider.ts"
import { isContradictory, ownerOf, toTransaction } from "../../toTransaction.ts"
import * as calls from "./calls.ts"
import { TransactionRow, Trc20Row } from "./indexCalls.ts"
import { type TronRow, transactionRow, transferRow } from "./rows.ts"

type Whole = NonNullable<typeof calls.wholeTransaction.response.Type>
type Effects = NonNullable<typeof calls.transactionEffects.response.Type>
type Log = Effects["log"][number]
type Internal = Effects["internal_transactions"][number]

/** Logs of Tron have the topics of EVM networks, without their prefix. */
const isTopic = ({ topics: [topic = ""] }: Log, ...known: ReadonlyArray<string>) =>
  known.includes(`0x${topic.toLowerCase()}`)

/** Whether a log moves an amount of TRC-20. */
const isTransfer = (log: Log): boolean => isTopic(log, transferTopic) && log.topics.length === 3

/** Whether a log moves tokens without an amount in the lists: those of TRC-721 and TRC-1155. */
const isUnlisted = (log: Log): boolean => isTopic(log, transferTopic, singleTopic, batchTopic) && !isTransfer(log)

/** The transfers of tokens in logs, as rows of the list of transfers. */
const transfersIn = ({ blockTimeStamp, id, log }: Effects): ReadonlyArray<unknown> =>
  log.filter(isTransfer).map(({ address, data, topics: [, from = "", to = ""] }) => ({
    transaction_id: id,
    block_timestamp: numberOf(blockTimeStamp),
    type: "Transfer",
    from: `41${from.slice(-40)}`,
    to: `41${to.slice(-40)}`,
    value: /^[0-9a-f]{64}$/i.test(data) ? String(BigInt(`0x${data}`)) : "",
    token_info: { address: `41${address}` }
  }))

const internalIn = ({ callValueInfo, caller_address, hash, rejected, transferTo_address }: Internal) => ({
  internal_tx_id: hash,
  from_address: caller_address,
  to_address: transferTo_address,
  data: {
    ...(rejected === undefined ? {} : { rejected }),
    call_value: Object.fromEntries(
      callValueInfo.flatMap(({ callValue, tokenId }) =>
        callValue === undefined ? [] : [[tokenId === undefined || tokenId === "" ? "_" : tokenId, callValue] as const]
      )
    )
  }
})

/** The row of a transaction in the list of an account. */
const ownRow = (known: Whole, info: Effects | undefined, clock: Millis) => {
  if (info === undefined) return { ...known, block_timestamp: numberOf(clock), _unconfirmed: true }
  const { blockNumber, blockTimeStamp, fee, internal_transactions, log: _, id: __, result: ___, ...amounts } = info
  const [result = {}] = known.ret ?? []
  return {
    ...known,
    ...amounts,
    ret: [{ ...result, fee }],
    blockNumber,
    block_timestamp: numberOf(blockTimeStamp),
    internal_transactions: internal_transactions.map(internalIn)
  }
}

const ownOption = Schema.decodeUnknownOption(TransactionRow)
const transferOption = Schema.decodeUnknownOption(Trc20Row)

/** Looks up a transaction in the form of TronGrid's lists: one call has what it orders, another one what it did. */
export const transactionOf = (read: Call.CallReader, fault: Upstream["fault"]): TronProvider["transaction"] =>
  Effect.fnUntraced(function* (id) {
    const [known, mined] = yield* Effect.all(
      [read(calls.wholeTransaction, { id }), read(calls.transactionEffects, { id })],
      { concurrency: 2 }
    )
    if (known === undefined) return undefined
    const transfers = mined === undefined ? [] : transfersIn(mined).map((row) => transferOption(row))
    const own = Option.map(ownOption(ownRow(known, mined, yield* now)), transactionRow)
    if (Option.isNone(own) || !("transaction" in own.value)) return yield* fault(unreadable)
    const rows: ReadonlyArray<TronRow> = [own.value, ...transfers.flatMap(Option.toArray).map(transferRow)]
    const group = { key: id, at: own.value.at, rows }
    if (isContradictory(group)) return yield* fault(unreadable)
    const transaction = toTransaction(ownerOf(own.value.transaction), group, true)
    if (mined?.result === "FAILED" && transaction.status === "Success") return yield* fault(unreadable)
    return {
      transaction,
      isWhole: transfers.every(Option.isSome) && mined?.log.some(isUnlisted) !== true
    }
  })

const unreadable: Fault = { reason: "bad_answer", detail: "returned a transaction that cannot be read" }
