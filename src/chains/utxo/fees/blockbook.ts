import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import { eachTarget, type FeeCalls, ofCoins } from "./FeeRates.ts"

// `/api/v2/estimatefee/{blocks}` of Blockbook (github.com/trezor/blockbook/blob/master/docs/api.md): coins per 1,000
// bytes, one target a call.

const Estimated = Schema.Struct({ result: Schema.String.pipe(Schema.pattern(/^-?\d{1,9}(\.\d{1,8})?$/)) })

export const calls: FeeCalls = {
  rank: 2,
  read: (address) =>
    eachTarget((blocks) =>
      Effect.map(
        address.read(HttpClientRequest.get(`/api/v2/estimatefee/${blocks}`), ResponseDecoder.fitting(Estimated)),
        ({ result }) => ofCoins(Number(result))
      )
    )
}
