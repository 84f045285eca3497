import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import * as Call from "../../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../../../upstream/Upstream.ts"
import { eachLevel } from "../../../kit/fees/feeLevels.ts"
import { otherTransaction } from "../../../kit/sending/nodeResponse.ts"
import { type FeeCalls, plausible, targets } from "../../fees/FeeRates.ts"
import * as Unspent from "../../Unspent.ts"
import * as UtxoAddress from "../../UtxoAddress.ts"
import * as Indexer from "../Indexer.ts"
import * as calls from "./calls.ts"
import { balances } from "./EsploraBalances.ts"
import { history } from "./EsploraHistory.ts"
import { relay, statuses } from "./EsploraTransactions.ts"

const isHash = Schema.is(calls.tip.response)

const tip: ResponseDecoder.Decoder<string> = (response) => {
  const fault = ResponseDecoder.statusFault(response)
  if (fault !== undefined) return Either.left(fault)
  return isHash(response.text) ? Either.right(response.text) : Either.left(ResponseDecoder.unreadable)
}

const unspent = (spelling: UtxoAddress.Spelling): Unspent.UnspentKind => ({
  head: (endpoint) =>
    Effect.flatMap(endpoint.read(Call.requestOf(calls.tip, {}), tip), (hash) =>
      Effect.map(Call.readAt(endpoint, calls.block, { hash }), ({ height, timestamp }) => ({
        height,
        time: timestamp
      }))
    ),
  read: (endpoint, facts, address, head) =>
    Effect.gen(function* () {
      const [{ count, rows }, { height }] = yield* Effect.all(
        [Unspent.readRows(endpoint, calls.utxos, { address: spelling(facts, address) }), head],
        { concurrency: 2 }
      )
      return {
        height,
        count,
        outputs: rows.map(({ status, txid, value, vout }) => ({
          txid,
          vout,
          value,
          confirmations: status.confirmed ? Unspent.confirmationsAt(height, status.block_height ?? height) : 0,
          origin: undefined
        }))
      }
    }),
  originOf: (endpoint, hash) =>
    Effect.flatMap(Call.readAt(endpoint, calls.origin, { hash }), (found) =>
      found.txid === hash
        ? Effect.succeed(
            Unspent.originOf(
              found.vin.some(({ is_coinbase }) => is_coinbase),
              found.vout[0]?.scriptpubkey ?? ""
            )
          )
        : endpoint.fault(otherTransaction)
    )
})

/** Per 1,000 virtual bytes; fractions of a base unit are rounded up. */
const perThousand = (rate: number): bigint => BigInt(Math.ceil(Number((rate * 1000).toFixed(3))))

const rateOf = (rate: number | undefined) => (rate === undefined ? undefined : plausible(perThousand(rate)))

const estimated = (address: Endpoint) =>
  Effect.map(Call.readAt(address, calls.estimates, {}), (estimates) =>
    eachLevel((name) => rateOf(estimates[String(targets[name])]))
  )

const recommended = ResponseDecoder.fitting(Schema.UndefinedOr(calls.recommended.response), {}, { value: undefined })

const fees: FeeCalls = {
  rank: 1,
  read: (address) =>
    Effect.flatMap(address.read(Call.requestOf(calls.recommended, {}), recommended), (found) =>
      found === undefined
        ? estimated(address)
        : Effect.succeed({
            slow: rateOf(found.economyFee),
            standard: rateOf(found.hourFee),
            fast: rateOf(found.fastestFee)
          })
    )
}

const canonical: UtxoAddress.Spelling = (_, address) => address

export const source = (
  urls: ReadonlyArray<string>,
  {
    balancesOnly = false,
    base58Only = false
  }: Partial<Pick<UtxoFacts["indexers"][number], "balancesOnly" | "base58Only">> = {}
) => {
  const spelling = base58Only ? UtxoAddress.toBase58 : canonical
  return Indexer.make(
    {
      id: "esplora",
      calls,
      title: "Esplora indexers",
      // No rate limit is published.
      publicRate: { perSecond: 10, burst: 30 },
      supports: Indexer.isAddress,
      perCall: 1,
      request: balances(spelling),
      history: { ...history(spelling), ownInstancesOnly: balancesOnly },
      unspent: unspent(spelling),
      transactions: relay,
      statuses,
      fees
    },
    urls
  )
}
