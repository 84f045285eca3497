import type { Problem } from "../contract/Problem.ts"
import type { Tally } from "../kernel/Tally.ts"
import type { Caller } from "./access/AccessControl.ts"
import type { Identity } from "./access/Identity.ts"
import type { SlotHolder } from "./access/RequestSlots.ts"
import type { Destination } from "./request/Routes.ts"

/** A request as the server received it. */
export interface IncomingRequest extends Caller {
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
}

/** State of a request, created before any work for it starts. */
export interface CallState extends Destination, SlotHolder {
  readonly incoming: IncomingRequest
  readonly identity: Identity
  readonly id: string
  readonly method: string
  /** Notes of the handler for the log. */
  readonly tally: Tally
  /** Path as sent, without query. */
  readonly sentPath: string
  readonly started: bigint
  /** Rejects the request; set by `decide` of {@link RequestContext}. */
  refused: Problem | undefined
}
