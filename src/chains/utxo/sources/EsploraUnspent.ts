import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import { Uint32 } from "../../amounts.ts"
import { Count, Units } from "../amounts.ts"
import * as Unspent from "../Unspent.ts"
import type * as UtxoAddress from "../UtxoAddress.ts"

// Esplora's `/address/:address/utxo`, `/blocks/tip/height`, `/blocks/tip/hash`, `/block/:hash` and `/tx/:txid`. An instance refuses addresses with more
// outputs than it is configured for (500 by default).

const Row = Schema.Struct({
  txid: Unspent.TransactionId,
  vout: Uint32,
  value: Units,
  status: Schema.Struct({ confirmed: Schema.Boolean, block_height: Schema.NullishOr(Count) })
})

const Transaction = Schema.Struct({
  txid: Schema.String,
  vin: Schema.Array(Schema.Struct({ is_coinbase: Schema.Boolean }))
})

const height = ResponseDecoder.fitting(Count)
const hash: ResponseDecoder.Decoder<string> = (response) => {
  const fault = ResponseDecoder.statusFault(response)
  if (fault !== undefined) return Either.left(fault)
  return /^[0-9a-f]{64}$/.test(response.text) ? Either.right(response.text) : Either.left(ResponseDecoder.unreadable)
}
const block = ResponseDecoder.fitting(Schema.Struct({ timestamp: Count }))
const transaction = ResponseDecoder.fitting(Transaction)

export const unspent = (spelling: UtxoAddress.Spelling): Unspent.UnspentKind => ({
  read: (endpoint, facts, address) =>
    Effect.gen(function* () {
      const path = `/address/${spelling(facts, address)}/utxo`
      const [{ count, rows }, tip] = yield* Effect.all(
        [Unspent.readRows(endpoint, path, Row), endpoint.read(HttpClientRequest.get("/blocks/tip/height"), height)],
        { concurrency: 2 }
      )
      return {
        height: tip,
        count,
        outputs: rows.map(({ status, txid, value, vout }) => ({
          txid,
          vout,
          value,
          confirmations: status.confirmed ? Unspent.confirmationsAt(tip, status.block_height ?? tip) : 0,
          coinbase: undefined
        }))
      }
    }),
  headTime: (endpoint) =>
    Effect.flatMap(endpoint.read(HttpClientRequest.get("/blocks/tip/hash"), hash), (tip) =>
      Effect.map(endpoint.read(HttpClientRequest.get(`/block/${tip}`), block), ({ timestamp }) => timestamp)
    ),
  isCoinbase: (endpoint, txid) =>
    Effect.flatMap(endpoint.read(HttpClientRequest.get(`/tx/${txid}`), transaction), (found) =>
      found.txid === txid
        ? Effect.succeed(found.vin.some(({ is_coinbase }) => is_coinbase))
        : endpoint.fault({ reason: "bad_answer", detail: "returned another transaction than the requested one" })
    )
})
