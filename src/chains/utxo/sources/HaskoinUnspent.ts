import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import { Uint32 } from "../../amounts.ts"
import { Count, Units } from "../amounts.ts"
import * as Unspent from "../Unspent.ts"
import { withoutPrefix } from "./HaskoinHistory.ts"

// Haskoin Store's `/address/{address}/unspent`, `/address/{address}/balance` and `/block/best`.

const Row = Schema.Struct({
  address: Schema.String,
  block: Schema.Union(Schema.Struct({ height: Count, position: Count }), Schema.Struct({ mempool: Schema.Number })),
  txid: Unspent.TransactionId,
  index: Uint32,
  pkscript: Schema.String.pipe(Schema.pattern(/^([0-9a-f]{2})*$/)),
  value: Units
})

/** Outputs that are requested; how many there are is read where it returns as many. */
const maxRows = 5_000

const interpret = Unspent.decoding(Schema.Array(Schema.Unknown), Row, (rows) => ({
  rows,
  more: rows.length >= maxRows
}))
const best = ResponseDecoder.fitting(Schema.Struct({ height: Count }))
const made = ResponseDecoder.fitting(Schema.Struct({ time: Count }))
const newest = HttpClientRequest.setUrlParam(HttpClientRequest.get("/block/best"), "notx", "true")
const balance = ResponseDecoder.fitting(Schema.Struct({ utxo: Count }))

export const unspent: Unspent.UnspentKind = {
  headTime: (endpoint) => Effect.map(endpoint.read(newest, made), ({ time }) => time),
  read: (endpoint, _, address) =>
    Effect.gen(function* () {
      const path = `/address/${withoutPrefix(address)}`
      const [{ count, rows }, { height }] = yield* Effect.all(
        [
          endpoint.read(
            HttpClientRequest.setUrlParam(HttpClientRequest.get(`${path}/unspent`), "limit", String(maxRows)),
            interpret
          ),
          endpoint.read(newest, best)
        ],
        { concurrency: 2 }
      )
      const all =
        count ??
        (yield* Effect.map(endpoint.read(HttpClientRequest.get(`${path}/balance`), balance), ({ utxo }) => utxo))
      return {
        height,
        count: all,
        outputs: rows.map(({ address, block, index, pkscript, txid, value }) => ({
          txid,
          vout: index,
          value,
          address,
          script: pkscript,
          confirmations: "height" in block ? Unspent.confirmationsAt(height, block.height) : 0,
          // The first transaction of a block brings new coins.
          coinbase: "height" in block && block.position === 0
        }))
      }
    })
}
