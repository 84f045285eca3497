import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../api/Api.ts"
import { NotImplemented } from "../api/Problem.ts"
import { transactionRequest } from "./transactionRequest.ts"

const missing = (what: string) => () => new NotImplemented({ detail: `${what} not available in this version.` })

export const layer = HttpApiBuilder.group(Api, "relay", (handlers) => {
  const rawTransactions = missing("Raw transactions are")
  const nodes = missing("Node access is")
  return handlers
    .handle("rpc", nodes)
    .handle("testnetRpc", nodes)
    .handle("sendRawTransaction", ({ request, urlParams }) =>
      Effect.flatMap(transactionRequest(urlParams, request), rawTransactions)
    )
    .handle("getRawTransaction", ({ request, urlParams }) =>
      Effect.flatMap(transactionRequest(urlParams, request), rawTransactions)
    )
    .handle("fundTestnetAccount", missing("Funding a test network account is"))
    .handle("protocolParameters", missing("Cardano protocol parameters are"))
    .handle("simulate", missing("Simulation is"))
    .handle("firstTransaction", missing("First transactions are"))
})
