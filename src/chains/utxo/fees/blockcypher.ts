import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import { Count } from "../amounts.ts"
import { type FeeCalls, plausible } from "./FeeRates.ts"

// The chain endpoint of BlockCypher's API (www.blockcypher.com/dev/bitcoin): base units per 1,000 bytes for a confirmation
// in one or two blocks, in three to six, and in seven or more.

const Rates = Schema.Struct({ high_fee_per_kb: Count, medium_fee_per_kb: Count, low_fee_per_kb: Count })

export const calls: FeeCalls = {
  rank: 3,
  read: (address) =>
    Effect.map(address.read(HttpClientRequest.get(""), ResponseDecoder.fitting(Rates)), (rates) => ({
      slow: plausible(BigInt(rates.low_fee_per_kb)),
      standard: plausible(BigInt(rates.medium_fee_per_kb)),
      fast: plausible(BigInt(rates.high_fee_per_kb))
    }))
}
