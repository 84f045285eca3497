import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Height, Seconds } from "../../domain/units.ts"
import type { Upstream } from "../../upstream/Upstream.ts"

/** Response of `/api/v2/scan/blocks` (support.subscan.io), newest block first. */
const Blocks = Schema.Struct({
  data: Schema.Struct({
    blocks: Schema.Tuple(
      [Schema.Struct({ block_num: Schema.compose(Schema.NonNegativeInt, Height), block_timestamp: Seconds })],
      Schema.Unknown
    )
  })
})

/** A call of the API. */
export const post = (path: string, body: unknown) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(path), body)

const request = post("/api/v2/scan/blocks", { row: 1, page: 0 })

/** The newest block that Subscan has of a chain. */
export const headOf = (subscan: Upstream) =>
  Effect.map(subscan.read(request, Blocks), ({ data }) => {
    const [{ block_num, block_timestamp }] = data.blocks
    return { height: block_num, time: block_timestamp }
  })
