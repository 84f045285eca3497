import * as Schema from "effect/Schema"
import { type Height, numberOf, Seconds } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import { Uint32 } from "../../../kit/holdings/amounts.ts"
import { BlockHeight, Count, Hash, UnitsText } from "../../amounts.ts"
import type { ParsedTransaction } from "../../rawTransactions/UtxoTransaction.ts"

// The calls of Blockbook's HTTP API v2.

/** The address of the documentation. @public */
export const documentation = "https://github.com/trezor/blockbook/blob/master/docs/api.md"

/** Extended keys are longer than all addresses. */
export const isExtended = (address: string): boolean => address.length > 100

/** The parameters in the path of an address or an extended key. */
export const holder = (address: string) => ({ kind: isExtended(address) ? "xpub" : "address", address })

/** The addresses derived from an extended key. */
const Tokens = Schema.optionalWith(Schema.Array(Schema.Struct({ name: Schema.String })), { default: () => [] })

export const balance = Call.get("/api/v2/{kind}/{address}", {
  perOpen: { balance: 1 },
  note: "The kind is `xpub` for an extended key, otherwise `address`. All derived addresses are requested: those with unconfirmed transactions only are not counted as used.",
  query: ({ kind }) => (kind === "xpub" ? { details: "tokens", tokens: "derived" } : { details: "basic" }),
  response: Schema.Struct({
    /** In Blockbook's spelling; an extended key as requested. */
    address: Schema.String,
    balance: UnitsText.pipe(Schema.nonNegativeBigInt()),
    /** The change of the balance by mempool transactions; negative if they spend more. */
    unconfirmedBalance: UnitsText,
    /** The number of transactions in the mempool. */
    unconfirmedTxs: Schema.optional(Count),
    txs: Schema.optional(Count),
    /** The number of addresses of an extended key that have transactions in blocks. */
    usedTokens: Schema.optionalWith(Count, { default: () => 0 }),
    tokens: Tokens
  })
})

/** For a script without an address, `addresses` contains a description of the script. */
const script = {
  addresses: Schema.optional(Schema.NullOr(Schema.Array(Schema.String))),
  isAddress: Schema.Boolean,
  /** Whether it belongs to the requested account; old versions do not return it. */
  isOwn: Schema.optional(Schema.Boolean),
  /** The script, in hexadecimal digits: that of an input is the one that spends. */
  hex: Schema.optional(Schema.NullOr(Schema.String))
}

const Input = Schema.Struct({
  ...script,
  /** Absent in a coinbase transaction. */
  txid: Schema.optional(Schema.String),
  vout: Schema.optionalWith(Count, { default: () => 0 }),
  value: Schema.optional(UnitsText)
})

export const Output = Schema.Struct({ ...script, value: UnitsText })

export const Transaction = Schema.Struct({
  txid: Schema.String,
  vin: Schema.Array(Input),
  vout: Schema.Array(Output),
  /** Negative or zero in the mempool; then the time is when it was first seen. */
  blockHeight: Schema.optionalWith(Schema.Int, { default: () => -1 }),
  confirmations: Count,
  blockTime: Seconds,
  fees: Schema.optional(UnitsText)
})

/** Maximum transactions on a page. */
export const perPage = 1000

interface BlockbookPage {
  readonly kind: string
  readonly pageSize: number
  readonly page: string
  /** None above this height. */
  readonly to?: Height | undefined
}

export const transactions = Call.get("/api/v2/{kind}/{address}", {
  perOpen: { history: 1 },
  note: "The first page also contains unconfirmed transactions, in addition to the requested number of confirmed ones.",
  query: ({ kind, page, pageSize, to }: BlockbookPage) => ({
    details: "txs",
    pageSize,
    page,
    to: to === undefined ? undefined : numberOf(to),
    tokens: kind === "xpub" ? "used" : undefined
  }),
  response: Schema.Struct({
    address: Schema.String,
    page: Count,
    /** -1 if it does not count them. */
    totalPages: Schema.Int,
    /** Maximum confirmed transactions per page. */
    itemsOnPage: Schema.optional(Count),
    /** The number of confirmed transactions of the address. */
    txs: Schema.optional(Count),
    /** Absent if the page has none. */
    transactions: Schema.optionalWith(rowsOf(Transaction), { default: () => [] }),
    tokens: Tokens
  })
})

/** The members of {@link transactions} that have the scripts of outputs. */
export const scripts = Call.get("/api/v2/{kind}/{address}", {
  query: () => ({ details: "txs", pageSize: perPage }),
  response: Schema.Struct({
    transactions: Schema.optionalWith(
      Schema.Array(Schema.Struct({ txid: Schema.String, hex: Schema.optional(Schema.String) })),
      { default: () => [] }
    )
  })
})

export const utxos = Call.get("/api/v2/utxo/{address}", {
  note: "For an address or an extended key. Outputs spent in the mempool are omitted. Scripts are not returned: outputs that pay a bare public key (listed under the address of its hash) and outputs with CashTokens look like any other.",
  response: Schema.Array(
    Schema.Struct({
      txid: Hash,
      vout: Uint32,
      value: UnitsText,
      /** Negative, zero or absent in the mempool. */
      height: Schema.optionalWith(Schema.Int, { default: () => 0 }),
      confirmations: Schema.optionalWith(Count, { default: () => 0 }),
      coinbase: Schema.optional(Schema.Boolean),
      /** For an extended key: the address and its derivation path. */
      address: Schema.optional(Schema.String),
      path: Schema.optional(Schema.String)
    })
  )
})

export const transaction = Call.get("/api/v2/tx/{hash}", {
  response: Schema.Struct({
    ...Transaction.fields,
    vsize: Schema.optional(Count),
    vin: Schema.Array(Schema.Struct({ ...Input.fields, sequence: Schema.optional(Uint32) }))
  })
})

/** The members of {@link transaction} that say what made its outputs. */
export const origin = Call.get("/api/v2/tx/{hash}", {
  response: Schema.Struct({
    txid: Schema.String,
    vin: Schema.Array(Schema.Struct({ txid: Schema.optional(Schema.String) })),
    vout: Schema.NonEmptyArray(Schema.Struct({ hex: Schema.String }))
  })
})

/** The raw transaction in {@link transaction}. */
export const raw = Call.get("/api/v2/tx/{hash}", { response: Schema.Struct({ hex: Schema.String }) })

export const submit = Call.post("/api/v2/sendtx/", {
  note: "Takes text. An error is that of its node (code and message), or its own message.",
  body: ({ hex }: Pick<ParsedTransaction, "hex">) => hex,
  response: Schema.Struct({ result: Schema.String })
})

export const status = Call.get("/api/v2", {
  response: Schema.Struct({
    blockbook: Schema.Struct({
      bestHeight: BlockHeight,
      /** When it took the block in, which is now while it catches up. */
      lastBlockTime: Schema.String,
      initialSync: Schema.optional(Schema.Boolean)
    }),
    /** The node behind it, and the number of blocks of which that node knows. */
    backend: Schema.optional(Schema.Struct({ headers: Schema.optional(BlockHeight) }))
  })
})

export const estimate = Call.get("/api/v2/estimatefee/{blocks}", {
  note: "Coins per 1,000 bytes, one target per call.",
  response: Schema.Struct({ result: Schema.String.pipe(Schema.pattern(/^-?\d{1,9}(\.\d{1,8})?$/)) })
})
