import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Upstream from "../../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../../upstream/UpstreamError.ts"
import type { TonPrices } from "../../Provider.ts"

// `/v2/blockchain/config` of TonAPI: the parameters of the configuration, by number.

const Price = Schema.Int.pipe(Schema.nonNegative())

const Config = Schema.Struct({
  "21": Schema.Struct({
    gas_limits_prices: Schema.Struct({
      flat_gas_limit: Schema.optionalWith(Price, { default: () => 0 }),
      flat_gas_price: Schema.optionalWith(Price, { default: () => 0 }),
      gas_price: Price
    })
  }),
  "25": Schema.Struct({
    msg_forward_prices: Schema.Struct({ lump_price: Price, bit_price: Price, cell_price: Price })
  })
})

export const pricesOf = (upstream: Upstream.Upstream): Effect.Effect<TonPrices, UpstreamError> =>
  Effect.map(
    upstream.read(HttpClientRequest.get("/v2/blockchain/config"), Config),
    ({ "21": { gas_limits_prices: gas }, "25": { msg_forward_prices: message } }) => ({
      gas: {
        flatLimit: BigInt(gas.flat_gas_limit),
        flatPrice: BigInt(gas.flat_gas_price),
        price: BigInt(gas.gas_price)
      },
      message: {
        lump: BigInt(message.lump_price),
        bit: BigInt(message.bit_price),
        cell: BigInt(message.cell_price)
      }
    })
  )
