import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Schema from "effect/Schema"
import { Count, Units } from "../amounts.ts"
import { history, withoutPrefix } from "./HaskoinHistory.ts"
import { unspent } from "./HaskoinUnspent.ts"
import * as Source from "./Source.ts"

// Haskoin Store's HTTP API (github.com/haskoin/haskoin-store), `/address/balances`.

/** The address comes in CashAddr, in whatever form it was requested. */
const Balances = Schema.Array(
  Schema.Struct({ address: Schema.String, confirmed: Units, unconfirmed: Units, txs: Count })
)

export const source = (urls: ReadonlyArray<string>) =>
  Source.make(
    {
      id: "haskoin",
      title: "Haskoin Store indexers",
      // No number is published.
      granted: { perSecond: 5, burst: 10 },
      // Scripts with a hash of 32 bytes may not be supported, and an unsupported address fails the whole call.
      takes: (payee) => (payee.kind === "keyHash" || payee.kind === "scriptHash") && payee.hash.length === 20,
      // A longer list is refused for its length.
      perCall: 100,
      request: (facts, addresses) => ({
        request: HttpClientRequest.get("/address/balances").pipe(
          HttpClientRequest.setUrlParam("addresses", addresses.map(withoutPrefix).join())
        ),
        interpret: Source.reading(facts, addresses, Balances, (rows) =>
          rows.map(({ address, confirmed, txs, unconfirmed }) => [
            address,
            { balance: confirmed + unconfirmed, transactions: txs }
          ])
        )
      }),
      history,
      unspent
    },
    urls
  )
