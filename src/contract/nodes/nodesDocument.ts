import * as OpenApi from "@effect/platform/OpenApi"
import { administrative } from "../../domain/nodeMethods.ts"

/** Responses of nodes, which are in no schema: added to the document by hand. */
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
    jsonrpc: { type: "string", description: "The version: 2.0.", examples: ["2.0"] },
    id: { description: "The id of the call, as it was written.", examples: [1] },
    error: {
      type: "object",
      required: ["code", "message"],
      description: "What went wrong.",
      properties: {
        code: { type: "integer", description: "The kind of error.", examples: [code] },
        message: { type: "string", description: "The same in words.", examples: [message] }
      }
    }
  }
})

/** Errors of the proxy itself are JSON-RPC as well, so that a node client can read them. */
export const jsonRpc = OpenApi.annotations({
  transform: (operation) => ({
    ...operation,
    responses: {
      ...operation.responses,
      204: { description: "There were only calls without an id: they were sent, and have no response." },
      400: alsoJson(
        operation.responses[400],
        jsonRpcError(
          -32600,
          "Invalid request: method must be the name of a method",
          "what was sent is no call, or a batch of none or of more than 1,000. A body that is not JSON is a problem document that is the error -32700 too"
        )
      ),
      403: alsoJson(
        operation.responses[403],
        jsonRpcError(
          -32601,
          "The method admin_peers administers a node and is not passed on",
          "the method administers a node, or does not have the form of a method's name, and is not passed on"
        )
      ),
      501: alsoJson(operation.responses[501], jsonRpcError(-32000, "base-rpc: no address is configured")),
      502: alsoJson({ description: "No node answered." }, jsonRpcError(-32000, "no node answered")),
      504: alsoJson(operation.responses[504], jsonRpcError(-32000, "no node answered within 15000 ms"))
    }
  })
})

/** The methods of Sui that are translated to GraphQL where the operator has no nodes with JSON-RPC. */
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

export const rpcDescription = (networks: string) =>
  [
    `Passes JSON-RPC to the nodes of a network: a call, or a batch of up to 1,000. Networks: ${networks}. Ids, parameters, results and the node's own errors (status 200) are passed on as they are written. Ton speaks TON Center's API v2.`,
    `Methods are refused that begin with ${administrative.join(", ")}, in any case, and names with other characters than letters, digits and \`_\`: -32601 with 403. Errors of the service itself are JSON-RPC errors too: -32600 with 400, -32000 with 502 where no node answered, 504 where none did in time and 501 where the operator has switched the nodes off; a body that is not JSON is a problem document (400) which is the error -32700 as well. A batch has the best status of its calls, so one that failed fails no other; a call without an id is sent and has no response (204).`,
    "Reads go to a node that works and is fast, and to the next where it fails; a read that takes longer than 90 % of the reads of its method (and than 100 ms) is sent to the next node as well, and the first good response counts. Equal reads in flight share one call. Results of the newest block are cached until the next block is due, final results as long as there is space; raw transactions and unknown methods are sent once, and completed even if the client disconnects. A transaction that the node already has counts as sent. `eth_blockNumber` never decreases, unless all nodes return less for ten minutes. Filters stay at the node that created them.",
    `Sui: the operator's own nodes, or else a translation to GraphQL, which has ${suiMethods.join(", ")}; other methods are -32601.`
  ].join("\n\n")

interface Parameter {
  readonly name: string
  readonly schema: { readonly examples: ReadonlyArray<unknown> }
}

const description = "The node's own refusal, unchanged."

const refused = (response: Parameters<typeof alsoJson>[0], code: number, message: string) => {
  const described = alsoJson(response, {
    description,
    examples: [{ result: null, error: { code, message }, id: null }]
  })
  const plain = { type: "string", description, examples: [message] }
  return { ...described, content: { ...described.content, "text/plain": { schema: plain } } }
}

/** A raw transaction may come as a body; a refusal, or an unknown hash, is the response of the node. */
export const rawTransaction = (unknown?: string) =>
  OpenApi.annotations({
    transform: (operation) => ({
      ...operation,
      requestBody: {
        required: false,
        description: "The same fields as in the query; what both have is taken from the query.",
        content: {
          "application/json": {
            schema: {
              type: "object",
              description: "What the query does not say.",
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
