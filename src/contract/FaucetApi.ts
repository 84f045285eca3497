import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { text, textOrNull } from "../domain/fields.ts"
import { EdgeProblems, NotImplemented, UpstreamFailed } from "./Problem.ts"
import { described, HasSideEffect, titled } from "./wire.ts"

export const Funding = Schema.Struct({
  address: text("The address that was funded, in lower case.", "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"),
  amount: text("Amount that was sent, in native coins (not in base units).", "1"),
  hash: textOrNull(
    "Hash of the transaction that the node has accepted; null if the node set the balance without a transaction.",
    "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"
  )
}).annotations({ identifier: "Funding", description: "A test network account that was funded." })
export type Funding = typeof Funding.Type

export class FaucetApi extends HttpApiGroup.make("faucet")
  .add(
    HttpApiEndpoint.get("fund", "/utils/fund-testnet-account/:address")
      .setPath(Schema.Struct({ address: text("The address to fund.", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045") }))
      .addSuccess(Funding)
      .addError(UpstreamFailed.schema)
      .annotate(HasSideEffect, true)
      .annotateContext(
        described(
          "Fund a test network account",
          "Funds an address on the operator's EVM test network: by a transfer, or, if the operator has not configured a key, by a node method that sets the balance (then the hash is null). Responds as soon as the node has accepted the call, without waiting for a block. An address can be funded once per interval, which the operator sets; further requests return 429 with Retry-After, and so do requests while the address is being funded. If the detail of a 502 or 504 says so, the coins may still have arrived, and the address counts as funded. This GET has a side effect, so HEAD returns 405."
        )
      )
  )
  .addError(EdgeProblems)
  .addError(NotImplemented.schema)
  .annotateContext(titled("Faucet", "Coins of a test network.")) {}
