import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as Catalogue from "../catalogue/Catalogue.ts"
import { milliseconds, number, numberOrNull, text } from "../domain/fields.ts"
import { EdgeProblems, NotFound, NotImplemented, UpstreamFailed } from "./Problem.ts"
import { described, titled } from "./wire.ts"

export const NetworkBlock = Schema.Struct({
  network: text("Id of the network.", "ethereum"),
  height: number(
    "Height of the newest block, in the unit of `block` of POST /transactions/status: a slot on solana, a ledger on ripple, a checkpoint on sui, a block of the masterchain on ton, of Asset Hub on polkadot.",
    24000000
  ),
  timestamp: numberOrNull("When it was made, UNIX time in seconds. Null if the source does not return it.", 1793449995),
  at: numberOrNull("The former name of `timestamp`, which the next release removes.", 1793449995),
  updatedAt: milliseconds("When it was read")
}).annotations({ identifier: "NetworkBlock", description: "The newest block of a network." })
export type NetworkBlock = typeof NetworkBlock.Type

export class BlocksApi extends HttpApiGroup.make("blocks")
  .add(
    HttpApiEndpoint.get("newest", "/utils/block/:network")
      .setPath(
        Schema.Struct({
          network: text(
            `Id or alias of a network, in any case: ${Catalogue.all.map(({ id }) => id).join(", ")}.`,
            "ethereum"
          )
        })
      )
      .addSuccess(NetworkBlock)
      .addError(NotFound.schema)
      .addError(NotImplemented.schema)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Newest block of a network",
          "Returns the height of the newest block and when it was made. A source that is behind the network, or returns a height that the network cannot have, is skipped. The block is read again after the usual time between two blocks, at least 1 and at most 15 seconds. If no source could be read, the response is 502. A network that was shut down, or has no source, is 501."
        )
      )
  )
  .addError(EdgeProblems)
  .annotateContext(titled("Blocks", "Newest block of each network.")) {}
