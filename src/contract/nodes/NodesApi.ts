import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import { optional, text } from "../../domain/fields.ts"
import { BodyProblems, EdgeProblems, NotFound, NotImplemented, UpstreamFailed } from "../Problem.ts"
import { described, passThrough } from "../wire.ts"
import { jsonRpc, rpcDescription } from "./nodesDocument.ts"

export const JsonRpcCall = Schema.Struct({
  jsonrpc: optional(text("The version: 2.0.", "2.0")),
  id: optional(
    Schema.Union(Schema.String, Schema.Number, Schema.Null).annotations({
      description: "Returned with the response.",
      examples: [1]
    })
  ),
  method: text("The node's method.", "eth_blockNumber"),
  params: optional(passThrough("What the method takes.", []))
}).annotations({ identifier: "JsonRpcCall", description: "A JSON-RPC request." })
export type JsonRpcCall = typeof JsonRpcCall.Type

export const JsonRpcBody = Schema.Union(
  JsonRpcCall,
  Schema.Array(JsonRpcCall).annotations({ description: "A batch." })
).annotations({
  description: "One JSON-RPC request, or a batch of them.",
  examples: [{ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }]
})

const nodeAnswer = passThrough("The node's answer, unchanged; its JSON-RPC errors come with status 200.", {
  jsonrpc: "2.0",
  id: 1,
  result: "0x14a5c3f"
})

/** `Ethereum, Optimism and Ton` */
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
  parameters: record("Protocol parameters of the current epoch, as the provider writes them.", { min_fee_a: 44 }),
  blockData: record("The newest block, as the provider writes it.", { height: 11000000 })
}).annotations({ identifier: "ProtocolParameters", description: "What a Cardano wallet needs to build a transaction." })
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
          `As the proxy of the main network, to the nodes of the test network. Networks: ${rpcTestnets}.`
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
          "The parameters in force and the newest block in Blockfrost's formats (`/epochs/latest/parameters`, `/blocks/latest`): Blockfrost's own answers where there is a project id, else derived from those of Koios. Members that Koios does not return are null; `cost_models` is then null, too: Koios has the prices of scripts without their names (`cost_models_raw`)."
        )
      )
  )
  .addError(EdgeProblems)
  .addError(NotImplemented.schema)
  .annotateContext(
    OpenApi.annotations({
      title: "Nodes",
      description: "Access to the nodes of networks: JSON-RPC and what a transaction is built from."
    })
  ) {}
