import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Millis, numberOf, toSeconds } from "../../domain/units.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Page, Row } from "../kit/history/mergePaged.ts"
import { byKey } from "../kit/holdings/amounts.ts"
import * as TronAddress from "./TronAddress.ts"
import { decodeOptions, Sun, TokenUnits } from "./TronWire.ts"

const Hash = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/i), Schema.compose(Schema.Lowercase))

/** A time since 1970. */
const Past = Millis.pipe(Schema.filter((time) => numberOf(time) >= 0))

/** Amounts by asset: `_` is TRX, a number is the id of a TRC-10 token. */
const CallValue = Schema.Record({ key: Schema.String, value: Sun }).pipe(
  Schema.filter((amounts) => Object.keys(amounts).every((asset) => /^(_|\d+)$/.test(asset)))
)

/** An internal transaction: a message between contracts. */
const TronInternal = Schema.Struct({
  internal_tx_id: Schema.String,
  from_address: Schema.String,
  to_address: Schema.String,
  data: Schema.optional(
    Schema.Struct({ rejected: Schema.optional(Schema.Boolean), call_value: Schema.optional(CallValue) })
  )
})
export type TronInternal = typeof TronInternal.Type

/** An address with the prefix 41, or in base58. */
const Address = Schema.String.pipe(Schema.pattern(/^(41[0-9a-f]{40}|T[1-9A-Za-z]{33})$/i))

/** The relevant parameters of contracts of all types. */
const Value = Schema.Struct({
  owner_address: Address,
  to_address: Schema.optional(Address),
  contract_address: Schema.optional(Address),
  receiver_address: Schema.optional(Schema.String),
  account_address: Schema.optional(Schema.String),
  amount: Schema.optional(Sun),
  asset_name: Schema.optional(Schema.String),
  call_value: Schema.optional(Sun),
  call_token_value: Schema.optional(Sun),
  /** A number in contract calls, a text in trades. */
  token_id: Schema.optional(Schema.Union(Sun, Schema.String)),
  data: Schema.optional(Schema.String),
  frozen_balance: Schema.optional(Sun),
  new_contract: Schema.optional(Schema.Struct({ call_value: Schema.optional(Sun) })),
  quant: Schema.optional(Sun),
  first_token_id: Schema.optional(Schema.String),
  first_token_balance: Schema.optional(Sun),
  second_token_id: Schema.optional(Schema.String),
  second_token_balance: Schema.optional(Sun),
  sell_token_id: Schema.optional(Schema.String),
  sell_token_quantity: Schema.optional(Sun)
})

/** A transaction of `/v1/accounts/{address}/transactions`. Its own timestamp is optional and arbitrary. */
const TronTransaction = Schema.Struct({
  txID: Hash,
  block_timestamp: Past,
  blockNumber: Schema.optional(Schema.Int),
  _unconfirmed: Schema.optional(Schema.Boolean),
  ret: Schema.optional(
    Schema.Array(
      Schema.Struct({
        code: Schema.optional(Schema.String),
        contractRet: Schema.optional(Schema.String),
        fee: Schema.optional(Sun)
      })
    )
  ),
  net_fee: Schema.optional(Sun),
  energy_fee: Schema.optional(Sun),
  withdraw_amount: Schema.optional(Sun),
  unfreeze_amount: Schema.optional(Sun),
  withdraw_expire_amount: Schema.optional(Sun),
  internal_transactions: Schema.optional(Schema.Array(TronInternal)),
  raw_data: Schema.Struct({
    contract: Schema.NonEmptyArray(
      Schema.Struct({ type: Schema.NonEmptyString, parameter: Schema.Struct({ value: Value }) })
    )
  })
}).pipe(Schema.filter(({ _unconfirmed, blockNumber }) => _unconfirmed === true || blockNumber !== undefined))
export type TronTransaction = typeof TronTransaction.Type

/** An internal transaction to or from the address, in another account's transaction: a row of the same list. */
const InternalRow = Schema.Struct({ ...TronInternal.fields, tx_id: Hash, block_timestamp: Past }).pipe(
  // A row without an amount would be a transfer without one.
  Schema.filter(({ data }) => data?.rejected === true || Object.keys(data?.call_value ?? {}).length > 0)
)

/** A row of `/v1/accounts/{address}/transactions/trc20`: without fee and block. */
const Trc20 = Schema.Struct({
  transaction_id: Hash,
  block_timestamp: Past,
  type: Schema.String,
  from: Schema.String,
  to: Schema.String,
  value: TokenUnits.pipe(Schema.compose(Schema.BigInt)),
  token_info: Schema.Struct({ address: Schema.optional(Schema.String) }),
  _unconfirmed: Schema.optional(Schema.Boolean)
})
export type Trc20 = typeof Trc20.Type

/**
 * A row of either list; its key is the hash of the transaction. Ordered by block time in ms, because blocks are three
 * seconds apart and only some rows have the block number; within a block by the start of the hash, because no list has
 * an order there.
 */
export type TronRow = Required<Row> &
  ({ readonly transaction: TronTransaction } | { readonly internal: TronInternal } | { readonly trc20: Trc20 })

const Listed = Schema.Struct({
  success: Schema.Literal(true),
  data: Schema.Array(Schema.Unknown),
  meta: Schema.optional(Schema.Struct({ fingerprint: Schema.optional(Schema.String) }))
})

const transaction = Schema.decodeUnknownOption(TronTransaction)
const internalRow = Schema.decodeUnknownOption(InternalRow)
const trc20 = Schema.decodeUnknownOption(Trc20)

/** Decodes a transaction, or an internal transaction in a separate row. */
export const transactionRow = (row: unknown): Option.Option<TronRow> =>
  Option.orElse(
    Option.map(
      transaction(row),
      (own): TronRow => ({ ...timed(own.txID, own.block_timestamp, own.txID), transaction: own })
    ),
    () =>
      Option.map(
        internalRow(row),
        ({ block_timestamp, tx_id, ...internal }): TronRow => ({
          ...timed(tx_id, block_timestamp, internal.internal_tx_id),
          internal
        })
      )
  )

export const transferRow = (row: unknown): Option.Option<TronRow> =>
  Option.map(
    trc20(row),
    (transfer): TronRow => ({ ...timed(transfer.transaction_id, transfer.block_timestamp), trc20: transfer })
  )

const timed = (key: string, at: Millis, id?: string) => ({
  ...{ key, id, at: toSeconds(at) },
  order: numberOf(at) + (2047 - (Number.parseInt(key.slice(0, 3), 16) >> 1)) / 2048
})

/** The transaction of a row that cannot be read otherwise. */
const keyed = Schema.decodeUnknownOption(
  Schema.Union(Schema.Struct({ txID: Hash }), Schema.Struct({ tx_id: Hash }), Schema.Struct({ transaction_id: Hash }))
)

/** Whether a row contains an address, in base58, with the prefix 41 or as 20 bytes. */
const naming = (address: string) => {
  const digits = TronAddress.toEvm(address).slice(2)
  return (row: unknown): boolean => {
    const text = JSON.stringify(row, (_, value) => (typeof value === "bigint" ? String(value) : value))
    return text.includes(address) || text.toLowerCase().includes(digits)
  }
}

/**
 * Decodes a page of rows about an address. Unreadable rows are counted and skipped, with the other rows of their
 * transactions, which alone would be wrong; a page with only unreadable rows is an error. A page without rows is the last one, even if it links to another. Approvals are not transactions and are
 * left out.
 */
export const page = (
  address: string,
  rowOf: (row: unknown) => Option.Option<TronRow>
): ResponseDecoder.Decoder<Page<TronRow>> => {
  const listed = ResponseDecoder.fitting(Listed, decodeOptions)
  const isNamed = naming(address)
  return (response) =>
    Either.flatMap(listed(response), ({ data, meta }) => {
      const read = data.map((row) => (isNamed(row) ? rowOf(row) : Option.none()))
      const named = Arr.getSomes(read)
      const unread = data.filter((_, index) => Option.isNone(read[index] ?? Option.none()))
      const own = byKey(named.flatMap((row) => ("transaction" in row ? [[row.key, row.transaction] as const] : [])))
      const incomplete = [
        ...[...own].flatMap(([key, row]) => (row === undefined ? [key] : [])),
        ...unread.flatMap((row) => Option.toArray(Option.map(keyed(row), (of) => Object.values(of).join())))
      ]
      const rows = named.filter(({ key }) => !incomplete.includes(key))
      if (rows.length === 0 && data.length > 0)
        return Either.left({
          reason: "bad_answer" as const,
          detail: "returned transactions in an unexpected format"
        })
      return Either.right({
        rows: rows.filter((row) => !("trc20" in row) || row.trc20.type === "Transfer"),
        oldest: rows.at(-1)?.at,
        next: data.length === 0 ? undefined : meta?.fingerprint,
        incomplete,
        unreadable: data.length - rows.length
      })
    })
}
