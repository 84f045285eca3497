import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import { enumOf, flag, mustBe, optional, text, textOrNull } from "../domain/fields.ts"
import { SendReason } from "../domain/SendReason.ts"
import { BodyProblems, problem } from "./Problem.ts"
import { described, inRequest } from "./wire.ts"

export const hash = text(
  "The hash of the transaction in the format of histories, computed from its bytes.",
  "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"
)

export const SendRequest = Schema.Struct({
  network: text("Id or alias of the network.", "ethereum"),
  transaction: Schema.String.pipe(Schema.minLength(1)).annotations({
    description: "The signed transaction in the text form of the network.",
    message: mustBe("the text of a signed transaction"),
    examples: [
      "0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
    ]
  }),
  testnet: optional(flag("True to send to the test network; absent means the main network.", false))
}).annotations({ ...inRequest, identifier: "SendRequest", description: "A signed transaction and its network." })
export type SendRequest = typeof SendRequest.Type

export const SentTransaction = Schema.Struct({
  network: text("Id of the network.", "ethereum"),
  hash,
  accepted: flag("True if a node accepted the transaction, now or earlier.", true),
  alreadyKnown: flag("True if the network reports that it already had the transaction.", false),
  reason: Schema.NullOr(SendReason).annotations({
    description:
      "Why it was not accepted; null if it was. nonce_too_low: another transaction used the nonce, sequence number or ticket; nonce_gap: earlier transactions of the account are missing; replacement_underpriced: pays too little to replace a pending transaction; insufficient_funds: the account cannot pay the amount or the fee; fee_too_low: pays less than the network or the node requires; already_spent: an output or object that it spends is spent, locked or missing; expired: its last block or time has passed, or its reference block is unknown; too_early: its lock time or the age of an input is not reached; account_busy: too many transactions of the account, or before it in its chain, are pending; wrong_chain: signed for another chain; invalid: breaks another rule of the network. Clients accept further values.",
    examples: [null]
  }),
  nodeMessage: textOrNull(
    "The node's own words, in one line of at most 500 characters, in which the address of the node is removed; null if the node has no message or was not called.",
    null
  )
}).annotations({
  identifier: "SentTransaction",
  description: "The decision about a transaction.",
  examples: [
    {
      network: "ethereum",
      hash: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
      accepted: true,
      alreadyKnown: false,
      reason: null,
      nodeMessage: null
    },
    {
      network: "ethereum",
      hash: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
      accepted: false,
      alreadyKnown: false,
      reason: "nonce_too_low",
      nodeMessage: "nonce too low: next nonce 10, tx nonce 9"
    }
  ]
})
export type SentTransaction = typeof SentTransaction.Type

/** A later version may have another word than `no` for a transaction that may have arrived. */
type Sent = "no" | "unknown" | (string & Record<never, never>)

export const SendUndecided = problem(
  "SendUndecided",
  "send-undecided",
  502,
  "No decision about the transaction",
  "No node is known to have accepted or refused the transaction; sent says whether it may have gone out.",
  {
    hash,
    sent: enumOf(
      "`no`: it was not sent, so the request may be repeated. `unknown`: the transaction may have arrived, or may still arrive; look it up by its hash first.",
      ["no", "unknown"]
    ) as Schema.Schema<Sent>
  }
)

/** The text of a transaction, by network. */
export const forms =
  'The text is hex on EVM networks (RLP, legacy or typed), in the Bitcoin family, and for cardano (CBOR), ripple (`tx_blob`), tron (protobuf) and polkadot (SCALE). For solana it is base64 or base58 of at most 1,232 bytes. For ton it is an external message as a bag of cells, in base64 or hex; its hash is the normalized hash (TEP-467). For sui it is the JSON `{"bytes", "signature"}` of the SDK, also with a list as `signature` or `signatures`, or the signed data in base64.'

/** Sends a signed transaction on any network. */
export const send = HttpApiEndpoint.post("send", "/transactions/send")
  .setPayload(SendRequest)
  .addSuccess(SentTransaction)
  .addError(BodyProblems)
  .addError(SendUndecided.schema)
  .annotateContext(
    described(
      "Send a signed transaction",
      `Sends a transaction on any network and responds in one form. ${forms} The text is checked before any upstream is called: size, form, and where the bytes allow it signature, chain and expiry. A text that is no signed transaction of the network is 400. A transaction for another chain or after its expiry is not sent. Any other is sent to one node at a time, to the next node only if it certainly did not arrive, and even if the client disconnects. A decision is 200, in which \`accepted\` says whether the network has the transaction: false only for a refusal that the service recognises. \`reason\` is for programs, and \`nodeMessage\` has the words of the node. A transaction that the network already has is accepted with \`alreadyKnown\`; where a refusal may result from its own earlier arrival, it is looked up first at two sources, and so it is after any other error: found is accepted, and without a decision the response is 502 with \`sent\` and \`hash\`. On test networks nothing is looked up. \`testnet\` sends to the test network of networks whose node proxy serves a test network; on other networks it is 400.`
    )
  )
