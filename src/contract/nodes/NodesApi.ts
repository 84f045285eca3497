import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import { optional, text } from "../../domain/fields.ts"
import { administrativePrefixes } from "../../domain/nodeMethods.ts"
import { BodyProblems, EdgeProblems, NotFound, NotImplemented, UpstreamFailed } from "../Problem.ts"
import { described, passThrough, titled } from "../wire.ts"

/** Adds a JSON body to a documented response: responses of nodes have no schema in the contract. */
const alsoJson = (
  response: { readonly description?: string; readonly content?: object } | undefined,
  schema: object
) => ({
  ...response,
  content: { ...response?.content, "application/json": { schema } }
})

const jsonRpcError = (code: number, message: string, description = message) => ({
  type: "object",
  required: ["jsonrpc", "id", "error"],
  description: `A JSON-RPC error with the id of the call: ${description}.`,
  properties: {
    jsonrpc: { type: "string", description: "The JSON-RPC version: 2.0.", examples: ["2.0"] },
    id: { description: "The id of the call, unchanged.", examples: [1] },
    error: {
      type: "object",
      required: ["code", "message"],
      description: "The error object.",
      properties: {
        code: { type: "integer", description: "Code of the error.", examples: [code] },
        message: { type: "string", description: "Human-readable message.", examples: [message] }
      }
    }
  }
})

/** Documents the errors of the proxy itself. They are JSON-RPC errors, so that JSON-RPC clients can read them. */
const jsonRpc = OpenApi.annotations({
  transform: (operation) => ({
    ...operation,
    responses: {
      ...operation.responses,
      204: { description: "All calls were without an id: they were sent, and have no response." },
      400: alsoJson(
        operation.responses[400],
        jsonRpcError(
          -32600,
          "Invalid request: method must be the name of a method",
          "the body is not a call, or the batch is empty or has more than 1,000 calls. If the body is not JSON, the response is a problem document that is also the error -32700"
        )
      ),
      403: alsoJson(
        operation.responses[403],
        jsonRpcError(
          -32601,
          "The method admin_peers administers a node and is not passed on",
          "the method administers a node or is not a valid method name, and is not forwarded"
        )
      ),
      501: alsoJson(operation.responses[501], jsonRpcError(-32000, "base-rpc: no address is configured")),
      502: alsoJson({ description: "No node responded." }, jsonRpcError(-32000, "no node answered")),
      504: alsoJson(operation.responses[504], jsonRpcError(-32000, "no node answered within 15000 ms"))
    }
  })
})

/** The methods of Sui that are translated to GraphQL if the operator has no JSON-RPC nodes. */
export const suiMethods = [
  "sui_dryRunTransactionBlock",
  "sui_executeTransactionBlock",
  "sui_getChainIdentifier",
  "sui_getCheckpoint",
  "sui_getLatestCheckpointSequenceNumber",
  "sui_getObject",
  "sui_getTotalTransactionBlocks",
  "sui_getTransactionBlock",
  "sui_multiGetObjects",
  "sui_multiGetTransactionBlocks",
  "suix_getAllBalances",
  "suix_getAllCoins",
  "suix_getBalance",
  "suix_getCoinMetadata",
  "suix_getCoins",
  "suix_getLatestSuiSystemState",
  "suix_getOwnedObjects",
  "suix_getReferenceGasPrice",
  "suix_getTotalSupply",
  "suix_queryTransactionBlocks",
  "suix_resolveNameServiceAddress",
  "suix_resolveNameServiceNames"
] as const

const rpcDescription = (networks: string) =>
  [
    `Forwards JSON-RPC to the nodes of a network: a call, or a batch of up to 1,000 calls. Networks: ${networks}. Ids, parameters, results and the errors of the node (status 200) are forwarded unchanged. Ton uses the API v2 of TON Center.`,
    `Rejected methods: names that start with ${administrativePrefixes.join(", ")}, in any letter case, and names with characters other than letters, digits and \`_\`: -32601 with 403. Errors of the service itself are also JSON-RPC errors: -32600 with 400, and -32000 with 502 if no node responded, 504 if no node responded in time, and 501 if the operator has disabled the nodes. A body that is not JSON is a problem document (400) that is also the error -32700. A batch has the best status of its calls, so a failed call does not fail the others. A call without an id is sent and has no response (204).`,
    "Reads go to a node that works and is fast, and to the next node if it fails, does not have the block, or limits such a call. Null for a block up to the newest known one, for a receipt or a transaction, and an empty list of logs from such a block are compared with the result of one further node. A read that takes longer than 90 % of the reads of its method (and longer than 100 ms) is also sent to the next node, and the first good response is returned. Equal reads in flight share one call. Results of the latest block are cached until the next block is due, final results as long as there is space. Raw transactions and unknown methods are sent once, and completed even if the client disconnects. A transaction that the node already has counts as sent. `eth_sendRawTransactionSync` waits for the node as long as a request may take. `eth_blockNumber` never decreases, unless all nodes return a lower number for ten minutes. Filters stay at the node that created them. On EVM networks, the service itself answers `wallet_getAssets` (ERC-7811) with the assets of an account on the network, or on the EVM networks of `chainFilter` or `assetFilter`; it fails if one of them cannot be read.",
    `Sui: the operator's own nodes if configured, else a translation to GraphQL, which supports ${suiMethods.join(", ")}; other methods return -32601.`
  ].join("\n\n")

interface Parameter {
  readonly name: string
  readonly schema: { readonly examples: ReadonlyArray<unknown> }
}

const description = "The error of the node, unchanged."

const refused = (response: Parameters<typeof alsoJson>[0], code: number, message: string) => {
  const described = alsoJson(response, {
    description,
    examples: [{ result: null, error: { code, message }, id: null }]
  })
  const plain = { type: "string", description, examples: [message] }
  return { ...described, content: { ...described.content, "text/plain": { schema: plain } } }
}

/** Documents the optional body, and the responses of the node to a rejected transaction or an unknown hash. */
export const rawTransaction = (unknown?: string) =>
  OpenApi.annotations({
    transform: (operation) => ({
      ...operation,
      requestBody: {
        required: false,
        description: "The same fields as in the query. If both have a field, the query is used.",
        content: {
          "application/json": {
            schema: {
              type: "object",
              description: "The fields that the query does not have.",
              additionalProperties: false,
              examples: [
                Object.fromEntries(
                  operation.parameters.map(({ name, schema }: Parameter) => [name, schema.examples[0]])
                )
              ],
              properties: Object.fromEntries(
                operation.parameters.map(({ name, schema }: Parameter) => [name, schema] as const)
              )
            }
          }
        }
      },
      responses: {
        ...operation.responses,
        400: refused(operation.responses[400], -22, "TX decode failed. Make sure the tx has at least one input."),
        ...(unknown === undefined
          ? {}
          : { 404: refused({ description: unknown }, -5, "No such mempool or blockchain transaction") })
      }
    })
  })

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
