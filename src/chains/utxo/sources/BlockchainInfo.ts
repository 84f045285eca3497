import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Schema from "effect/Schema"
import { Count, Units } from "../amounts.ts"
import { history } from "./BlockchainInfoHistory.ts"
import * as Source from "./Source.ts"

// blockchain.info's data API (www.blockchain.com/explorer/api/blockchain_api), `/multiaddr`.

const MultiAddress = Schema.Struct({
  addresses: Schema.Array(
    Schema.Struct({
      address: Schema.String,
      /** With what is not confirmed. */
      final_balance: Units,
      n_tx: Count
    })
  )
})

export const source = (urls: ReadonlyArray<string>) =>
  Source.make(
    {
      id: "blockchain-info",
      title: "blockchain.info",
      // One call in ten seconds.
      granted: { perSecond: 0.1, burst: 2 },
      // Of witness addresses only version 0 is known to be supported.
      takes: (payee) => (payee.kind === "witness" ? payee.version === 0 : Source.isAddress(payee)),
      perCall: 80,
      from: 2,
      request: (facts, addresses) => ({
        request: HttpClientRequest.get("/multiaddr").pipe(
          HttpClientRequest.setUrlParams({ active: addresses.join("|"), n: "1" })
        ),
        interpret: Source.reading(facts, addresses, MultiAddress, (answer) =>
          answer.addresses.map(({ address, final_balance, n_tx }) => [
            address,
            { balance: final_balance, transactions: n_tx }
          ])
        )
      }),
      history
    },
    urls
  )
