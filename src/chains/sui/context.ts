import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { sui } from "../../catalogue/sui.ts"
import type { GasCoin, SuiContext } from "../../domain/TransactionContext.ts"
import { maxEntries } from "../../domain/TransactionContext.ts"
import { distance, type Millis, now, secondsOf, toSeconds } from "../../domain/units.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { largest, perAddress, uniqueByKey } from "../kit/context/Contexts.ts"
import { impossible, isPossible } from "../kit/holdings/amounts.ts"
import { requireCurrent } from "../kit/status/currentHead.ts"
import { toCoin } from "./jsonrpc/Objects.ts"
import type { SuiProvider } from "./Provider.ts"
import { coinsPerPage } from "./providers/graphql/calls.ts"
import { readAllPages } from "./SuiWire.ts"

/** Page limit for an address with many coin objects: enough to fill a list in the response. */
const maxPages = maxEntries / coinsPerPage

/** The highest possible epoch: an epoch lasts a day, and the first began with the network. */
const maxEpoch = (clock: Millis) => 2 + distance(sui.genesisTime, toSeconds(clock)) / (24 * 60 * 60)

/** Reads what is needed to build transactions, of each address separately. */
export const contexts = (provider: SuiProvider) => perAddress((address) => read(provider, address))

/** Reads the data needed to build a transaction of an address. All pages come from one host. */
const read = (provider: SuiProvider, owner: string): Effect.Effect<SuiContext, UpstreamError> =>
  provider.hosts.over((host) =>
    Effect.gen(function* () {
      const first = yield* provider.context(host, owner, null)
      const epoch = Number(first.epoch.epochId)
      yield* requireCurrent(host, sui, secondsOf(first.checkpoint.timestamp))
      if (epoch < 1 || epoch > maxEpoch(yield* now)) return yield* host.fault(noEpoch)
      const { last, rows } = yield* readAllPages(first.address.objects, maxPages, (after) =>
        Effect.map(provider.context(host, owner, after), ({ address }) => address.objects)
      )
      const listed = yield* Either.mapLeft(Either.all(rows.map(toCoin)), (detail) =>
        host.fault({ reason: "bad_answer", detail })
      )
      const coins = uniqueByKey(
        listed.map(
          ({ balance, coinObjectId, digest, version }): GasCoin => ({
            objectId: coinObjectId,
            version,
            digest,
            balance
          })
        ),
        ({ objectId }) => objectId
      )
      if (coins === undefined) return yield* host.fault(contradictory)
      const gasCoins = largest(coins, ({ balance }) => BigInt(balance))
      const { addressBalance, totalBalance } = first.address.balance
      const all = gasCoins.reduce((sum, { balance }) => sum + BigInt(balance), 0n)
      if (![BigInt(totalBalance), all].every(isPossible(sui)) || BigInt(addressBalance ?? 0) > BigInt(totalBalance))
        return yield* host.fault(impossible)
      const truncated = last.hasNextPage
      return {
        family: "sui" as const,
        chainIdentifier: first.chainIdentifier,
        epoch,
        referenceGasPrice: String(first.epoch.referenceGasPrice),
        balance: totalBalance,
        addressBalance,
        gasCoins,
        truncated,
        count: truncated ? null : coins.length
      }
    })
  )

const noEpoch: Fault = { reason: "bad_answer", detail: "returned an epoch that the network has not reached" }
const contradictory: Fault = { reason: "bad_answer", detail: "returned the same coin twice with different values" }
