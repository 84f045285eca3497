import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import { optional, text } from "../../domain/fields.ts"
import { EdgeProblems, NotFound } from "../Problem.ts"
import { described } from "../wire.ts"
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
              "An address of a network whose accounts have resources of their own (tron): the answer has what it may use without paying, and the example is that address's.",
              "TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9"
            )
          )
        })
      )
      .addSuccess(NetworkFees)
      .addError(NotFound.schema)
      .annotateContext(described("What a transaction costs", feesDescription))
  )
  .addError(EdgeProblems)
  .annotateContext(OpenApi.annotations({ title: "Fees", description: "What transactions cost on each network." })) {}
