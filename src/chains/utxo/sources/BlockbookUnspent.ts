import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import { Count, UnitsText } from "../amounts.ts"
import * as Unspent from "../Unspent.ts"

// Blockbook's `/api/v2/utxo/` for an address or an extended public key, and `/api/v2` for its newest block. Outputs that
// a transaction in the pool spends are left out, and those that it makes are listed without a height.

const Row = Schema.Struct({
  txid: Unspent.TransactionId,
  vout: Count,
  value: UnitsText,
  /** Below zero, zero or absent in the pool. */
  height: Schema.optionalWith(Schema.Int, { default: () => 0 }),
  confirmations: Schema.optionalWith(Count, { default: () => 0 }),
  coinbase: Schema.optional(Schema.Boolean),
  /** Of an extended key: the address, and where it is derived. */
  address: Schema.optional(Schema.String),
  path: Schema.optional(Schema.String)
})

const status = ResponseDecoder.fitting(Schema.Struct({ blockbook: Schema.Struct({ bestHeight: Count }) }))

export const unspent: Unspent.UnspentKind = {
  read: (endpoint, _, address) =>
    Effect.gen(function* () {
      const { count, rows } = yield* Unspent.readRows(endpoint, `/api/v2/utxo/${address}`, Row)
      const height =
        Unspent.heightBy(rows) ??
        (yield* Effect.map(
          endpoint.read(HttpClientRequest.get("/api/v2"), status),
          ({ blockbook }) => blockbook.bestHeight
        ))
      return {
        height,
        count,
        outputs: rows.map(({ address, coinbase = false, confirmations, path, txid, value, vout }) => ({
          txid,
          vout,
          value,
          confirmations,
          coinbase,
          ...(address === undefined ? {} : { address }),
          ...(path === undefined ? {} : { path })
        }))
      }
    })
}
