import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { text, textOrNull } from "../domain/fields.ts"
import { EdgeProblems, NotImplemented, UpstreamFailed } from "./Problem.ts"
import { described, HasSideEffect } from "./wire.ts"

export const Funding = Schema.Struct({
  address: text("The address that was funded, in lower case.", "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"),
  amount: text("How much was sent, in whole native coins.", "1"),
  hash: textOrNull(
    "Hash of the transaction that the node has accepted; null where the node set the balance, which takes no transaction.",
    "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"
  )
}).annotations({ identifier: "Funding", description: "A test network account was funded." })
export type Funding = typeof Funding.Type

export class FaucetApi extends HttpApiGroup.make("faucet")
  .add(
    HttpApiEndpoint.get("fundTestnetAccount", "/utils/fund-testnet-account/:address")
      .setPath(Schema.Struct({ address: text("The address to fund.", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045") }))
      .addSuccess(Funding)
      .addError(UpstreamFailed.schema)
      .annotate(HasSideEffect, true)
      .annotateContext(
        described(
          "Fund a test network account",
          "Gives an address coins of the operator's own EVM test network: by a transfer, or, where the operator has set no key, by the node that sets balances (the hash is null then). It answers once the node has accepted it, and does not wait for a block. Each address once in a time that the operator sets, else 429 with Retry-After; an address that is being funded at this moment is 429 too. After a 502 or 504 that says so the coins may have arrived all the same, and the address counts as funded. As this GET has a side effect, HEAD is 405."
        )
      )
  )
  .addError(EdgeProblems)
  .addError(NotImplemented.schema)
  .annotateContext(OpenApi.annotations({ title: "Faucet", description: "Test money." })) {}
