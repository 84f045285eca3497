import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { ton } from "../../../../catalogue/ton.ts"
import { Height, LogicalTime, Seconds } from "../../../../domain/units.ts"
import * as TonAddress from "../../TonAddress.ts"
import { maxJettons } from "../rows.ts"

// Rows of TON Center's lists of an account.

const units = (max: bigint) =>
  Schema.String.pipe(
    Schema.pattern(/^\d{1,40}$/),
    Schema.compose(Schema.BigInt),
    Schema.filter((amount) => amount <= max)
  )

/** Base units of a jetton in decimal digits. */
export const Amount = units(maxJettons)

/** Base units of TON in decimal digits. */
export const Coins = units(ton.supply)

/** Converts a hash from base64 to hexadecimal digits, which explorers use. */
export const Hash = Schema.transform(Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9+/]{43}=$/)), Schema.String, {
  strict: true,
  decode: (text) => Buffer.from(text, "base64").toString("hex"),
  encode: (hex) => Buffer.from(hex, "hex").toString("base64")
})

/** An address, decoded to its canonical form. */
const Account = Schema.transformOrFail(Schema.String, Schema.String, {
  strict: true,
  decode: (text, _, ast) =>
    Either.mapLeft(TonAddress.parse(text), (problem) => new ParseResult.Type(ast, text, problem)),
  encode: (raw) => Either.right(raw)
})

const zeroIfAbsent = { default: () => 0n, nullable: true } as const

const Lt = Schema.String.pipe(
  Schema.pattern(/^\d{1,16}$/),
  Schema.compose(Schema.NumberFromString),
  Schema.compose(LogicalTime)
)

const common = {
  ihr_fee: Schema.optionalWith(Coins, zeroIfAbsent),
  opcode: Schema.optional(Schema.NullOr(Schema.String)),
  bounced: Schema.optional(Schema.NullOr(Schema.Boolean))
}

const internal = { ...common, source: Account, destination: Account, value: Coins }

/** External messages have no source (incoming) or no destination (outgoing), and no value. */
const External = Schema.Struct({
  ...common,
  source: Schema.NullOr(Account),
  destination: Schema.NullOr(Account),
  value: Schema.optionalWith(Coins, zeroIfAbsent),
  fwd_fee: Schema.optionalWith(Coins, zeroIfAbsent)
}).pipe(Schema.filter(({ destination, source, value }) => value === 0n && (source === null || destination === null)))

const ToncenterMessage = Schema.Union(
  Schema.Struct({ ...internal, fwd_fee: Schema.optionalWith(Coins, zeroIfAbsent) }),
  External
)
export type ToncenterMessage = typeof ToncenterMessage.Type

/** A row of `/api/v3/transactions`. The credit phase is ignored: external messages can have any number in it. */
export const ToncenterTransaction = Schema.Struct({
  account: Account,
  hash: Hash,
  trace_id: Hash,
  lt: Lt,
  now: Seconds,
  /** The block of the masterchain that includes it; null while it is pending. */
  mc_block_seqno: Schema.NullishOr(Schema.compose(Schema.NonNegativeInt, Height)),
  total_fees: Coins,
  emulated: Schema.optional(Schema.NullOr(Schema.Boolean)),
  description: Schema.Struct({
    type: Schema.String,
    aborted: Schema.optional(Schema.NullOr(Schema.Boolean)),
    action: Schema.optional(
      Schema.NullOr(
        Schema.Struct({
          success: Schema.optional(Schema.NullOr(Schema.Boolean)),
          skipped_actions: Schema.optional(Schema.NullOr(Schema.Int))
        })
      )
    )
  }),
  /** Null for ticks of system contracts. */
  in_msg: Schema.optional(Schema.NullOr(ToncenterMessage)),
  /** Their forwarding fees are part of the cost. */
  out_msgs: Schema.Array(Schema.Union(Schema.Struct({ ...internal, fwd_fee: Coins }), External))
}).pipe(Schema.filter(({ description, in_msg }) => description.type !== "ord" || in_msg != null))
export type ToncenterTransaction = typeof ToncenterTransaction.Type

/** A row of `/api/v3/jetton/transfers`: the transaction is that of the sender's jetton wallet. */
export const JettonTransfer = Schema.Struct({
  source: Schema.optional(Schema.NullOr(Account)),
  destination: Schema.optional(Schema.NullOr(Account)),
  amount: Amount,
  source_wallet: Schema.optional(Schema.NullOr(Account)),
  jetton_master: Schema.NullOr(Account),
  transaction_hash: Hash,
  transaction_lt: Lt,
  transaction_now: Seconds,
  transaction_aborted: Schema.Boolean,
  /** As the sender wrote it into the message: any number, even if nothing was forwarded. */
  forward_ton_amount: Schema.optionalWith(Amount, zeroIfAbsent),
  trace_id: Hash
})
export type JettonTransfer = typeof JettonTransfer.Type

/** A row of `/api/v3/jetton/burns`: the transaction is that of the owner's jetton wallet. */
export const JettonBurn = Schema.Struct({
  ...JettonTransfer.pick(
    "amount",
    "jetton_master",
    "transaction_hash",
    "transaction_lt",
    "transaction_now",
    "transaction_aborted",
    "trace_id"
  ).fields,
  owner: Account,
  jetton_wallet: Schema.optional(Schema.NullOr(Account))
})
