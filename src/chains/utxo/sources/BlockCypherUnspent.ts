import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import { Uint32 } from "../../amounts.ts"
import { Count, Units } from "../amounts.ts"
import * as Unspent from "../Unspent.ts"

// BlockCypher's `/addrs/$ADDRESS?unspentOnly=true` (www.blockcypher.com/dev/bitcoin), and `/txs/$HASH`.

const Row = Schema.Struct({
  tx_hash: Unspent.TransactionId,
  tx_output_n: Uint32,
  value: Units,
  /** Below zero in the pool. */
  block_height: Schema.Int,
  confirmations: Schema.optionalWith(Count, { default: () => 0 }),
  script: Schema.optional(Schema.String)
})

/** The most that a call returns. */
const maxRows = 2_000

const Listing = Schema.Struct({
  hasMore: Schema.optional(Schema.Boolean),
  txrefs: Schema.optionalWith(Schema.Array(Schema.Unknown), { default: () => [] }),
  unconfirmed_txrefs: Schema.optionalWith(Schema.Array(Schema.Unknown), { default: () => [] })
})

const interpret = Unspent.decoding(Listing, Row, ({ hasMore = false, txrefs, unconfirmed_txrefs }) => {
  const rows = [...txrefs, ...unconfirmed_txrefs]
  return { rows, more: hasMore || rows.length >= maxRows }
})
const chain = ResponseDecoder.fitting(Schema.Struct({ height: Count }))
const transaction = ResponseDecoder.fitting(
  Schema.Struct({ hash: Schema.String, inputs: Schema.Array(Schema.Struct({ output_index: Schema.Int })) })
)

const made = ResponseDecoder.fitting(Schema.Struct({ time: Schema.String }))

export const unspent: Unspent.UnspentKind = {
  headTime: (endpoint) =>
    Effect.map(endpoint.read(HttpClientRequest.get(""), made), ({ time }) => Date.parse(time) / 1000),
  read: (endpoint, _, address) =>
    Effect.gen(function* () {
      const { count, rows } = yield* endpoint.read(
        HttpClientRequest.get(`/addrs/${address}`).pipe(
          HttpClientRequest.setUrlParams({ unspentOnly: "true", includeScript: "true", limit: String(maxRows) })
        ),
        interpret
      )
      const height =
        Unspent.heightBy(rows.map(({ block_height, confirmations }) => ({ height: block_height, confirmations }))) ??
        (yield* Effect.map(endpoint.read(HttpClientRequest.get(""), chain), (found) => found.height))
      return {
        height,
        count,
        outputs: rows.map(({ confirmations, script, tx_hash, tx_output_n, value }) => ({
          txid: tx_hash,
          vout: tx_output_n,
          value,
          confirmations,
          coinbase: undefined,
          ...(script === undefined ? {} : { script })
        }))
      }
    }),
  isCoinbase: (endpoint, txid) =>
    Effect.flatMap(
      endpoint.read(HttpClientRequest.setUrlParam(HttpClientRequest.get(`/txs/${txid}`), "limit", "1"), transaction),
      ({ hash, inputs }) =>
        hash === txid
          ? Effect.succeed(inputs.some(({ output_index }) => output_index === -1))
          : endpoint.fault({ reason: "bad_answer", detail: "returned another transaction than the requested one" })
    )
}
