import * as Schema from "effect/Schema"
import { Millis, numberOf } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import { Sun, SunOrZero, TokenUnits } from "../../formats.ts"
import { isFormOf } from "../../TronAddress.ts"

// TronGrid's index of accounts. Nothing in its responses shows how far it has got (`meta.at` is the time of the response),
// so that a slow index is seen only by its missing rows.

/** Objects with one member each: contract address, amount in base units. Each is decoded alone. */
const Trc20Balances = Schema.Array(Schema.Unknown)

export const indexedAccount = Call.get("/v1/accounts/{address}", {
  note: "Empty for an account that was never activated.",
  response: Schema.Struct({
    success: Schema.Literal(true),
    data: Schema.Array(Schema.Struct({ address: Schema.String, balance: SunOrZero, trc20: Trc20Balances })).pipe(
      Schema.maxItems(1)
    )
  }),
  about: ({ data }, requested) => data.every(({ address }) => isFormOf(address, requested.address))
})

/** The page limit of the index. */
const limit = 200

/** A further page is an error, as the list would be incomplete. */
export const tokenBalances = Call.get("/v1/accounts/{address}/trc20/balance", {
  note: "The tokens of an account that was never activated.",
  query: () => ({ limit }),
  response: Schema.Struct({
    success: Schema.Literal(true),
    data: Trc20Balances,
    meta: Schema.optional(
      Schema.Struct({
        fingerprint: Schema.optional(Schema.Undefined),
        links: Schema.optional(Schema.Struct({ next: Schema.optional(Schema.Undefined) }))
      })
    )
  })
})

export const Hash = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/i), Schema.compose(Schema.Lowercase))

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

/** Its own timestamp is optional and arbitrary. */
const ListedTransaction = Schema.Struct({
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
export type ListedTransaction = typeof ListedTransaction.Type

/** An internal transaction to or from the address, in another account's transaction. */
const InternalRow = Schema.Struct({ ...TronInternal.fields, tx_id: Hash, block_timestamp: Past }).pipe(
  // A row without an amount would be a transfer without one.
  Schema.filter(({ data }) => data?.rejected === true || Object.keys(data?.call_value ?? {}).length > 0)
)

export const TransactionRow = Schema.Union(ListedTransaction, InternalRow)

/** Without fee and block. */
export const Trc20Row = Schema.Struct({
  transaction_id: Hash,
  block_timestamp: Past,
  type: Schema.String,
  from: Schema.String,
  to: Schema.String,
  value: TokenUnits.pipe(Schema.compose(Schema.BigInt)),
  token_info: Schema.Struct({ address: Schema.optional(Schema.String) }),
  _unconfirmed: Schema.optional(Schema.Boolean)
})
export type Trc20Row = typeof Trc20Row.Type

/** A page of the rows of an address, in a range of block times (ms). */
export interface ListPage {
  readonly address: string
  readonly min: number | undefined
  readonly max: number | undefined
  readonly fingerprint: string | undefined
}

const newestFirst = ({ fingerprint, max, min }: ListPage) => ({
  limit,
  order_by: "block_timestamp,desc",
  min_timestamp: min,
  max_timestamp: max,
  fingerprint
})

const listOf = <A, I>(row: Schema.Schema<A, I>) =>
  Schema.Struct({
    success: Schema.Literal(true),
    data: rowsOf(row),
    meta: Schema.optional(Schema.Struct({ fingerprint: Schema.optional(Schema.String) }))
  })

/** A page of a list. */
export type Listed<A> = ReturnType<typeof listOf<A, unknown>>["Type"]

export const transactions = Call.get("/v1/accounts/{address}/transactions", {
  perOpen: { history: 1 },
  note: "Incoming transfers of tokens are missing. A page without rows is the last one, even if it links to another.",
  query: newestFirst,
  response: listOf(TransactionRow)
})

export const transfers = Call.get("/v1/accounts/{address}/transactions/trc20", {
  perOpen: { history: 1 },
  note: "Approvals are listed too.",
  query: newestFirst,
  response: listOf(Trc20Row)
})
