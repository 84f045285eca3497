import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import { errorCode, numberOrNull, optional, text, textOrNull } from "../../domain/fields.ts"
import { HistoryEntry } from "../HistoryApi.ts"
import { InvalidRequest, NotFound, NotImplemented, UpstreamFailed } from "../Problem.ts"
import { described } from "../wire.ts"

const hash = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"

export const TransactionByHash = Schema.Struct({
  network: text("Id of the network.", "ethereum"),
  ...HistoryEntry.omit("flags", "timestamp").fields,
  timestamp: numberOrNull(
    "Time of execution, UNIX time in seconds; of a pending transaction, the time when it was first seen, or now. Null if no source has the transaction itself.",
    1793450000
  ),
  final: Schema.NullOr(Schema.Boolean).annotations({
    description: "Whether it is final, as in POST /transactions/status; null if it cannot be known.",
    examples: [true]
  }),
  replacedBy: textOrNull("Hash of the transaction that replaced it, if known.", null),
  sources: Schema.Array(Schema.String).annotations({
    description: "The upstreams that returned the transaction.",
    examples: [["ethereum-rpc"]]
  }),
  missing: Schema.Array(Schema.String).annotations({
    description: "Human-readable names of missing data, such as internal transfers.",
    examples: [[]]
  }),
  error: optional(text("Why its status, or its parties, could not be read, for people.", "timed out")),
  errorCode: Schema.optionalWith(errorCode, { exact: true })
}).annotations({
  identifier: "TransactionByHash",
  description: "A transaction: the entry of a history without an owner, with every party."
})
export type TransactionByHash = typeof TransactionByHash.Type

/** A transaction by its hash. */
export const byHash = HttpApiEndpoint.get("byHash", "/transactions/:network/:hash")
  .setPath(
    Schema.Struct({
      network: text(
        `Id or alias of a network, in any case: ${Catalogue.all.map(({ id }) => id).join(", ")}.`,
        "ethereum"
      ),
      hash: text("Hash of the transaction, as a wallet or an explorer shows it.", hash)
    })
  )
  .addSuccess(TransactionByHash)
  .addError(InvalidRequest.schema)
  .addError(NotFound.schema)
  .addError(UpstreamFailed.schema)
  .addError(NotImplemented.schema)
  .annotateContext(
    described(
      "A transaction by its hash",
      "Returns one transaction in the form of POST /history, with every party, as its sender sees it: `type` is Send for a payment. The status is that of POST /transactions/status: `final` and `replacedBy` too. A transaction that this service sent, and that was replaced, has expired or is not seen yet, has no parties: `from` and `to` are empty and `missing` says so. If only the status or only the parties could be read, the rest is null with `error` and `errorCode`. 404 only if the sources responded and do not have it: two of them, if the network has several; without that certainty the response is 502. On ton it is the trace of the transaction, as in a history. Prices of tokens are current ones."
    )
  )
