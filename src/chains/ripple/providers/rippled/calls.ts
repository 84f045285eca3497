import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { ripple } from "../../../../catalogue/ripple.ts"
import { LedgerIndex } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import { Uint32 } from "../../../kit/holdings/amounts.ts"
import { Drops, decimal, FeeDrops } from "../../amount.ts"
import { firstLedger, LedgerRow } from "../../LedgerTransaction.ts"

// The calls of rippled and Clio, in version 1 of the API. Responses have no call id, so the account in a response
// identifies its call; `actNotFound` is the error for an account that does not exist.

/** The address of the documentation. @public */
export const documentation = "https://xrpl.org/docs/references/http-websocket-apis"

/** Limits of public nodes: lines per page, and transactions per page. */
const linesPerPage = 400
export const transactionsPerPage = 400

interface OfAccount {
  readonly account: string
}

/** An account in a ledger, by the index of the ledger or a name such as `validated`. */
interface InLedger extends OfAccount {
  readonly ledger_index: number | string
}

interface OfTransaction {
  readonly hash: string
}

const isOf = ({ account_data }: { readonly account_data: { readonly Account: string } }, { account }: OfAccount) =>
  account_data.Account === account

/** Accepts only validated ledgers: the content of other ledgers may still change. */
const validated = { validated: Schema.optional(Schema.Literal(true)) }

export const accountInfo = Call.rpc("account_info", {
  perOpen: { balance: 1 },
  params: ({ account, ledger_index }: InLedger) => ({ account, ledger_index }),
  response: Schema.Struct({
    ...validated,
    account_data: Schema.Struct({
      Account: Schema.String,
      Balance: Drops,
      /** The number of objects that require a reserve. */
      OwnerCount: Schema.optional(Schema.NonNegativeInt)
    }),
    ledger_index: Schema.optional(Schema.Int)
  }),
  about: isOf
})

export const accountFlags = Call.rpc("account_info", {
  params: ({ account }: OfAccount) => ({ account, ledger_index: "validated" }),
  response: Schema.Struct({
    account_data: Schema.Struct({ Account: Schema.String, Flags: Uint32, RegularKey: Schema.optional(Schema.String) })
  }),
  about: isOf
})

const Sequence = Uint32.pipe(Schema.positive())

export const openAccount = Call.rpc("account_info", {
  note: "The open ledger includes transactions that are not validated yet.",
  params: ({ account }: OfAccount) => ({ account, ledger_index: "current", queue: true }),
  response: Schema.Struct({
    account_data: Schema.Struct({ Account: Schema.String, Balance: Drops, Sequence, OwnerCount: Uint32 }),
    /** Transactions that wait for a later ledger. */
    queue_data: Schema.optional(Schema.Struct({ highest_sequence: Schema.optional(Sequence) }))
  }),
  about: isOf
})

const IssuedAmount = Schema.transformOrFail(
  Schema.String,
  Schema.Struct({ digits: Schema.BigIntFromSelf, scale: Schema.Number }),
  {
    strict: true,
    decode: (text, _, ast) =>
      Option.match(decimal(text), {
        onNone: () => ParseResult.fail(new ParseResult.Type(ast, text, "not a decimal number")),
        onSome: (amount) => ParseResult.succeed(amount)
      }),
    encode: (amount, _, ast) => ParseResult.fail(new ParseResult.Type(ast, amount, "only read"))
  }
)

export const gatewayBalances = Call.rpc("gateway_balances", {
  note: "Adds up all lines of an account; nodes refuse it for accounts with too many.",
  params: ({ account }: OfAccount) => ({ account, ledger_index: "validated", strict: true }),
  response: Schema.Struct({
    ...validated,
    account: Schema.String,
    /** By currency; absent for an account without obligations. */
    obligations: Schema.optional(Schema.Record({ key: Schema.String, value: IssuedAmount }))
  }),
  about: (found, { account }) => found.account === account
})

interface Lines extends InLedger {
  /** The other account of the lines. */
  readonly peer?: string
  readonly marker?: unknown
}

export const accountLines = Call.rpc("account_lines", {
  perOpen: { balance: 1 },
  params: (parameters: Lines) => ({ ...parameters, limit: linesPerPage }),
  response: Schema.Struct({
    ...validated,
    account: Schema.String,
    lines: Schema.Array(Schema.Struct({ account: Schema.String, currency: Schema.String, balance: IssuedAmount })),
    ledger_index: Schema.optional(Schema.Int),
    /** Opaque; absent on the last page. */
    marker: Schema.optional(Schema.Unknown)
  }),
  about: (found, { account }) => found.account === account
})

interface Transactions extends OfAccount {
  /** The last ledger, or -1. */
  readonly last: number
  readonly limit: number
  readonly marker: unknown
}

export const accountTx = Call.rpc("account_tx", {
  perOpen: { history: 1 },
  note: "Newest first. An account that does not exist has an empty history instead of an error.",
  params: ({ account, last, limit, marker }: Transactions) => ({
    account,
    ledger_index_min: -1,
    ledger_index_max: last,
    forward: false,
    limit,
    ...(marker === undefined ? {} : { marker })
  }),
  response: Schema.Struct({
    account: Schema.String,
    transactions: rowsOf(LedgerRow),
    marker: Schema.optional(Schema.Unknown),
    /** The range of ledgers that the node searched; absent if it does not report it. */
    ledger_index_min: Schema.optional(LedgerIndex),
    ledger_index_max: Schema.optional(LedgerIndex)
  })
})

export const ledger = Call.rpc("ledger", {
  params: () => ({ ledger_index: "validated" }),
  response: Schema.Struct({
    ledger_index: Schema.compose(Uint32, LedgerIndex),
    validated: Schema.Literal(true),
    ledger: Schema.Struct({ close_time: Uint32 })
  })
})

const none = () => ({})

/** Drops of an amount of XRP, which is a JSON number with at most six decimals. */
const reserve = (most: bigint) =>
  Schema.transform(
    Schema.Finite.pipe(Schema.positive()),
    Schema.BigIntFromSelf.pipe(Schema.lessThanOrEqualToBigInt(most)),
    { strict: true, decode: (xrp) => BigInt(Math.round(xrp * 1e6)), encode: (drops) => Number(drops) / 1e6 }
  )

/** Seconds since the ledger was closed, by the server's clock. */
const age = Schema.NonNegative

const Index = Schema.compose(Uint32, LedgerIndex)

export const serverInfo = Call.rpc("server_info", {
  note: "Validators vote on both reserves.",
  params: none,
  response: Schema.Struct({
    info: Schema.Struct({
      /** That of the server's clock, such as `2026-Mar-03 03:04:46.673396 UTC`. */
      time: Schema.optional(Schema.String),
      /** Ranges such as `32570-6595042,6595050-7000000`, or `empty`. */
      complete_ledgers: Schema.optionalWith(Schema.String, { default: () => "empty" }),
      validated_ledger: Schema.Struct({
        seq: Index.pipe(Schema.filter((seq) => seq >= firstLedger)),
        age,
        reserve_base_xrp: reserve(ripple.maxReserve.base),
        reserve_inc_xrp: reserve(ripple.maxReserve.increment)
      })
    })
  })
})

export const fee = Call.rpc("fee", {
  note: "A transaction with less than the fee of the open ledger waits in the queue.",
  params: none,
  response: Schema.Struct({
    current_queue_size: Schema.String.pipe(Schema.pattern(/^\d{1,9}$/)),
    drops: Schema.Struct({
      base_fee: FeeDrops,
      median_fee: FeeDrops,
      minimum_fee: FeeDrops,
      open_ledger_fee: FeeDrops
    })
  })
})

/** The range of ledgers that a node searches. */
interface Searched extends OfTransaction {
  readonly range?: { readonly min_ledger: number; readonly max_ledger: number } | undefined
}

export const tx = Call.rpc("tx", {
  note: "`txnNotFound` says with `searched_all` whether the node has all ledgers of the range.",
  params: ({ hash, range }: Searched) => ({ transaction: hash, binary: false, ...range }),
  response: Schema.Struct({
    hash: Schema.String,
    Fee: Drops,
    LastLedgerSequence: Schema.optional(Index),
    date: Schema.optional(Uint32),
    ledger_index: Schema.optional(Index),
    validated: Schema.optional(Schema.Boolean),
    meta: Schema.optional(Schema.Struct({ TransactionResult: Schema.String }))
  }),
  about: (found, { hash }) => found.hash === hash
})

export const binaryTx = Call.rpc("tx", {
  params: ({ hash }: OfTransaction) => ({ transaction: hash, binary: true }),
  response: Schema.Struct({ hash: Schema.String, tx: Schema.optional(Schema.String) })
})

export const submit = Call.rpc("submit", {
  note: "Results as in xrpl.org/docs/references/protocol/transactions/transaction-results.",
  params: ({ blob }: { readonly blob: string }) => ({ tx_blob: blob }),
  response: Schema.Struct({
    engine_result: Schema.optional(Schema.String),
    engine_result_message: Schema.optional(Schema.String),
    accepted: Schema.optional(Schema.Boolean),
    tx_json: Schema.optional(Schema.Struct({ hash: Schema.optional(Schema.String) }))
  })
})
