import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { EpochJson } from "../../Chain.ts"
import { type CardanoSource, Hash } from "../Source.ts"

// `/epochs/latest/parameters` and `/blocks/latest` of Blockfrost, returned unchanged.

const Lovelace = Schema.String.pipe(Schema.pattern(/^\d+$/))
const Prices = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** The fields that are needed to build transactions; the response may contain others. */
const Parameters = Schema.Struct({
  epoch: Schema.Int,
  min_fee_a: Schema.Int,
  min_fee_b: Schema.Int,
  max_tx_size: Schema.Int,
  key_deposit: Lovelace,
  pool_deposit: Lovelace,
  protocol_major_ver: Schema.Int,
  cost_models: Prices,
  price_mem: Schema.Number,
  price_step: Schema.Number,
  max_tx_ex_mem: Lovelace,
  max_tx_ex_steps: Lovelace,
  max_val_size: Lovelace,
  collateral_percent: Schema.Int,
  max_collateral_inputs: Schema.Int,
  coins_per_utxo_size: Lovelace
})

const Block = Schema.Struct({
  time: Schema.Int,
  height: Schema.Int,
  hash: Hash,
  slot: Schema.Int,
  epoch: Schema.Int
})

export const make = (
  upstream: Upstream,
  refusal: NonNullable<ResponseDecoder.DecodeOptions["refusal"]>
): Pick<CardanoSource, "parameters" | "block"> => {
  const unchanged = <A extends { readonly epoch: number }, I>(path: string, schema: Schema.Schema<A, I>) =>
    upstream.over((address) =>
      address.read(HttpClientRequest.get(path), (answer) =>
        Either.map(
          ResponseDecoder.fitting(schema, { refusal })(answer),
          ({ epoch }): EpochJson => ({ epoch, json: answer.text.trim() })
        )
      )
    )
  return { parameters: unchanged("/epochs/latest/parameters", Parameters), block: unchanged("/blocks/latest", Block) }
}
