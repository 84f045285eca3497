import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { addressKinds } from "../domain/AddressForm.ts"
import { mustBe, optional, text, word } from "../domain/fields.ts"
import { EdgeProblems } from "./Problem.ts"
import { described } from "./wire.ts"

/** Longer than the longest form of an address, and short enough to be decoded for every network at once. */
export const maxAddressLength = 256

const example = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"

export const AddressMatch = Schema.Struct({
  network: text("Id of a network whose address form the text fits.", "ethereum"),
  canonical: text(
    "The address in the network's canonical form, the same for all its spellings.",
    "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
  ),
  kind: word(
    "address: one address; xpub: an extended public key, all addresses derived from it; stake: a stake address, all payment addresses of its key; public-key: the key of an account, in place of its address.",
    addressKinds
  ),
  explorer: optional(
    text(
      "Page of the address at a block explorer; absent where there is none.",
      "https://etherscan.io/address/0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
    )
  ),
  note: optional(
    text(
      "What a person should know about it.",
      "This spelling has no checksum: a mistyped character would not be noticed."
    )
  )
}).annotations({ identifier: "AddressMatch", description: "A network to which a text may belong." })
export type AddressMatch = typeof AddressMatch.Type

export const AddressLookup = Schema.Struct({
  input: text("The text, as the request gave it.", example),
  matches: Schema.Array(AddressMatch).annotations({
    description: "Every network that it fits, in the order of `GET /networks`; empty where it fits none.",
    examples: [[{ network: "ethereum", canonical: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", kind: "address" }]]
  })
}).annotations({ identifier: "AddressLookup", description: "The networks whose address form a text fits." })
export type AddressLookup = typeof AddressLookup.Type

const AddressText = Schema.String.pipe(
  Schema.maxLength(maxAddressLength, {
    description: `What a wallet shows as an address, at most ${maxAddressLength} characters, percent-encoded.`,
    examples: [example],
    message: mustBe(`at most ${maxAddressLength} characters long`)
  })
)

export class AddressesApi extends HttpApiGroup.make("addresses")
  .add(
    HttpApiEndpoint.get("lookUp", "/address/:text")
      .setPath(Schema.Struct({ text: AddressText }))
      .addSuccess(AddressLookup)
      .annotateContext(
        described(
          "Networks that an address fits",
          "Every network whose address form the text fits, checksums checked, with the canonical form. No upstream is asked, so it says nothing about whether the address was ever used. A text that fits none is 200 with an empty list."
        )
      )
  )
  .addError(EdgeProblems)
  .annotateContext(OpenApi.annotations({ title: "Addresses", description: "What a text may be the address of." })) {}
