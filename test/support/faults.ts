import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import type { Reason } from "../../src/domain/Reason.ts"
import type { SimulatedHost } from "./EvmNodes.ts"
import { brokenBody, neverResponds, type Reply, refused, text } from "./http.ts"

/** What any upstream may do instead of answering, and the reason with which a read fails then. */
export const faults = {
  "refuses the connection": [refused, "upstream_error"],
  "resets the connection": [Effect.fail({ code: "ECONNRESET" }), "upstream_error"],
  "does not respond": [neverResponds, "timeout"],
  "closes the connection in its response": [brokenBody('{"result":', { "content-length": "500" }), "upstream_error"],
  "returns half of a response": [text('{"jsonrpc":"2.0","id":1,"result":[{'), "bad_answer"],
  "returns an HTML page": [text("<html>hello</html>", { headers: { "content-type": "text/html" } }), "bad_answer"],
  "returns an empty body": [text(""), "bad_answer"],
  "returns HTTP 429": [text("slow down", { status: 429 }), "rate_limited"],
  "returns HTTP 500": [text("oops", { status: 500 }), "upstream_error"],
  "returns HTTP 504 with an HTML page": [text("<html>504</html>", { status: 504 }), "upstream_error"]
} as const satisfies { readonly [name: string]: readonly [Reply, Reason] }

/** These replies without their reasons. */
export const faultyReplies: { readonly [name: string]: Reply } = Record.map(faults, ([reply]) => reply)

/** The same for simulated hosts. */
export const faultyHosts = Record.map(faults, ([reply, reason]): readonly [SimulatedHost, Reason] => [
  () => Effect.mapError(reply, () => "Transport" as const),
  reason
])
