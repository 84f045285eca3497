import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { gap } from "../../domain/history/Gap.ts"
import { Millis, now, numberOf } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { batchTopic, singleTopic, transferTopic } from "../evm/history/tokenLogs.ts"
import { confirming, unread } from "../kit/holdings/tokenList.ts"
import { type TronRow, transactionRow, transferRow } from "./HistoryWire.ts"
import { orAbsent, post, Sun } from "./TronWire.ts"
import type { TronTokens } from "./tokens.ts"
import { isContradictory, isTrade, ownerOf, toTransaction, tradeProceeds } from "./toTransaction.ts"

// A transaction by its hash in the form of TronGrid's lists: `/wallet/gettransactionbyid` has what it orders,
// `/wallet/gettransactioninfobyid` its block, fee, logs and internal transactions (developers.tron.network/reference).

const Known = orAbsent(
  Schema.Struct(
    {
      txID: Schema.String,
      ret: Schema.optional(Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })))
    },
    Schema.Record({ key: Schema.String, value: Schema.Unknown })
  )
)

/** Addresses have 20 bytes, without the prefix. */
const Log = Schema.Struct({
  address: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{40}$/i)),
  topics: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  data: Schema.optionalWith(Schema.String, { default: () => "" })
})

const Internal = Schema.Struct({
  hash: Schema.String,
  caller_address: Schema.String,
  transferTo_address: Schema.String,
  callValueInfo: Schema.optionalWith(
    Schema.Array(Schema.Struct({ callValue: Schema.optional(Sun), tokenId: Schema.optional(Schema.String) })),
    { default: () => [] }
  ),
  rejected: Schema.optional(Schema.Boolean)
})

const Info = orAbsent(
  Schema.Struct({
    id: Schema.String,
    blockNumber: Schema.Positive,
    blockTimeStamp: Schema.compose(Schema.Positive, Millis),
    fee: Schema.optionalWith(Sun, { default: () => 0n }),
    /** FAILED, or absent. */
    result: Schema.optional(Schema.String),
    withdraw_amount: Schema.optional(Sun),
    unfreeze_amount: Schema.optional(Sun),
    withdraw_expire_amount: Schema.optional(Sun),
    log: Schema.optionalWith(Schema.Array(Log), { default: () => [] }),
    internal_transactions: Schema.optionalWith(Schema.Array(Internal), { default: () => [] })
  })
)
type Info = NonNullable<typeof Info.Type>

/** Logs of Tron have the topics of EVM networks, without their prefix. */
const isTopic = ({ topics: [topic = ""] }: typeof Log.Type, ...known: ReadonlyArray<string>) =>
  known.includes(`0x${topic.toLowerCase()}`)

/** Whether a log moves an amount of TRC-20. */
const isTransfer = (log: typeof Log.Type): boolean => isTopic(log, transferTopic) && log.topics.length === 3

/** Whether a log moves tokens without an amount in the lists: those of TRC-721 and TRC-1155. */
const isUnlisted = (log: typeof Log.Type): boolean =>
  isTopic(log, transferTopic, singleTopic, batchTopic) && !isTransfer(log)

/** The transfers of tokens in logs, as rows of the list of transfers. */
const transfersIn = ({ blockTimeStamp, id, log }: Info): ReadonlyArray<unknown> =>
  log.filter(isTransfer).map(({ address, data, topics: [, from = "", to = ""] }) => ({
    transaction_id: id,
    block_timestamp: numberOf(blockTimeStamp),
    type: "Transfer",
    from: `41${from.slice(-40)}`,
    to: `41${to.slice(-40)}`,
    value: /^[0-9a-f]{64}$/i.test(data) ? String(BigInt(`0x${data}`)) : "",
    token_info: { address: `41${address}` }
  }))

const internalIn = ({ callValueInfo, caller_address, hash, rejected, transferTo_address }: typeof Internal.Type) => ({
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
const ownRow = (known: NonNullable<typeof Known.Type>, info: Info | undefined, clock: Millis) => {
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

/** Looks up transactions at TronGrid or the operator's node, as their owners see them. */
export const findTransaction = (trongrid: Upstream, { confirm, list }: TronTokens) =>
  confirming(found(trongrid), list, confirm)

const found = (trongrid: Upstream) => {
  const read = Effect.fnUntraced(function* (id: string) {
    const [known, mined] = yield* Effect.all(
      [
        trongrid.read(post("/wallet/gettransactionbyid", { value: id }), Known),
        trongrid.read(post("/wallet/gettransactioninfobyid", { value: id }), Info)
      ],
      { concurrency: 2 }
    )
    if (known === undefined) return undefined
    if (known.txID !== id || (mined !== undefined && mined.id !== id)) return yield* trongrid.fault(unreadable)
    const transfers = mined === undefined ? [] : transfersIn(mined).map(transferRow)
    const own = transactionRow(ownRow(known, mined, yield* now))
    if (Option.isNone(own) || !("transaction" in own.value)) return yield* trongrid.fault(unreadable)
    const rows: ReadonlyArray<TronRow> = [own.value, ...transfers.flatMap(Option.toArray)]
    const group = { key: id, at: own.value.at, rows }
    if (isContradictory(group)) return yield* trongrid.fault(unreadable)
    const transaction = toTransaction(ownerOf(own.value.transaction), group, true)
    if (mined?.result === "FAILED" && transaction.status === "Success") return yield* trongrid.fault(unreadable)
    return {
      transaction,
      isWhole: transfers.every(Option.isSome) && mined?.log.some(isUnlisted) !== true
    }
  })
  return (id: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    Effect.mapBoth(read(id), {
      onFailure: unread,
      onSuccess: (found): FoundTransaction =>
        found === undefined
          ? { transaction: undefined, sources: [], gaps: [] }
          : {
              transaction: found.transaction,
              sources: [trongrid.name],
              gaps: [
                ...(found.isWhole ? [] : [gap("transfers", "some transfers could not be read")]),
                ...(isTrade(found.transaction) ? [tradeProceeds] : [])
              ]
            }
    }).pipe(span("Tron.transaction"))
}

const unreadable: Fault = { reason: "bad_answer", detail: "returned a transaction that cannot be read" }
