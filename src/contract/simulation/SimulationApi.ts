import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { BodyProblems, EdgeProblems, NotImplemented, UpstreamFailed } from "../Problem.ts"
import { described, titled } from "../wire.ts"
import { Simulation, SimulationRequest, simulationDescription } from "./simulation.ts"

export class SimulationApi extends HttpApiGroup.make("simulation")
  .add(
    HttpApiEndpoint.post("simulate", "/utils/simulate-tx")
      .setPayload(SimulationRequest)
      .addSuccess(Simulation)
      .addError(BodyProblems)
      .addError(UpstreamFailed.schema)
      .annotateContext(described("Simulate a transaction", simulationDescription))
  )
  .addError(EdgeProblems)
  .addError(NotImplemented.schema)
  .annotateContext(titled("Simulation", "Effects of a transaction before it is sent.")) {}
