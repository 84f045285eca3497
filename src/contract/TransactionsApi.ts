import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as Catalogue from "../catalogue/Catalogue.ts"
import { errorCode, mustBe, number, optional, text } from "../domain/fields.ts"
import {
  CardanoContext,
  EvmContext,
  maxEntries,
  PolkadotContext,
  RippleContext,
  SolanaContext,
  SuiContext,
  TonContext,
  TransactionContext,
  TronContext,
  UtxoContext
} from "../domain/TransactionContext.ts"
import { estimate } from "./EstimateApi.ts"
import { rawTransaction } from "./nodes/NodesApi.ts"
import { BodyProblems, EdgeProblems, NotImplemented, UpstreamFailed } from "./Problem.ts"
import { checkRecipient } from "./RecipientApi.ts"
import { replacement } from "./ReplacementApi.ts"
import { send } from "./SendingApi.ts"
import { simulate } from "./simulation/SimulationApi.ts"
import { status } from "./TransactionStatusApi.ts"
import { byHash } from "./transactions/ByHashApi.ts"
import { decode } from "./transactions/DecodingApi.ts"
import {
  AddressesByNetwork,
  described,
  HasSideEffect,
  inRequest,
  passThrough,
  recordOf,
  sampleOf,
  titled
} from "./wire.ts"

export const ContextRequest = Schema.Struct({ networks: AddressesByNetwork }).annotations({
  ...inRequest,
  identifier: "ContextRequest",
  description: "The addresses that will sign."
})
export type ContextRequest = typeof ContextRequest.Type

/** An example per family, made of the examples of its members. */
const [first, ...others] = [
  sampleOf(EvmContext),
  sampleOf(UtxoContext),
  sampleOf(CardanoContext),
  sampleOf(SolanaContext),
  sampleOf(SuiContext),
  sampleOf(TonContext),
  sampleOf(TronContext),
  sampleOf(RippleContext),
  sampleOf(PolkadotContext)
] as const

/** The result of one address. */
export const AddressContext = Schema.Struct({
  context: Schema.NullOr(TransactionContext).annotations({
    description: "Data to build transactions of the address; null if it could not be read.",
    examples: [first, ...others]
  }),
  error: optional(text("Human-readable reason why it is null.", "timed out")),
  errorCode: optional(errorCode)
}).annotations({ identifier: "AddressContext", description: "Data to build and sign transactions of one address." })
export type AddressContext = typeof AddressContext.Type

export const AddressContexts = recordOf(
  "ethereum",
  recordOf("0x00000000219ab540356cBB839Cbe05303d7705Fa", AddressContext, "By address, spelled as in the request."),
  "By network and address; the keys are those of the request. Unsupported networks are left out."
)
export type AddressContexts = typeof AddressContexts.Type

const contextNote = `Returns the data that a wallet needs to build and sign a transaction itself, for every address of the request. The service receives no key and no transaction. \`family\` determines the members: \`evm\` nonces and chain id; \`utxo\` unspent outputs with their scripts, also of an extended public key; \`cardano\` outputs with assets, the slot and the fee parameters; \`ripple\` sequence, ledger and reserves; \`ton\` seqno, state and kind of wallet; \`solana\` a recent block hash, rent and token accounts; \`sui\` gas coins, epoch and reference gas price; \`tron\` the reference block and resources; \`polkadot\` nonce, era and the versions of the runtime. Amounts are in base units, as strings of digits. Lists have at most ${maxEntries} entries, largest first, and \`truncated\`. An address whose context could not be read has \`context: null\` with \`error\` and \`errorCode\`, and does not affect the others. The data is never cached and soon outdated: send transactions that are built from it without delay.`

/** Query of both raw transaction routes. Missing parameters are read from a JSON body with the same fields. */
export const TransactionQuery = Schema.Struct({
  chain: optional(text("Id or alias of the network.", "litecoin")),
  tx: optional(text("The raw transaction to send, or the hash to look up.", "0200000001abcdef"))
})

const needed = (description: string, example: string) =>
  Schema.propertySignature(
    text(description, example).pipe(Schema.minLength(1, { message: () => "must not be empty" }))
  ).annotations({ missingMessage: () => "is missing; give it in the query or in a JSON body" })

/** Fields that the query and the body of a raw transaction request must have together. */
export const TransactionRequest = Schema.Struct({
  chain: needed("Id or alias of the network.", "litecoin"),
  tx: needed("The raw transaction to send, or the hash to look up.", "0200000001abcdef")
}).annotations({ ...inRequest, identifier: "TransactionRequest" })
export type TransactionRequest = typeof TransactionRequest.Type

/** Networks that this service supports in addition to the documented interface. */
const added = Catalogue.addedRawTransactions.join(", ")

const transactionAnswer = passThrough("The response of the node, unchanged.", {
  result: "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16",
  error: null,
  id: 1
})

export const FirstTransactionRequest = Schema.Struct({
  networkIds: Schema.Array(text("Id or alias of a network.", "ethereum")).annotations({
    description: `Networks: ${Catalogue.firstTransactions.join(", ")}; other ids are skipped, and named in the header \`x-partial-failures\`.`,
    message: mustBe("a list of network ids"),
    examples: [["ethereum", "base"]]
  }),
  address: text("The address whose first transaction is looked up.", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045")
}).annotations({ ...inRequest, identifier: "FirstTransactionRequest", description: "One address on several networks." })
export type FirstTransactionRequest = typeof FirstTransactionRequest.Type

export const FirstTransactions = recordOf(
  "ethereum",
  Schema.Struct({
    timestamp: number("Time of the first transaction, UNIX time in seconds.", 1500000000)
  }).annotations({ identifier: "FirstTransaction", description: "The first transaction on one network." }),
  "By network id as in the request; a network without transactions is left out."
)
export type FirstTransactions = typeof FirstTransactions.Type

export class TransactionsApi extends HttpApiGroup.make("transactions")
  .add(
    HttpApiEndpoint.post("sendRaw", "/utils/sendrawtransaction")
      .setUrlParams(TransactionQuery)
      .addSuccess(transactionAnswer)
      .addError(BodyProblems)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Send a raw transaction",
          `Networks: ${Catalogue.rawSendNetworks.join(", ")}. Send \`chain\` and \`tx\` in the query or in a JSON body (400,000 characters work in both). The transaction is validated first (400 with the reason): byte by byte for the Bitcoin family, as CBOR for cardano, and for ${added} (additions to the original interface) in the binary format of the network. It is then sent to one upstream at a time: to the operator's own node if configured, else to a Blockbook, else to an Esplora; for cardano to Blockfrost if the operator has a project id, else to Koios; for ${added} to a node. It is sent to the next upstream only if it certainly did not arrive. A transaction that is already known counts as sent; for cardano this is a transaction whose inputs are all spent. A success in the Bitcoin family always has the response format of bitcoind. For the others it is the response of the node: \`engine_result\` of ripple (200 for tes, tec, which only charges the fee, ter and tefALREADY), \`txid\` of tron, and the hash as \`result\` of polkadot. Rejections (400) are the response of the node, unchanged. If a 502 or 504 says that the transaction may have arrived, look it up by its hash before sending it again. It is sent even if the client disconnects.`
        )
      )
      .annotateContext(rawTransaction())
  )
  .add(
    HttpApiEndpoint.post("getRaw", "/utils/getrawtransaction")
      .annotate(HasSideEffect, false)
      .setUrlParams(TransactionQuery)
      .addSuccess(transactionAnswer)
      .addError(BodyProblems)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Look up a raw transaction",
          `Networks: ${Catalogue.rawLookupNetworks.join(", ")}. Send \`chain\`, and the hash as \`tx\`, in the query or in a JSON body. For ton the hash is hex or base64. For the Bitcoin family the result is the transaction in hex, as returned by \`getrawtransaction\` of bitcoind; for the others it is the response of the provider. ${added} are additions to the original interface. Polkadot transactions are looked up at an indexer that needs an API key of the operator; without the key the response is 501. If no upstream has the transaction, the response is 404 with the body of an upstream.`
        )
      )
      .annotateContext(rawTransaction("No upstream has the transaction."))
  )
  .add(
    HttpApiEndpoint.post("first", "/utils/first-tx")
      .annotate(HasSideEffect, false)
      .setPayload(FirstTransactionRequest)
      .addSuccess(FirstTransactions)
      .addError(BodyProblems)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "When an address was first used",
          "Returns the time of the oldest transaction that involves the address on each network: a transaction that it sent or received, a contract call that paid or created it, a token transfer from or to it (of more than zero; NFTs included if Etherscan or Blockscout lists them), or its coins in the first block. Final results are stored permanently. Networks where the address was never used are left out. Unsupported networks and those without a result are also left out, and listed in the header `x-partial-failures`: a JSON array of {network, address, message, errorCode}. If the response has a time for a listed network, an earlier transaction may exist. If no network has a result, the response is 502."
        )
      )
  )
  .add(
    HttpApiEndpoint.post("context", "/utils/transaction-context")
      .annotate(HasSideEffect, false)
      .setPayload(ContextRequest)
      .addSuccess(AddressContexts)
      .addError(BodyProblems)
      .annotateContext(described("Data to build and sign transactions", contextNote))
  )
  .add(status)
  .add(byHash)
  .add(send)
  .add(decode)
  .add(replacement)
  .add(estimate)
  .add(checkRecipient)
  .add(simulate)
  .addError(EdgeProblems)
  .addError(NotImplemented.schema)
  .annotateContext(
    titled("Transactions", "Data for signing, gas, sending and status of transactions, and raw transactions.")
  ) {}
