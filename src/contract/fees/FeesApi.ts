import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import { optional, text } from "../../domain/fields.ts"
import { EdgeProblems, NotFound } from "../Problem.ts"
import { described, titled } from "../wire.ts"
import { feesDescription, NetworkFees } from "./networkFees.ts"

export class FeesApi extends HttpApiGroup.make("fees")
  .add(
    HttpApiEndpoint.get("fees", "/utils/fees/:network")
      .setPath(
        Schema.Struct({
          network: text(
            `Id or alias of a network, in any case: ${Catalogue.all.map(({ id }) => id).join(", ")}.`,
            "base"
          )
        })
      )
      .setUrlParams(
        Schema.Struct({
          address: optional(
            text(
              "An address, for networks whose accounts have resources (tron): the response has the resources that it can use without paying, and the example transfer is computed for this address.",
              "TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9"
            )
          )
        })
      )
      .addSuccess(NetworkFees)
      .addError(NotFound.schema)
      .annotateContext(described("Transaction fees of a network", feesDescription))
  )
  .addError(EdgeProblems)
  .annotateContext(titled("Fees", "Transaction fees of each network.")) {}
