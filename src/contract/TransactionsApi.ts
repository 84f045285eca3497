import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import * as Catalogue from "../catalogue/Catalogue.ts"
import { mustBe, number, optional, text } from "../domain/fields.ts"
import { rawTransaction } from "./nodes/nodesDocument.ts"
import { BodyProblems, EdgeProblems, NotImplemented, UpstreamFailed } from "./Problem.ts"
import { AddressContexts, ContextRequest, contextNote } from "./transactionContext.ts"
import { byKey, described, incoming, passThrough } from "./wire.ts"

/** The query of both raw transaction routes. Missing parameters are read from a JSON body with the same fields. */
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

/** Beyond the documented interface. */
const added = Catalogue.addedRawTransactions.join(", ")

const transactionAnswer = passThrough("The node's answer, unchanged.", {
  result: "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16",
  error: null,
  id: 1
})

export const FirstTransactionRequest = Schema.Struct({
  networkIds: Schema.Array(text("Id or alias of a network.", "ethereum")).annotations({
    description: `Networks: ${Catalogue.firstTransactions.join(", ")}; others are skipped.`,
    message: mustBe("a list of network ids"),
    examples: [["ethereum", "base"]]
  }),
  address: text("The address whose first transaction is looked up.", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045")
}).annotations({ ...incoming, identifier: "FirstTransactionRequest", description: "One address on several networks." })
export type FirstTransactionRequest = typeof FirstTransactionRequest.Type

export const FirstTransactions = byKey(
  "ethereum",
  Schema.Struct({
    timestamp: number("When the first transaction was executed, UNIX time in seconds.", 1500000000)
  }).annotations({ identifier: "FirstTransaction", description: "The first transaction on one network." }),
  "By network id as requested; a network without transactions is left out."
)
export type FirstTransactions = typeof FirstTransactions.Type

export class TransactionsApi extends HttpApiGroup.make("transactions")
  .add(
    HttpApiEndpoint.post("sendRawTransaction", "/utils/sendrawtransaction")
      .setUrlParams(TransactionQuery)
      .addSuccess(transactionAnswer)
      .addError(BodyProblems)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Send a raw transaction",
          `Chains: ${Catalogue.sending.join(", ")}; \`chain\` and \`tx\` in the query or in a JSON body (400,000 characters work in either). The transaction is checked first (400 with the reason): for the Bitcoin family byte by byte, for cardano as CBOR, for ${added} (additions of ours) in the network's binary format. Then it is sent to one upstream at a time: to the operator's own node where there is one, else to a Blockbook, else to an Esplora; for cardano to Blockfrost where the operator has a project id, else to Koios; for ${added} to a node. It is sent to the next only where it certainly did not arrive. A transaction that is already known counts as sent; for cardano that is one whose inputs are all spent. Success of the Bitcoin family always has the form of bitcoind, that of the others is the node's: \`engine_result\` of ripple (tes, tec, which is taken for its fee alone, ter and tefALREADY are 200), \`txid\` of tron, and the hash as \`result\` of polkadot; refusals (400) are those of the node, unchanged. After a 502 or 504 with that message the transaction may have arrived: look it up by its hash before it is sent again. It is sent even if the client disconnects.`
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
          `Chains: ${Catalogue.lookingUp.join(", ")}; \`chain\` and the hash as \`tx\`, in the query or in a JSON body. For ton the hash is hex or base64. For the Bitcoin family the result is the transaction in hex, as of \`getrawtransaction\` of bitcoind; for the others the provider's own answer. ${added} are additions of ours; polkadot is looked up at an indexer that needs a key of the operator, and is 501 without it. 404 with the response of an upstream where none has the transaction.`
        )
      )
      .annotateContext(rawTransaction("No upstream has the transaction."))
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
          "The time of the oldest transaction that names the address on each network: a transaction that it sent or received, a call of a contract that paid or created it, a transfer of tokens from or to it (of more than zero; of NFTs too where Etherscan or Blockscout lists them), or its coins in the first block. Final results are stored for ever. Networks that are not supported are skipped, those where it was never used are left out. Networks without a result are left out too and named in the header `x-partial-failures`: a JSON array of {network, address, message}; a network with a time that is named there may have an earlier transaction. 502 where no network has a result."
        )
      )
  )
  .add(
    HttpApiEndpoint.post("context", "/utils/transaction-context")
      .setPayload(ContextRequest)
      .addSuccess(AddressContexts)
      .addError(BodyProblems)
      .annotateContext(described("What transactions of addresses are built from", contextNote))
  )
  .addError(EdgeProblems)
  .addError(NotImplemented.schema)
  .annotateContext(
    OpenApi.annotations({
      title: "Transactions",
      description: "Raw transactions are sent and looked up; when an address was first used."
    })
  ) {}
