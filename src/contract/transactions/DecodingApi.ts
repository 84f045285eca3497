import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import { enumOf, flag, numberOrNull, optional, text, textOrNull } from "../../domain/fields.ts"
import { Reason } from "../../domain/Reason.ts"
import { SendReason } from "../../domain/SendReason.ts"
import { BodyProblems } from "../Problem.ts"
import { forms, hash, SendRequest } from "../SendingApi.ts"
import { described, HasSideEffect, inRequest } from "../wire.ts"

const recipient = "0x3535353535353535353535353535353535353535"

export const DecodeRequest = Schema.Struct({
  network: SendRequest.fields.network,
  transaction: SendRequest.fields.transaction
}).annotations({ ...inRequest, identifier: "DecodeRequest", description: "A signed transaction and its network." })
export type DecodeRequest = typeof DecodeRequest.Type

const DecodedAmount = Schema.Struct({
  to: textOrNull(
    "The address that receives it, as histories write it. For tokens on solana it is the token account, unless the transaction creates it. Null if the bytes do not name it, or if no address fits the script of an output.",
    recipient
  ),
  token: textOrNull(
    "Address of the token, or the word Unknown if the bytes do not name it; null for the native coin.",
    null
  ),
  amountBaseUnits: text("The amount in base units.", "1000000000000000000"),
  amount: textOrNull(
    "The same amount as an exact decimal; null if the decimals of the token are neither in the bytes nor in the list of tokens that the service has loaded.",
    "1"
  ),
  tag: optional(
    text(
      "Destination tag (ripple), comment (ton) or memo (tron), by which an exchange recognises its client.",
      "104523"
    )
  )
}).annotations({ identifier: "DecodedAmount", description: "An amount that a transaction moves." })

export const DecodedTransaction = Schema.Struct({
  network: text("Id of the network.", "ethereum"),
  hash,
  chainId: numberOrNull(
    "Number of the chain that it is signed for: the chain id on EVM networks, the network id on ripple. Null if the bytes do not name one: it is then valid on every network of its kind.",
    1
  ),
  from: textOrNull(
    "The account that signed it, on EVM networks and solana, where each signature is checked and a wrong one is 400. On polkadot, ripple, sui, ton and tron the account that the bytes name as the sender: their signatures are not checked, so that it is no proof who signed. Null in the Bitcoin family and on cardano, where the bytes name only the outputs of `spends`, and on solana if several accounts signed it, which `unknown` names.",
    "0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f"
  ),
  to: Schema.Array(text("An address.", recipient)).annotations({
    description: "Every address that receives an amount or is called, each once.",
    examples: [[recipient]]
  }),
  amounts: Schema.Array(DecodedAmount).annotations({
    description: "Payments in the order of its bytes. Outputs in the Bitcoin family and on cardano include the change.",
    examples: [[{ to: recipient, token: null, amountBaseUnits: "1000000000000000000", amount: "1" }]]
  }),
  complete: flag("True if it moves nothing besides `amounts` and the fee. If false, `unknown` has the reason.", true),
  fee: textOrNull(
    "The fee in base units of the native coin, or the highest possible fee (`feeIsMaximum`). Null if the bytes do not contain it.",
    "420000000000000"
  ),
  feeIsMaximum: Schema.NullOr(Schema.Boolean).annotations({
    description: "True if the network may charge less than `fee`; null if `fee` is.",
    examples: [true]
  }),
  nonce: numberOrNull(
    "The number of the transaction of its account: the nonce, the sequence or ticket (ripple), the seqno (ton). Null on networks without such numbers.",
    9
  ),
  spends: Schema.Array(text("`hash:index` of an output.", "f4184fc596403b9d638783cf57adfe4c75c605f6:0")).annotations({
    description: "The outputs that it spends, in the Bitcoin family and on cardano.",
    examples: [[]]
  }),
  expiresAt: numberOrNull(
    "The last time at which a block may include it, UNIX time in milliseconds; null if it does not expire, or if the bytes do not say when.",
    null
  ),
  lastBlock: numberOrNull("The last ledger that may include it (ripple); null if it names none.", null),
  problems: Schema.Array(
    Schema.Struct({
      reason: Schema.Union(SendReason, Reason).annotations({
        description:
          "For programs: a `reason` of POST /transactions/send, or the errorCode with which each send would fail, such as `sunset`.",
        examples: ["wrong_chain"]
      }),
      message: text("For people.", "It is signed for another chain.")
    }).annotations({ identifier: "SendRefusal", description: "Why the service would not send it now." })
  ).annotations({
    description:
      "Why POST /transactions/send would refuse it now, before any node is called. An empty list does not mean that a node accepts it.",
    examples: [[]]
  }),
  unknown: Schema.Array(
    Schema.Struct({
      member: enumOf(
        "A member that is null, or `amounts` if `complete` is false.",
        ["from", "amounts", "fee", "nonce", "expiresAt"],
        "fee"
      ),
      message: text("Why, for people.", "the amounts of the outputs that it spends are not in its bytes")
    }).annotations({
      identifier: "UnknownMember",
      description: "A member that the bytes of a transaction do not determine."
    })
  ).annotations({ description: "Why members are null or incomplete.", examples: [[]] })
}).annotations({
  identifier: "DecodedTransaction",
  description: "What a signed transaction would do, by its bytes alone."
})
export type DecodedTransaction = typeof DecodedTransaction.Type

/** What a signed transaction would do. */
export const decode = HttpApiEndpoint.post("decode", "/transactions/decode")
  .annotate(HasSideEffect, false)
  .setPayload(DecodeRequest)
  .addSuccess(DecodedTransaction)
  .addError(BodyProblems)
  .annotateContext(
    described(
      "What a signed transaction would do",
      `Returns what a signed transaction would do, by its bytes alone, and why POST /transactions/send would refuse it before any node. No upstream is called and nothing is sent or stored, so that it can be shown to a person before it is sent. ${forms} A text that is no signed transaction of the network is 400, with the reason, as it is for a send. Members that the bytes do not determine are null, with a reason in \`unknown\`: never a guess. Calls of contracts and programs are named in \`to\`; their amounts are read only for transfers of the usual standards (ERC-20, TRC-20, SPL tokens, jettons, native assets). Signatures are checked only on EVM networks and solana; elsewhere the nodes check them.`
    )
  )
