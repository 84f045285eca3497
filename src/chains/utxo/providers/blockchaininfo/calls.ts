import * as Schema from "effect/Schema"
import { Height, Seconds } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import { Count, Units } from "../../amounts.ts"

// The calls of blockchain.info's data API.

/** The address of the documentation. @public */
export const documentation = "https://www.blockchain.com/explorer/api/blockchain_api"

const Balance = Schema.Struct({
  address: Schema.String,
  /** Includes unconfirmed transactions. */
  final_balance: Units,
  n_tx: Count
})

export const addresses = Call.get("/multiaddr", {
  query: ({ addresses }: { readonly addresses: ReadonlyArray<string> }) => ({ active: addresses.join("|"), n: 1 }),
  response: Schema.Struct({ addresses: rowsOf(Balance) })
})

/** The newest block that the source has, in the response of {@link addresses}. */
export const Newest = Schema.Struct({
  info: Schema.optional(Schema.Struct({ latest_block: Schema.optional(Schema.Struct({ time: Seconds })) }))
})

const side = {
  addr: Schema.optional(Schema.String),
  script: Schema.optional(Schema.NullOr(Schema.String)),
  value: Units
}

export const Transaction = Schema.Struct({
  hash: Schema.String,
  fee: Units,
  vin_sz: Count,
  vout_sz: Count,
  /** The time of its block, or when it was first seen. */
  time: Seconds,
  block_height: Schema.optional(Schema.NullOr(Height)),
  inputs: Schema.NonEmptyArray(
    Schema.Struct({
      prev_out: Schema.optional(Schema.NullOr(Schema.Struct({ ...side, n: Units, tx_index: Units })))
    })
  ),
  out: Schema.Array(Schema.Struct(side))
})

/** Transactions on a full page. */
export const perPage = 50

interface BlockchainInfoPage {
  readonly limit: number
  readonly offset: string
}

export const transactions = Call.get("/rawaddr/{address}", {
  note: "`/multiaddr` omits outputs to other addresses.",
  query: ({ limit, offset }: BlockchainInfoPage) => ({ limit, offset }),
  response: Schema.Struct({ address: Schema.String, n_tx: Count, txs: rowsOf(Transaction) })
})
