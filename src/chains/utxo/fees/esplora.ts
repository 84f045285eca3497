import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../../upstream/Upstream.ts"
import { eachLevel } from "../../feeLevels.ts"
import { type FeeCalls, plausible, targets } from "./FeeRates.ts"

// `/v1/fees/recommended` of mempool (mempool.space/docs/api/rest): base units per virtual byte for the next block, for an
// hour, and for no hurry. `/fee-estimates` of Esplora (github.com/Blockstream/esplora/blob/master/API.md), which does not
// have the former: by the number of blocks; targets for which its node has no estimate are left out.

const Rate = Schema.Number.pipe(Schema.finite(), Schema.nonNegative(), Schema.lessThan(1e8))

const Recommended = Schema.Struct({ fastestFee: Rate, hourFee: Rate, economyFee: Rate })

const Estimates = Schema.Record({
  key: Schema.String,
  value: Rate
})

/** Per 1,000 virtual bytes; what is less than a base unit counts as one. */
const perThousand = (rate: number): bigint => BigInt(Math.ceil(Number((rate * 1000).toFixed(3))))

const rateOf = (rate: number | undefined) => (rate === undefined ? undefined : plausible(perThousand(rate)))

const estimated = (address: Endpoint) =>
  Effect.map(address.read(HttpClientRequest.get("/fee-estimates"), ResponseDecoder.fitting(Estimates)), (estimates) =>
    eachLevel((name) => rateOf(estimates[String(targets[name])]))
  )

export const calls: FeeCalls = {
  rank: 1,
  read: (address) =>
    Effect.flatMap(
      address.read(
        HttpClientRequest.get("/v1/fees/recommended"),
        ResponseDecoder.fitting(Schema.UndefinedOr(Recommended), {}, { value: undefined })
      ),
      (recommended) =>
        recommended === undefined
          ? estimated(address)
          : Effect.succeed({
              slow: rateOf(recommended.economyFee),
              standard: rateOf(recommended.hourFee),
              fast: rateOf(recommended.fastestFee)
            })
    )
}
