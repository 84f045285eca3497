import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { distance, height, seconds, secondsOf } from "../../../../domain/units.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../../../upstream/Upstream.ts"
import { BlockHeight } from "../../amounts.ts"

// Blockbook's `/api/v2` (github.com/trezor/blockbook/blob/master/docs/api.md).

const Status = Schema.Struct({
  blockbook: Schema.Struct({
    bestHeight: BlockHeight,
    /** When it took the block in, which is now while it catches up. */
    lastBlockTime: Schema.String,
    initialSync: Schema.optional(Schema.Boolean)
  }),
  /** The node behind it, and the number of blocks of which that node knows. */
  backend: Schema.optional(Schema.Struct({ headers: Schema.optional(BlockHeight) }))
})
const status = ResponseDecoder.fitting(Status)

/** Blocks that arrived just now may not be processed yet. */
const maxUnprocessed = 3

const isCatchingUp = ({ backend, blockbook }: typeof Status.Type): boolean =>
  blockbook.initialSync === true || distance(blockbook.bestHeight, backend?.headers ?? height(0)) > maxUnprocessed

/** The newest block. Before its node's blocks are processed, none is the newest: its time is then zero. */
export const headOf = (endpoint: Endpoint) =>
  Effect.map(endpoint.read(HttpClientRequest.get("/api/v2"), status), (found) => ({
    height: found.blockbook.bestHeight,
    time: isCatchingUp(found) ? seconds(0) : secondsOf(found.blockbook.lastBlockTime),
    isReceived: true as const
  }))
