import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import { optional, text } from "../../domain/fields.ts"
import { BodyProblems, EdgeProblems, NotFound, NotImplemented, UpstreamFailed } from "../Problem.ts"
import { described, passThrough, titled } from "../wire.ts"
import { jsonRpc, rpcDescription } from "./nodesDocument.ts"

export const JsonRpcCall = Schema.Struct({
  jsonrpc: optional(text("The JSON-RPC version: 2.0.", "2.0")),
  id: optional(
    Schema.Union(Schema.String, Schema.Number, Schema.Null).annotations({
      description: "Returned unchanged in the response.",
      examples: [1]
    })
  ),
  method: text("Name of the method.", "eth_blockNumber"),
  params: optional(passThrough("Parameters of the method.", []))
}).annotations({ identifier: "JsonRpcCall", description: "A JSON-RPC request." })
export type JsonRpcCall = typeof JsonRpcCall.Type

export const JsonRpcBody = Schema.Union(
  JsonRpcCall,
  Schema.Array(JsonRpcCall).annotations({ description: "A batch of JSON-RPC requests." })
).annotations({
  description: "One JSON-RPC request, or a batch of them.",
  examples: [{ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }]
})

const nodeAnswer = passThrough("The response of the node, unchanged; its JSON-RPC errors have status 200.", {
  jsonrpc: "2.0",
  id: 1,
  result: "0x14a5c3f"
})

/** Lists networks in a sentence: `Ethereum, Optimism and Ton`. */
const inWords = (ids: ReadonlyArray<string>) =>
  ids
    .map((id) => id.charAt(0).toUpperCase() + id.slice(1))
    .join(", ")
    .replace(/, ([^,]+)$/, " and $1")

const rpcNetworks = inWords(Catalogue.proxied)
const rpcTestnets = inWords(Catalogue.proxiedTestnets)
const network = (list: string) =>
  Schema.Struct({ network: text(`Id or alias of a network, in any case: ${list}.`, "base") })

const record = (description: string, example: Readonly<Record<string, unknown>>) =>
  Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({ description, examples: [example] })

export const ProtocolParameters = Schema.Struct({
  parameters: record("Protocol parameters of the current epoch, in the provider's format.", { min_fee_a: 44 }),
  blockData: record("The latest block, in the provider's format.", { height: 11000000 })
}).annotations({ identifier: "ProtocolParameters", description: "Cardano data that transactions are built from." })
export type ProtocolParameters = typeof ProtocolParameters.Type

export class NodesApi extends HttpApiGroup.make("nodes")
  .add(
    HttpApiEndpoint.post("rpc", "/utils/rpc/:network")
      .setPath(network(rpcNetworks))
      .setPayload(JsonRpcBody)
      .addSuccess(nodeAnswer)
      .addError(BodyProblems)
      .addError(NotFound.schema)
      .annotateContext(described("JSON-RPC proxy", rpcDescription(rpcNetworks)))
      .annotateContext(jsonRpc)
  )
  .add(
    HttpApiEndpoint.post("testnetRpc", "/utils/rpc/:network/testnet")
      .setPath(network(rpcTestnets))
      .setPayload(JsonRpcBody)
      .addSuccess(nodeAnswer)
      .addError(BodyProblems)
      .addError(NotFound.schema)
      .annotateContext(
        described(
          "JSON-RPC proxy to test networks",
          `The same as the proxy of the main network, but for the nodes of the test network. Networks: ${rpcTestnets}.`
        )
      )
      .annotateContext(jsonRpc)
  )
  .add(
    HttpApiEndpoint.get("protocolParameters", "/utils/protocol-parameters")
      .addSuccess(ProtocolParameters)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Cardano protocol parameters",
          "Returns the current parameters and the latest block in Blockfrost's formats (`/epochs/latest/parameters`, `/blocks/latest`): the responses of Blockfrost if the operator has a project id, else values derived from Koios. Members that Koios does not return are null, including `cost_models`, because Koios returns the costs of scripts without their names (`cost_models_raw`)."
        )
      )
  )
  .addError(EdgeProblems)
  .addError(NotImplemented.schema)
  .annotateContext(titled("Nodes", "Access to the nodes of networks: JSON-RPC and protocol parameters.")) {}
