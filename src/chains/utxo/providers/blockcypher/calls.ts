import * as Schema from "effect/Schema"
import * as Call from "../../../../upstream/Call.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import { Uint32 } from "../../../kit/holdings/amounts.ts"
import { BlockHeight, Count, Hash, Units } from "../../amounts.ts"
import { undecoded } from "../../Unspent.ts"

// The calls of BlockCypher's API. `double_spend` of transactions is not used, because it is also set on confirmed ones.

/** The address of the documentation. @public */
export const documentation = "https://www.blockcypher.com/dev/bitcoin"

export const balance = Call.get("/addrs/{address}/balance", {
  perOpen: { balance: 1 },
  note: "Each address of a batch counts as a call.",
  response: Schema.Struct({
    address: Schema.String,
    /** Includes unconfirmed transactions. */
    final_balance: Units,
    final_n_tx: Count
  })
})

/** An ISO date with a zone, to the second or finer. */
const Time = Schema.String.pipe(Schema.filter((text) => !Number.isNaN(Date.parse(text))))

const Addresses = Schema.optional(Schema.NullOr(Schema.Array(Schema.String)))

/** The script of an input is the one that spends. */
const Script = Schema.optional(Schema.NullOr(Schema.String))

export const Transaction = Schema.Struct({
  hash: Schema.String,
  /** -1 in the mempool. */
  block_height: Schema.Int,
  confirmed: Schema.optional(Time),
  /** When it was first seen. */
  received: Time,
  fees: Units,
  vin_sz: Count,
  vout_sz: Count,
  inputs: Schema.NonEmptyArray(
    Schema.Struct({
      /** Absent in a coinbase transaction. */
      prev_hash: Schema.optional(Schema.String),
      output_index: Schema.Int,
      output_value: Schema.optional(Units),
      addresses: Addresses,
      script: Script
    })
  ),
  outputs: Schema.Array(Schema.Struct({ value: Units, addresses: Addresses, script: Script }))
})

/** Transactions on a full page. */
export const perPage = 50

/** Maximum inputs and outputs returned per transaction. */
const maxInputsAndOutputs = 200

interface BlockCypherPage {
  readonly limit: number
  /** Only blocks below this height. */
  readonly before: string | undefined
}

export const transactions = Call.get("/addrs/{address}/full", {
  perOpen: { history: 1 },
  note: `At most ${maxInputsAndOutputs} inputs and outputs of a transaction. Pages follow heights and may end within a block.`,
  query: ({ before, limit }: BlockCypherPage) => ({ limit, txlimit: maxInputsAndOutputs, before }),
  response: Schema.Struct({
    address: Schema.String,
    /** The number of confirmed transactions of the address. */
    n_tx: Count,
    hasMore: Schema.optionalWith(Schema.Boolean, { default: () => false }),
    /** Absent if the page is empty. */
    txs: Schema.optionalWith(rowsOf(Transaction), { default: () => [] })
  })
})

export const Output = Schema.Struct({
  tx_hash: Hash,
  tx_output_n: Uint32,
  value: Units,
  /** Negative in the mempool. */
  block_height: Schema.Int,
  confirmations: Schema.optionalWith(Count, { default: () => 0 }),
  script: Schema.optional(Schema.String)
})

/** Maximum outputs per call. */
export const maxOutputs = 2_000

export const unspent = Call.get("/addrs/{address}", {
  query: () => ({ unspentOnly: "true", includeScript: "true", limit: maxOutputs }),
  response: Schema.Struct({
    hasMore: Schema.optional(Schema.Boolean),
    txrefs: Schema.optionalWith(undecoded(Output), { default: () => [] }),
    unconfirmed_txrefs: Schema.optionalWith(undecoded(Output), { default: () => [] })
  })
})

export const origin = Call.get("/txs/{hash}", {
  query: () => ({ limit: 1 }),
  response: Schema.Struct({
    hash: Schema.String,
    inputs: Schema.Array(Schema.Struct({ output_index: Schema.Int })),
    outputs: Schema.NonEmptyArray(Schema.Struct({ script: Schema.String }))
  })
})

export const chain = Call.get("", { response: Schema.Struct({ height: BlockHeight, time: Schema.String }) })

export const rates = Call.get("", {
  note: "Base units per 1,000 bytes for confirmation in one or two blocks, in three to six, and in seven or more.",
  response: Schema.Struct({ high_fee_per_kb: Count, medium_fee_per_kb: Count, low_fee_per_kb: Count })
})
