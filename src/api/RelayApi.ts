import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { Acts } from "./Acts.ts"
import { BodyProblems, EdgeProblems, NotFound, NotImplemented, UpstreamFailed } from "./Problem.ts"
import { jsonRpc, rawTransaction, rpcDescription } from "./relayDocument.ts"
import { Simulation, SimulationRequest, simulationDescription } from "./simulation.ts"
import { incoming, mustBe, number, optional, passedOn, text, textOrNull } from "./wire.ts"

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

const needed = (description: string, example: string) =>
  Schema.propertySignature(
    text(description, example).pipe(Schema.minLength(1, { message: () => "must not be empty" }))
  ).annotations({ missingMessage: () => "is missing; give it in the query or in a JSON body" })

/** What the query and the body of such a request must give together. */
export const TransactionRequest = Schema.Struct({
  chain: needed("Id or alias of the network.", "litecoin"),
  tx: needed("The raw transaction to send, or the hash to look up.", "0200000001abcdef")
}).annotations({ ...incoming, identifier: "TransactionRequest" })
export type TransactionRequest = typeof TransactionRequest.Type

const transactionAnswer = passedOn("The node's answer, unchanged.", {
  result: "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16",
  error: null,
  id: 1
})

export const FirstTransactionRequest = Schema.Struct({
  networkIds: Schema.Array(text("Id or alias of a network.", "ethereum")).annotations({
    description: "Networks: arbitrum, avalanche, base, bsc, ethereum, optimism, polygon, zkevm; others are skipped.",
    message: mustBe("a list of network ids"),
    examples: [["ethereum", "base"]]
  }),
  address: text("The address whose first transaction is sought.", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045")
}).annotations({ ...incoming, identifier: "FirstTransactionRequest", description: "One address on several networks." })
export type FirstTransactionRequest = typeof FirstTransactionRequest.Type

export const Funding = Schema.Struct({
  address: text("The address that was funded, in lower case.", "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"),
  amount: text("How much was sent, in whole native coins.", "1"),
  hash: textOrNull(
    "Hash of the transaction that the node has accepted; null where the node set the balance, which takes no transaction.",
    "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"
  )
}).annotations({ identifier: "Funding", description: "A test network account was funded." })
export type Funding = typeof Funding.Type

const record = (description: string, example: Readonly<Record<string, unknown>>) =>
  Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({ description, examples: [example] })

export const ProtocolParameters = Schema.Struct({
  parameters: record("Protocol parameters of the current epoch, as the provider writes them.", { min_fee_a: 44 }),
  blockData: record("The newest block, as the provider writes it.", { height: 11000000 })
}).annotations({ identifier: "ProtocolParameters", description: "What a Cardano wallet needs to build a transaction." })
export type ProtocolParameters = typeof ProtocolParameters.Type

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
    HttpApiEndpoint.post("sendRawTransaction", "/utils/sendrawtransaction")
      .setUrlParams(TransactionQuery)
      .addSuccess(transactionAnswer)
      .addError(BodyProblems)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Send a raw transaction",
          `Chains: ${sendChains.join(", ")}; \`chain\` and \`tx\` in the query or in a JSON body (400,000 characters work in either). The transaction is checked first (400 with the reason): for the Bitcoin family byte by byte, for cardano as CBOR. Then it is given to one at a time: to the operator's own node where there is one, else to a Blockbook, else to an Esplora; for cardano to Blockfrost where the operator has a project id, else to Koios. It goes to the next only where it certainly did not arrive. One that is already known counts as sent; for cardano that is one whose inputs are all spent. Success of the Bitcoin family always has the form of bitcoind; refusals (400) are the node's own words. After a 502 or 504 that says so the transaction may have arrived: look it up by its hash before it is sent again. A client that goes away does not stop it.`
        )
      )
      .annotateContext(rawTransaction())
  )
  .add(
    HttpApiEndpoint.post("getRawTransaction", "/utils/getrawtransaction")
      .setUrlParams(TransactionQuery)
      .addSuccess(transactionAnswer)
      .addError(BodyProblems)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Look up a raw transaction",
          `Chains: ${lookUpChains.join(", ")}; \`chain\` and the hash as \`tx\`, in the query or in a JSON body. For ton the hash is hex or base64. For the Bitcoin family the result is the transaction in hex, as of \`getrawtransaction\` of bitcoind; for cardano and ton the provider's own answer. 404 with the words of who was asked where nobody knows the transaction.`
        )
      )
      .annotateContext(rawTransaction("Nobody who was asked knows the transaction."))
  )
  .add(
    HttpApiEndpoint.get("fundTestnetAccount", "/utils/fund-testnet-account/:address")
      .setPath(Schema.Struct({ address: text("The address to fund.", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045") }))
      .addSuccess(Funding)
      .addError(UpstreamFailed.schema)
      .annotate(Acts, true)
      .annotateContext(
        described(
          "Fund a test network account",
          "Gives an address coins of the operator's own EVM test network: by a transfer, or, where the operator has set no key, by the node that sets balances (the hash is null then). It answers once the node has accepted it, and does not wait for a block. Each address once in a time that the operator sets, else 429 with Retry-After; an address that is being funded at this moment is 429 too. After a 502 or 504 that says so the coins may have arrived all the same, and the address counts as funded. It is a GET that does something: HEAD is 405."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("protocolParameters", "/utils/protocol-parameters")
      .addSuccess(ProtocolParameters)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Cardano protocol parameters",
          "The parameters in force and the newest block in Blockfrost's formats (`/epochs/latest/parameters`, `/blocks/latest`): Blockfrost's own answers where there is a project id, else made of what Koios tells. Null is what Koios does not tell; a language that it prices by more costs than have names stands in `cost_models_raw` alone."
        )
      )
  )
  .add(
    HttpApiEndpoint.post("simulate", "/utils/simulate-tx")
      .setPayload(SimulationRequest)
      .addSuccess(Simulation)
      .addError(BodyProblems)
      .addError(UpstreamFailed.schema)
      .annotateContext(described("Simulate a transaction", simulationDescription))
  )
  .add(
    HttpApiEndpoint.post("firstTransaction", "/utils/first-tx")
      .setPayload(FirstTransactionRequest)
      .addSuccess(FirstTransactions)
      .addError(BodyProblems)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "When an address was first used",
          "The time of the oldest transaction that names the address on each network: one that it sent or got, a contract that paid or made it, tokens that it got or gave away (more than none of them; NFTs as well where Blockscout or Etherscan tells), or the coins that it had in the first block. What is final is stored for ever. Networks that are not supported are skipped, those where it was never used are left out. What could not be had is left out too and named in the header `x-partial-failures`: a JSON array of {network, address, message}; a time that is given and named there may have an earlier one before it. 502 where nothing at all could be had."
        )
      )
  )
  .addError(EdgeProblems)
  .addError(NotImplemented.schema)
  .annotateContext(
    OpenApi.annotations({ title: "Utilities", description: "Node access, raw transactions, simulation, test money." })
  ) {}
