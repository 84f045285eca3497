import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { BodyProblems, EdgeProblems, NotFound, NotImplemented, UpstreamFailed } from "./Problem.ts"
import { jsonRpc, rawTransaction } from "./relayDocument.ts"
import { incoming, number, optional, passedOn, text, word } from "./wire.ts"

export const JsonRpcCall = Schema.Struct({
  jsonrpc: optional(text("The version: 2.0.", "2.0")),
  id: optional(
    Schema.Union(Schema.String, Schema.Number, Schema.Null).annotations({
      description: "Comes back with the answer.",
      examples: [1]
    })
  ),
  method: text("The node's method.", "eth_blockNumber"),
  params: optional(passedOn("What the method takes.", []))
}).annotations({ identifier: "JsonRpcCall", description: "A JSON-RPC request." })
export type JsonRpcCall = typeof JsonRpcCall.Type

export const JsonRpcBody = Schema.Union(
  JsonRpcCall,
  Schema.Array(JsonRpcCall).annotations({ description: "A batch." })
).annotations({
  description: "One JSON-RPC request, or a batch of them.",
  examples: [{ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }]
})

const nodeAnswer = passedOn("The node's answer, unchanged; its JSON-RPC errors come with status 200.", {
  jsonrpc: "2.0",
  id: 1,
  result: "0x14a5c3f"
})

const rpcNetworks = "Ethereum, Optimism, Bsc, Avalanche, Polygon, Arbitrum, Base, Solana, Sui and Ton"
const rpcTestnets = "Optimism, Bsc, Avalanche, Polygon, Arbitrum, Base, Solana and Ton"
const network = (list: string) =>
  Schema.Struct({ network: text(`Id or alias of a network, in any case: ${list}.`, "base") })

export const sendChains = ["dogecoin", "bitcoin", "litecoin", "cardano", "bch"] as const
export const lookUpChains = [...sendChains, "ton"] as const

/** The query of both raw transaction routes. What is missing in it is looked for in a JSON body of the same fields. */
export const TransactionQuery = Schema.Struct({
  chain: optional(text("Id or alias of the network.", "litecoin")),
  tx: optional(text("The raw transaction to send, or the hash to look up.", "0200000001abcdef"))
})

/** What the query and the body of such a request must give together. */
export const TransactionRequest = Schema.Struct({
  chain: Schema.NonEmptyString.annotations({ description: "Id or alias of the network.", examples: ["litecoin"] }),
  tx: Schema.NonEmptyString.annotations({
    description: "The raw transaction to send, or the hash to look up.",
    examples: ["0200000001abcdef"]
  })
})
export type TransactionRequest = typeof TransactionRequest.Type

const transactionAnswer = passedOn("The node's answer, unchanged.", {
  result: "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16",
  error: null,
  id: 1
})

export const simulationChains = ["1", "137", "10", "56", "8453", "43114", "42161"] as const

export const SimulationRequest = Schema.Struct({
  chain: word("Chain id.", simulationChains),
  input: Schema.Struct({
    from: text("The sender.", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"),
    to: text("The target.", "0xdAC17F958D2ee523a2206206994597C13D831ec7"),
    input: text("Call data.", "0xa9059cbb"),
    gas: optional(number("Gas to use.", 8000000)),
    gas_price: optional(text("Gas price to use.", "0")),
    value: optional(text("Native coin to send along, base units.", "0")),
    block_number: optional(number("Block at which to simulate; the newest when it is left out.", 21000000)),
    simulation_type: Schema.optionalWith(text("Kind of simulation; full when it is left out.", "full"), {
      default: () => "full"
    })
  }).annotations({ identifier: "SimulationInput", description: "The transaction." })
}).annotations({ ...incoming, identifier: "SimulationRequest", description: "A transaction to simulate." })
export type SimulationRequest = typeof SimulationRequest.Type

export const FirstTransactionRequest = Schema.Struct({
  networkIds: Schema.Array(Schema.String).annotations({
    description: "Networks: arbitrum, avalanche, base, bsc, ethereum, optimism, polygon, zkevm; others are skipped.",
    examples: [["ethereum", "base"]]
  }),
  address: text("The address whose first transaction is sought.", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045")
}).annotations({ ...incoming, identifier: "FirstTransactionRequest", description: "One address on several networks." })
export type FirstTransactionRequest = typeof FirstTransactionRequest.Type

export const Funding = Schema.Struct({
  address: text("The address that was funded.", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"),
  amount: text("How much was sent, in whole native coins.", "1"),
  hash: text("Hash of the transaction.", "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060")
}).annotations({ identifier: "Funding", description: "A test network account was funded." })
export type Funding = typeof Funding.Type

const record = (description: string, example: Readonly<Record<string, unknown>>) =>
  Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({ description, examples: [example] })

export const ProtocolParameters = Schema.Struct({
  parameters: record("Protocol parameters of the current epoch, as the provider writes them.", { min_fee_a: 44 }),
  blockData: record("The newest block, as the provider writes it.", { height: 11000000 })
}).annotations({ identifier: "ProtocolParameters", description: "What a Cardano wallet needs to build a transaction." })
export type ProtocolParameters = typeof ProtocolParameters.Type

export const Simulation = Schema.Struct(
  { simulationUrl: text("Public page of the simulation.", "https://simulations.example/shared/1") },
  Schema.Record({ key: Schema.String, value: Schema.Unknown })
).annotations({ identifier: "Simulation", description: "All that the provider answers, and where to see it." })

export const FirstTransactions = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({
    timestamp: number("When the first transaction was executed, UNIX time in seconds.", 1500000000)
  }).annotations({ identifier: "FirstTransaction", description: "The first transaction on one network." })
}).annotations({ description: "By network id as requested; a network without transactions is left out." })
export type FirstTransactions = typeof FirstTransactions.Type

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

export class RelayApi extends HttpApiGroup.make("relay")
  .add(
    HttpApiEndpoint.post("rpc", "/utils/rpc/:network")
      .setPath(network(rpcNetworks))
      .setPayload(JsonRpcBody)
      .addSuccess(nodeAnswer)
      .addError(BodyProblems)
      .addError(NotFound.schema)
      .annotateContext(
        described(
          "JSON-RPC proxy",
          `Passes single calls and batches to a node. Networks: ${rpcNetworks}. Ids are kept.`
        )
      )
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
        described("JSON-RPC proxy to test networks", `As the proxy of the main network. Networks: ${rpcTestnets}.`)
      )
      .annotateContext(jsonRpc)
  )
  .add(
    HttpApiEndpoint.post("sendRawTransaction", "/utils/sendrawtransaction")
      .setUrlParams(TransactionQuery)
      .addSuccess(transactionAnswer)
      .addError(BodyProblems)
      .addError(NotFound.schema)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Send a raw transaction",
          `Chains: ${sendChains.join(", ")}. It goes to one node at a time and never twice to be safe; one that is already known counts as sent.`
        )
      )
      .annotateContext(rawTransaction)
  )
  .add(
    HttpApiEndpoint.post("getRawTransaction", "/utils/getrawtransaction")
      .setUrlParams(TransactionQuery)
      .addSuccess(transactionAnswer)
      .addError(BodyProblems)
      .addError(NotFound.schema)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described("Look up a raw transaction", `Chains: ${lookUpChains.join(", ")}. For ton the hash is hex or base64.`)
      )
      .annotateContext(rawTransaction)
  )
  .add(
    HttpApiEndpoint.get("fundTestnetAccount", "/utils/fund-testnet-account/:address")
      .setPath(Schema.Struct({ address: text("The address to fund.", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045") }))
      .addSuccess(Funding)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Fund a test network account",
          "On the operator's own test network; each address once in a while, else 429."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("protocolParameters", "/utils/protocol-parameters")
      .addSuccess(ProtocolParameters)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described("Cardano protocol parameters", "The parameters of the current epoch and the newest block.")
      )
  )
  .add(
    HttpApiEndpoint.post("simulate", "/utils/simulate-tx")
      .setPayload(SimulationRequest)
      .addSuccess(Simulation)
      .addError(BodyProblems)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Simulate a transaction",
          "Runs the transaction at the simulation provider and makes the result public."
        )
      )
  )
  .add(
    HttpApiEndpoint.post("firstTransaction", "/utils/first-tx")
      .setPayload(FirstTransactionRequest)
      .addSuccess(FirstTransactions)
      .addError(BodyProblems)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described("When an address was first used", "The time of the first transaction of an address on each network.")
      )
  )
  .addError(EdgeProblems)
  .addError(NotImplemented.schema)
  .annotateContext(
    OpenApi.annotations({ title: "Utilities", description: "Node access, raw transactions, simulation, test money." })
  ) {}
