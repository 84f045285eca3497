import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Schema from "effect/Schema"
import { Count, Units } from "../amounts.ts"
import { calls as fees } from "../fees/blockcypher.ts"
import { history } from "./BlockCypherHistory.ts"
import { unspent } from "./BlockCypherUnspent.ts"
import * as Source from "./Source.ts"

// BlockCypher's API (www.blockcypher.com/dev/bitcoin), `/addrs/$ADDRESS/balance`.

const Address = Schema.Struct({
  address: Schema.String,
  /** With what is not confirmed. */
  final_balance: Units,
  final_n_tx: Count
})

export const source = (urls: ReadonlyArray<string>) =>
  Source.make(
    {
      id: "blockcypher",
      title: "BlockCypher",
      // Each address of a call for several counts as a call: nothing is gained by such calls.
      granted: { perSecond: 3, burst: 3 },
      takes: Source.isAddress,
      perCall: 1,
      request: (facts, addresses) => ({
        request: HttpClientRequest.get(`/addrs/${addresses.join()}/balance`),
        interpret: Source.reading(facts, addresses, Address, ({ address, final_balance, final_n_tx }) => [
          [address, { balance: final_balance, transactions: final_n_tx }]
        ])
      }),
      history,
      unspent,
      fees
    },
    urls
  )
