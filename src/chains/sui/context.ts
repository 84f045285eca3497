import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { sui } from "../../catalogue/sui.ts"
import type { GasCoin, SuiContext } from "../../domain/TransactionContext.ts"
import { maxEntries } from "../../domain/TransactionContext.ts"
import { distance, type Millis, now, secondsOf, toSeconds } from "../../domain/units.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { largest, perAddress, uniqueByKey } from "../kit/context/Contexts.ts"
import { impossible, isPossible } from "../kit/holdings/amounts.ts"
import { requireCurrent } from "../kit/status/currentHead.ts"
import * as CoinType from "./CoinType.ts"
import { GasPrice } from "./fees.ts"
import * as GraphQl from "./GraphQl.ts"
import { Coin, coinFields, toCoin } from "./jsonrpc/Objects.ts"
import { Count, Digits, Page, pageOf, readAllPages } from "./SuiWire.ts"

const rowsPerPage = 50

/** Page limit for an address with many coin objects: enough to fill a list in the response. */
const maxPages = maxEntries / rowsPerPage

const query = `query ($owner: SuiAddress!, $first: Int!, $after: String, $filter: ObjectFilter, $type: String!) { chainIdentifier checkpoint { timestamp } epoch { epochId referenceGasPrice } address(address: $owner) { balance(coinType: $type) { totalBalance addressBalance } objects(first: $first, after: $after, filter: $filter) { ${pageOf(coinFields)} } } }`

const Epoch = Schema.Struct({ epochId: Count, referenceGasPrice: GasPrice })
const Checkpoint = Schema.Struct({ timestamp: Schema.String })

/** The highest possible epoch: an epoch lasts a day, and the first began with the network. */
const maxEpoch = (clock: Millis) => 2 + distance(sui.genesisTime, toSeconds(clock)) / (24 * 60 * 60)
const Owner = Schema.Struct({
  balance: Schema.Struct({ totalBalance: Digits, addressBalance: Schema.NullOr(Digits) }),
  objects: Page(Coin)
})

const page = (host: Endpoint, owner: string, after: string | null) =>
  Effect.gen(function* () {
    const variables = {
      owner,
      first: rowsPerPage,
      after,
      filter: { type: `0x2::coin::Coin<${CoinType.sui}>` },
      type: CoinType.sui
    }
    const reply = yield* GraphQl.read(host, query, variables)
    const read = Either.all({
      chainIdentifier: reply.at(["chainIdentifier"], Schema.String),
      checkpoint: reply.at(["checkpoint"], Checkpoint),
      epoch: reply.at(["epoch"], Epoch),
      owner: reply.at(["address"], Owner)
    })
    return yield* Effect.mapError(read, host.fault)
  })

/** Reads what is needed to build transactions, of each address separately. */
export const contexts = (hosts: Upstream) => perAddress((address) => read(hosts, address))

/** Reads the data needed to build a transaction of an address. All pages come from one host. */
const read = (hosts: Upstream, owner: string): Effect.Effect<SuiContext, UpstreamError> =>
  hosts.over((host) =>
    Effect.gen(function* () {
      const first = yield* page(host, owner, null)
      const epoch = Number(first.epoch.epochId)
      yield* requireCurrent(host, sui, secondsOf(first.checkpoint.timestamp))
      if (epoch < 1 || epoch > maxEpoch(yield* now)) return yield* host.fault(noEpoch)
      const { last, rows } = yield* readAllPages(first.owner.objects, maxPages, (after) =>
        Effect.map(page(host, owner, after), ({ owner }) => owner.objects)
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
      const { addressBalance, totalBalance } = first.owner.balance
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
