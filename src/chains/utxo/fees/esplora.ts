import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import { eachLevel } from "../../feeLevels.ts"
import { type FeeCalls, plausible, targets } from "./FeeRates.ts"

// `/fee-estimates` of Esplora (github.com/Blockstream/esplora/blob/master/API.md): base units per virtual byte by the
// number of blocks. Targets for which its node has no estimate are left out.

const Estimates = Schema.Record({
  key: Schema.String,
  value: Schema.Number.pipe(Schema.finite(), Schema.nonNegative(), Schema.lessThan(1e8))
})

/** Per 1,000 virtual bytes; what is less than a base unit counts as one. */
const perThousand = (rate: number): bigint => BigInt(Math.ceil(Number((rate * 1000).toFixed(3))))

export const calls: FeeCalls = {
  rank: 1,
  read: (address) =>
    Effect.map(address.read(HttpClientRequest.get("/fee-estimates"), ResponseDecoder.fitting(Estimates)), (estimates) =>
      eachLevel((name) => {
        const rate = estimates[String(targets[name])]
        return rate === undefined ? undefined : plausible(perThousand(rate))
      })
    )
}
