import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Schema from "effect/Schema"
import { Count, UnitsText } from "../amounts.ts"
import { calls as fees } from "../fees/blockbook.ts"
import { calls } from "../rawTransactions/blockbook.ts"
import { history, path } from "./BlockbookHistory.ts"
import { unspent } from "./BlockbookUnspent.ts"
import * as Source from "./Source.ts"

// Blockbook's HTTP API v2 (github.com/trezor/blockbook/blob/master/docs/api.md).

const Address = Schema.Struct({
  /** As Blockbook writes it; an extended key as it was requested. */
  address: Schema.String,
  balance: UnitsText,
  /** What the transactions in the pool add to it or take from it. */
  unconfirmedBalance: UnitsText,
  /** The transactions in the pool. */
  unconfirmedTxs: Schema.optional(Count),
  txs: Schema.optional(Count)
})

const toSummary = ({
  balance,
  txs,
  unconfirmedBalance,
  unconfirmedTxs
}: typeof Address.Type): Source.AddressSummary => ({
  balance: balance + unconfirmedBalance,
  transactions: txs,
  ...(unconfirmedTxs === 0 ? { unconfirmed: 0n } : {})
})

export const source = (urls: ReadonlyArray<string>) =>
  Source.make(
    {
      id: "blockbook",
      title: "Blockbook indexers",
      // What a Blockbook grants by default: 20 calls a minute.
      granted: { perSecond: 1 / 3, burst: 20 },
      takes: () => true,
      perCall: 1,
      request: (facts, addresses) => ({
        request: HttpClientRequest.get(path(addresses.join())).pipe(HttpClientRequest.setUrlParam("details", "basic")),
        interpret: Source.reading(facts, addresses, Address, (found) => [[found.address, toSummary(found)]])
      }),
      history,
      unspent,
      transactions: calls,
      fees
    },
    urls
  )
