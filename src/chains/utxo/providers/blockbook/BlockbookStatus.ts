import * as Effect from "effect/Effect"
import { distance, height, seconds, secondsOf } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import type { Endpoint } from "../../../../upstream/Upstream.ts"
import * as calls from "./calls.ts"

/** Blocks that arrived just now may not be processed yet. */
const maxUnprocessed = 3

const isCatchingUp = ({ backend, blockbook }: typeof calls.status.response.Type): boolean =>
  blockbook.initialSync === true || distance(blockbook.bestHeight, backend?.headers ?? height(0)) > maxUnprocessed

/** The newest block. Before its node's blocks are processed, none is the newest: its time is then zero. */
export const headOf = (endpoint: Endpoint) =>
  Effect.map(Call.readAt(endpoint, calls.status, {}), (found) => ({
    height: found.blockbook.bestHeight,
    time: isCatchingUp(found) ? seconds(0) : secondsOf(found.blockbook.lastBlockTime),
    isReceived: true as const
  }))
