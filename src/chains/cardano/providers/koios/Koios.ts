import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { cardano } from "../../../../catalogue/cardano.ts"
import * as declare from "../../../../settings/declare.ts"
import * as Budget from "../../../../upstream/budget/Budget.ts"
import * as Call from "../../../../upstream/Call.ts"
import * as ResponseSize from "../../../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import { isStake } from "../../CardanoAddress.ts"
import type { CardanoProvider } from "../../Provider.ts"
import * as SubmitApi from "../../submit/SubmitApi.ts"
import * as calls from "./calls.ts"
import * as KoiosBalances from "./KoiosBalances.ts"
import * as KoiosHistory from "./KoiosHistory.ts"
import { metadataFrom } from "./KoiosMetadata.ts"
import { toParameters, written } from "./KoiosParameters.ts"
import { lookUp } from "./KoiosStatus.ts"
import * as KoiosUnspent from "./KoiosUnspent.ts"

const connect = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "KOIOS_URL",
    default: cardano.indexers.koios,
    meaning: "Base address of Koios (Cardano)"
  })
  return yield* Upstream.make({
    name: "koios",
    urls: [url],
    calls,
    size: ResponseSize.rows,
    exact: true,
    rate: granted,
    canary: (address) => Call.readAt(address, calls.tip, {})
  })
})

/** The public service, without a key. */
export const make = Effect.gen(function* () {
  const upstream = yield* connect
  const read = Call.reading(upstream, { exact: true })

  /** Fails if Koios has no rows for an address in use: then an empty response does not mean an unused address. */
  const confirmUse = (address: string) =>
    Effect.filterOrFail(
      KoiosBalances.coinsInUse(upstream, isStake(address) ? "stake_address" : "address"),
      (rows) => rows.length > 0,
      () => upstream.fault(KoiosBalances.emptyForUsed)
    )
  const rate = (yield* Budget.configured(granted, false)) ?? granted.keyless
  const tip = Effect.map(read(calls.tip, {}), ([row]) => row)

  return {
    name: upstream.name,
    standing: upstream.standing,
    balances: KoiosBalances.make(upstream),
    metadata: metadataFrom(upstream),
    unspent: KoiosUnspent.unspent(upstream, confirmUse),
    history: KoiosHistory.make(upstream, rate, confirmUse),
    transaction: KoiosHistory.transaction(upstream),
    send: SubmitApi.sending(upstream, calls.submit),
    find: (id) =>
      upstream.over((address) =>
        address.read(Call.requestOf(calls.txCbor, { hashes: [id] }), (answer) =>
          Either.map(Call.decoding(calls.txCbor, { hashes: [id] })(answer), (rows) =>
            SubmitApi.verdictOf(rows.length === 0 ? "unknown" : "done", answer.text)
          )
        )
      ),
    lookUp: lookUp(upstream),
    fault: upstream.fault,
    parameters: Effect.map(read(calls.epochParams, {}), toParameters),
    block: Effect.flatMap(tip, ({ hash }) => Effect.map(read(calls.blockInfo, { hash }), ([row]) => written(row))),
    head: tip
  } satisfies CardanoProvider as CardanoProvider
})

/**
 * Koios allows 100 calls in 10 seconds per endpoint; a balance needs two of them. This serves 500 addresses in time.
 */
const granted: Budget.Granted = { source: "KOIOS", keyless: { perSecond: 10, burst: 60 } }
