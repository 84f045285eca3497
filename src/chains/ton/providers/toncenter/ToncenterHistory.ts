import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Height, LogicalTime, numberOf, Seconds } from "../../../../domain/units.ts"
import type * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Page, Row } from "../../../kit/history/mergePaged.ts"
import * as TonAddress from "../../TonAddress.ts"
import { Amount, Coins, declaredIn, interpreting } from "./ToncenterWire.ts"

/** Converts a hash from base64 to hexadecimal digits, which explorers use. */
const Hash = Schema.transform(Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9+/]{43}=$/)), Schema.String, {
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
const ToncenterTransaction = Schema.Struct({
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
const JettonTransfer = Schema.Struct({
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
const JettonBurn = Schema.Struct({
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

/** The key is the trace (all messages that follow from an external message); its id is its first transaction's hash. */
export type ToncenterRow = Required<Row> &
  (
    | { readonly transaction: ToncenterTransaction }
    /** With the decimals that the jetton declares, if they came with the transfer. */
    | { readonly transfer: JettonTransfer; readonly decimals: number | undefined }
  )

const transaction = Schema.decodeUnknownOption(ToncenterTransaction)
const jettonTransfer = Schema.decodeUnknownOption(JettonTransfer)
const jettonBurn = Schema.decodeUnknownOption(JettonBurn)

/** The trace of a row that cannot be read otherwise. */
const traced = Schema.decodeUnknownOption(Schema.Struct({ trace_id: Hash }))

const Transactions = Schema.Struct({ transactions: Schema.Array(Schema.Unknown) })
const JettonTransfers = Schema.Struct({
  jetton_transfers: Schema.Array(Schema.Unknown),
  metadata: Schema.optional(Schema.Unknown)
})
const JettonBurns = Schema.Struct({
  jetton_burns: Schema.Array(Schema.Unknown),
  metadata: Schema.optional(Schema.Unknown)
})

/** Decodes transactions of an account; transactions of other accounts count as unreadable. */
export const transactions = (account: string, range: Range) =>
  interpreting(Transactions, (body) =>
    page(body.transactions, range, (row) =>
      Option.map(
        Option.filter(transaction(row), (own) => own.account === account),
        (own): ToncenterRow => ({
          ...{ key: own.trace_id, id: own.hash, at: own.now },
          ...{ order: numberOf(own.lt), transaction: own }
        })
      )
    )
  )

/** Decodes transfers from or to an owner; transfers between other owners count as unreadable. */
export const jettonTransfers = (owner: string, range: Range) =>
  interpreting(JettonTransfers, ({ jetton_transfers, metadata }) => {
    const ofTransfer = withDecimals(metadata)
    return page(jetton_transfers, range, (row) =>
      Option.map(
        Option.filter(jettonTransfer(row), ({ destination, source }) => source === owner || destination === owner),
        ofTransfer
      )
    )
  })

/** Decodes burns by an owner as transfers without a recipient; burns by other owners count as unreadable. */
export const jettonBurns = (account: string, range: Range) =>
  interpreting(JettonBurns, ({ jetton_burns, metadata }) => {
    const ofTransfer = withDecimals(metadata)
    return page(jetton_burns, range, (row) =>
      Option.map(
        Option.filter(jettonBurn(row), ({ owner }) => owner === account),
        ({ jetton_wallet, owner, ...burn }) =>
          ofTransfer({
            ...burn,
            source: owner,
            source_wallet: jetton_wallet,
            destination: null,
            forward_ton_amount: 0n
          })
      )
    )
  })

const withDecimals = (metadata: unknown) => {
  const declared = declaredIn(metadata)
  return (transfer: JettonTransfer): ToncenterRow => ({
    key: transfer.trace_id,
    id: transfer.transaction_hash,
    at: transfer.transaction_now,
    order: numberOf(transfer.transaction_lt),
    transfer,
    decimals: declared.get(transfer.jetton_master ?? "")
  })
}

/** The decimals that came with the transfers of these rows, by master. */
export const decimalsIn = (rows: ReadonlyArray<ToncenterRow>): ReadonlyMap<string, number> =>
  new Map(
    rows.flatMap((row) =>
      "transfer" in row && row.decimals !== undefined && row.transfer.jetton_master !== null
        ? [[row.transfer.jetton_master, row.decimals] as const]
        : []
    )
  )

export interface Range {
  readonly offset: number
  readonly limit: number
}

/** Counts and skips unreadable rows; a page with only unreadable rows is an error. */
const page = (
  data: ReadonlyArray<unknown>,
  { limit, offset }: Range,
  rowOf: (row: unknown) => Option.Option<ToncenterRow>
): ReturnType<ResponseDecoder.Decoder<Page<ToncenterRow>>> => {
  const read = data.map(rowOf)
  const rows = Arr.getSomes(read)
  return rows.length === 0 && data.length > 0
    ? Either.left({ reason: "bad_answer", detail: "returned transactions in an unexpected format" })
    : Either.right({
        rows,
        oldest: rows.at(-1)?.at,
        // A page with a repeated row is longer.
        next: data.length < limit ? undefined : String(offset + limit),
        unreadable: data.length - rows.length,
        incomplete: data.flatMap((row, index) =>
          read[index] !== undefined && Option.isSome(read[index])
            ? []
            : Option.toArray(Option.map(traced(row), ({ trace_id }) => trace_id))
        )
      })
}
