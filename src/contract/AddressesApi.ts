import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { addressKinds, DelegatedTo } from "../domain/AddressForm.ts"
import { enumOf, errorCode, flag, mustBe, optional, text } from "../domain/fields.ts"
import { EdgeProblems } from "./Problem.ts"
import { described, inQuery, inRequest, titled } from "./wire.ts"

/** Longer than any address; short enough to decode the text for every network in one request. */
export const maxAddressLength = 256

const example = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"

export const AddressMatch = Schema.Struct({
  network: text("Id of a network whose address format the text matches.", "ethereum"),
  canonical: text(
    "The address in the network's canonical form. All spellings of an address have the same canonical form.",
    "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
  ),
  kind: enumOf(
    "address: a single address; xpub: an extended public key, which stands for all addresses derived from it; stake: a stake address, which stands for all payment addresses of its key; public-key: the public key of an account, given instead of its address.",
    addressKinds
  ),
  account: optional(
    text(
      "The account that includes the address: its balances include those of the address. For a payment address of cardano its stake address; otherwise absent.",
      "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw"
    )
  ),
  explorer: optional(
    text(
      "Page of the address in a block explorer; absent if no explorer has such a page.",
      "https://etherscan.io/address/0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
    )
  ),
  note: optional(
    text(
      "Remark about this address, for display.",
      "This spelling has no checksum: a mistyped character would not be noticed."
    )
  ),
  delegatedTo: optional(DelegatedTo),
  error: optional(text("Why the delegation could not be read, for people.", "timed out")),
  errorCode: Schema.optionalWith(errorCode, { exact: true })
}).annotations({ identifier: "AddressMatch", description: "A network whose address format the text matches." })
export type AddressMatch = typeof AddressMatch.Type

export const AddressLookup = Schema.Struct({
  input: text("The text from the request, unchanged.", example),
  matches: Schema.Array(AddressMatch).annotations({
    description: "Every network that the text matches, in the order of `GET /networks`; empty if it matches none.",
    examples: [[{ network: "ethereum", canonical: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", kind: "address" }]]
  }),
  reason: optional(
    text(
      "Why the text matches no network, for people: the problem of the first network whose form it has; absent if it has none, or matches a network.",
      "an address has 40 hexadecimal digits after 0x, not 38: some may be missing"
    )
  )
}).annotations({ identifier: "AddressLookup", description: "The networks whose address format a text matches." })
export type AddressLookup = typeof AddressLookup.Type

const AddressText = Schema.String.pipe(
  Schema.maxLength(maxAddressLength, {
    description: `An address as a wallet shows it, at most ${maxAddressLength} characters, percent-encoded.`,
    examples: [example],
    message: mustBe(`at most ${maxAddressLength} characters long`)
  })
)

const detail = flag("If true, the matches of EVM networks have `delegatedTo`, which is read from a node of each.", true)

export class AddressesApi extends HttpApiGroup.make("addresses")
  .add(
    HttpApiEndpoint.get("lookUp", "/address/:text")
      .setPath(Schema.Struct({ text: AddressText }))
      .setUrlParams(Schema.Struct({ detail: optional(inQuery(detail)) }).annotations(inRequest))
      .addSuccess(AddressLookup)
      .annotateContext(
        described(
          "Networks of an address",
          "Returns every network whose address format the text matches, with the canonical form of the address. Checksums are verified. Without `detail`, the route calls no upstream. The response does not say whether the address was ever used. With `detail`, a delegation that could not be read is absent, with `error` and `errorCode`. If the text matches no network, the response is 200 with an empty list."
        )
      )
  )
  .addError(EdgeProblems)
  .annotateContext(titled("Addresses", "Networks that an address matches.")) {}
