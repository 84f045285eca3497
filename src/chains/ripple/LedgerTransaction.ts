import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { LedgerIndex, ledgerIndex, numberOf, type Seconds, seconds, secondsOf } from "../../domain/units.ts"
import { Uint32 } from "../kit/holdings/amounts.ts"
import { type Decimal, Drops, decimal } from "./amount.ts"
import { tokenOf, xrp } from "./BalanceChanges.ts"

// Rows of account_tx in both API versions. Version 1 has `tx`, which contains hash and ledger. Version 2 has `tx_json`,
// with hash and ledger next to it, the time also as a string, and DeliverMax instead of Amount.

/** An amount of the native coin or of a token. */
export interface RippleAmount {
  readonly token: string
  readonly amount: Decimal
}

/** A transaction of the ledger. */
export interface LedgerTransaction {
  readonly hash: string
  readonly type: string
  readonly account: string
  /** The payer of the fee. */
  readonly payer: string
  readonly destination: string | undefined
  readonly fee: bigint | undefined
  readonly at: Seconds
  /** 0 if the row does not name it. */
  readonly ledger: LedgerIndex
  /** The sender's sequence number, or that of the ticket in its place. */
  readonly sequence: number | undefined
  readonly index: number
  /** The engine's result code; undefined until a ledger includes the transaction. */
  readonly result: string | undefined
  readonly validated: boolean
  readonly nodes: ReadonlyArray<unknown>
  /** The amount that the sender intended to deliver. */
  readonly intended: Option.Option<RippleAmount>
  /** The delivered amount, if it is reported or certain. */
  readonly delivered: Option.Option<RippleAmount>
}

const Hash = Schema.String.pipe(Schema.pattern(/^[0-9A-F]{64}$/i))

const Tx = Schema.Struct({
  TransactionType: Schema.String,
  Account: Schema.String,
  Delegate: Schema.optional(Schema.String),
  Destination: Schema.optional(Schema.String),
  Fee: Schema.optional(Drops),
  /** 0 for a transaction with a ticket. */
  Sequence: Uint32,
  TicketSequence: Schema.optional(Uint32),
  Flags: Schema.optional(Schema.Number),
  Amount: Schema.optional(Schema.Unknown),
  DeliverMax: Schema.optional(Schema.Unknown),
  date: Schema.optional(Schema.Int),
  hash: Schema.optional(Hash),
  ledger_index: Schema.optional(LedgerIndex)
})

const Meta = Schema.Struct({
  TransactionIndex: Schema.optional(Schema.Int),
  TransactionResult: Schema.String,
  AffectedNodes: Schema.optional(Schema.Array(Schema.Unknown)),
  delivered_amount: Schema.optional(Schema.Unknown),
  DeliveredAmount: Schema.optional(Schema.Unknown)
})

const rowFields = {
  meta: Schema.optional(Meta),
  hash: Schema.optional(Hash),
  ledger_index: Schema.optional(LedgerIndex),
  close_time_iso: Schema.optional(Schema.String),
  validated: Schema.optional(Schema.Boolean)
}

/** A row of account_tx. */
export const LedgerRow = Schema.Union(
  Schema.Struct({ tx: Tx, ...rowFields }),
  Schema.Struct({ tx_json: Tx, ...rowFields })
)

const row = Schema.decodeUnknownOption(LedgerRow)

/** The first ledger that exists; earlier ones were lost. */
export const firstLedger = ledgerIndex(32_570)

/** The time of a date of the ledger, which counts seconds since 1 January 2000. */
export const timeOf = (date: number): Seconds => seconds(date + 946_684_800)

/** The date of a time, in the count of the ledger. */
export const dateOf = (time: Seconds): number => Math.max(0, numberOf(time) - 946_684_800)

/** The flag of payments that may deliver less than intended. */
const partialPayment = 0x00020000

/** None for a row that cannot be decoded. */
export const toLedgerTransaction = (listed: unknown): Option.Option<LedgerTransaction> =>
  Option.flatMap(row(listed), fromRow)

/** None for a row without a hash or a time. */
export const fromRow = (found: typeof LedgerRow.Type): Option.Option<LedgerTransaction> => {
  const tx = "tx" in found ? found.tx : found.tx_json
  const hash = found.hash ?? tx.hash
  const at = tx.date === undefined ? secondsOf(found.close_time_iso ?? "") : timeOf(tx.date)
  const ledger = found.ledger_index ?? tx.ledger_index
  if (hash === undefined || Number.isNaN(at)) return Option.none()
  const { meta } = found
  const intended = amountOf(tx.DeliverMax ?? tx.Amount)
  const partial = ((tx.Flags ?? 0) & partialPayment) !== 0
  return Option.some({
    hash,
    type: tx.TransactionType,
    account: tx.Account,
    payer: tx.Delegate ?? tx.Account,
    destination: tx.Destination,
    fee: tx.Fee === undefined ? undefined : BigInt(tx.Fee),
    at,
    ledger: ledger ?? ledgerIndex(0),
    sequence: tx.TicketSequence ?? (tx.Sequence === 0 ? undefined : tx.Sequence),
    index: meta?.TransactionIndex ?? 0,
    result: meta?.TransactionResult,
    validated: found.validated ?? true,
    nodes: meta?.AffectedNodes ?? [],
    intended,
    delivered: amountOf(meta?.delivered_amount).pipe(
      Option.orElse(() => amountOf(meta?.DeliveredAmount)),
      // Omitted if the full amount was delivered; `unavailable` for old partial payments.
      Option.orElse(() =>
        tx.TransactionType === "Payment" && meta?.delivered_amount === undefined && !partial ? intended : Option.none()
      )
    )
  })
}

const Issued = Schema.Struct({ currency: Schema.String, issuer: Schema.String, value: Schema.String })
const Mpt = Schema.Struct({ mpt_issuance_id: Schema.String, value: Schema.String })
const shape = Schema.decodeUnknownEither(Schema.Union(Drops, Issued, Mpt))

/** The three forms of an amount; none for anything else, such as `unavailable`. */
export const amountOf = (wire: unknown): Option.Option<RippleAmount> =>
  Either.match(shape(wire), {
    onLeft: () => Option.none(),
    onRight: (form) => {
      if (typeof form === "string") return Option.map(decimal(form), (amount) => ({ token: xrp, amount }))
      const token = "currency" in form ? tokenOf(form.issuer, form.currency) : form.mpt_issuance_id
      return Option.map(decimal(form.value), (amount) => ({ token, amount }))
    }
  })
