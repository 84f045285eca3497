import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import { DelegatedTo } from "../domain/AddressForm.ts"
import { enumOf, errorCode, flag, numberOrNull, optional, text } from "../domain/fields.ts"
import { BodyProblems, NotImplemented, UpstreamFailed } from "./Problem.ts"
import { described, HasSideEffect, inRequest } from "./wire.ts"

const holder = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const recipient = "0x00000000219ab540356cBB839Cbe05303d7705Fa"

export const RecipientRequest = Schema.Struct({
  network: text("Id or alias of the network.", "ethereum"),
  from: text("The address that pays.", holder),
  to: text("The address to pay.", recipient)
}).annotations({ ...inRequest, identifier: "RecipientRequest", description: "A payment before it is signed." })
export type RecipientRequest = typeof RecipientRequest.Type

const flagOrNull = (description: string) => Schema.NullOr(Schema.Boolean).annotations({ description, examples: [null] })

export const RecipientCheck = Schema.Struct({
  network: text("Id of the network.", "ethereum"),
  known: flagOrNull(
    "Whether the address has received a payment from `from` before. False only if the whole history was read; null if older transactions were not."
  ),
  lastPaid: numberOrNull("Time of the last of these payments, UNIX seconds; null if it is not known.", 1_790_000_000),
  lookalikeOf: Schema.Array(text("An address.", recipient)).annotations({
    description:
      "Other addresses that `from` has paid, or `from` itself, with the same first and last four characters: people who compare only those take one for the other.",
    examples: [[]]
  }),
  kind: Schema.NullOr(enumOf("The kind of account.", ["account", "contract"])).annotations({
    description:
      "`account` for the account of a key, `contract` for one with code; null if it is not known or no account exists, and on networks where the service does not read it.",
    examples: ["account"]
  }),
  own: flag("Whether `to` is `from` in another spelling, or shares its stake address.", false),
  tagNeeded: flagOrNull(
    "Whether the account refuses payments without a tag, as those of exchanges do; null where the network does not say."
  ),
  delegatedTo: DelegatedTo,
  reasons: Schema.Array(
    text("A sentence for people.", "This address has not received a payment from you before.")
  ).annotations({
    description: "Why a person should look twice. An empty list does not mean that the payment is safe.",
    examples: [["This address has not received a payment from you before."]]
  }),
  error: optional(text("Why the history or the account could not be read, for people.", "timed out")),
  errorCode: Schema.optionalWith(errorCode, { exact: true })
}).annotations({ identifier: "RecipientCheck", description: "Facts about the recipient of a payment." })
export type RecipientCheck = typeof RecipientCheck.Type

/** Facts about the recipient of a payment. */
export const checkRecipient = HttpApiEndpoint.post("checkRecipient", "/transactions/check-recipient")
  .annotate(HasSideEffect, false)
  .setPayload(RecipientRequest)
  .addSuccess(RecipientCheck)
  .addError(BodyProblems)
  .addError(UpstreamFailed.schema)
  .addError(NotImplemented.schema)
  .annotateContext(
    described(
      "Check a recipient",
      "Returns facts about the recipient of a payment, before it is signed, and reasons to look twice; it never says that the payment is safe. `known`, `lastPaid` and `lookalikeOf` come from the history of `from`, which is read as POST /history reads it, and from the recipients that were read before. EVM networks also return whether the address is a contract or delegates to one (EIP-7702), and ripple whether it needs a tag. A fact that could not be read is null, with `error` and `errorCode`; the others remain."
    )
  )
