import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { sui } from "../../catalogue/sui.ts"
import { maxEntries } from "../../domain/transactionContext/outputs.ts"
import type { GasCoin, SuiContext } from "../../domain/transactionContext/SuiContext.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { impossible, isPossible } from "../amounts.ts"
import { largest } from "../Contexts.ts"
import { ofMainnet } from "./Client.ts"
import * as CoinType from "./CoinType.ts"
import * as GraphQl from "./GraphQl.ts"
import { Coin, toCoin } from "./jsonrpc/Coins.ts"
import { Count, Digits, PageInfo } from "./jsonrpc/SuiWire.ts"

const rowsPerPage = 50

/** Pages that are read of an address with very many coin objects: as many coins as a list has. */
const maxPages = maxEntries / rowsPerPage

const query =
  "query ($owner: SuiAddress!, $first: Int!, $after: String, $filter: ObjectFilter, $type: String!) { chainIdentifier epoch { epochId referenceGasPrice } address(address: $owner) { balance(coinType: $type) { totalBalance addressBalance } objects(first: $first, after: $after, filter: $filter) { nodes { address version digest previousTransaction { digest } contents { bcs type { repr } } } pageInfo { hasNextPage endCursor } } } }"

const Epoch = Schema.Struct({ epochId: Count, referenceGasPrice: Digits })
const Owner = Schema.Struct({
  balance: Schema.Struct({ totalBalance: Digits, addressBalance: Schema.NullishOr(Digits) }),
  objects: Schema.Struct({ nodes: Schema.Array(Coin), pageInfo: PageInfo })
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
    const reply = yield* ofMainnet(host, yield* GraphQl.read(host, query, variables))
    const read = Either.all({
      chainIdentifier: reply.at(["chainIdentifier"], Schema.String),
      epoch: reply.at(["epoch"], Epoch),
      owner: reply.at(["address"], Owner)
    })
    return yield* Effect.mapError(read, host.fault)
  })

/** What the transactions of an address are built from. All pages come from one host. */
export const read = (hosts: Upstream, owner: string): Effect.Effect<SuiContext, UpstreamError> =>
  hosts.over((host) =>
    Effect.gen(function* () {
      const first = yield* page(host, owner, null)
      const coins = new Map<string, GasCoin>()
      let next = first.owner.objects
      for (let count = 1; ; count++) {
        for (const node of next.nodes) {
          const coin = yield* Effect.mapError(toCoin(node), (detail) => host.fault({ reason: "bad_answer", detail }))
          coins.set(coin.coinObjectId, {
            objectId: coin.coinObjectId,
            version: coin.version,
            digest: coin.digest,
            balance: coin.balance
          })
        }
        if (!next.pageInfo.hasNextPage || count === maxPages) break
        next = (yield* page(host, owner, next.pageInfo.endCursor ?? null)).owner.objects
      }
      const gasCoins = largest([...coins.values()], ({ balance }) => BigInt(balance))
      const { addressBalance, totalBalance } = first.owner.balance
      const all = gasCoins.reduce((sum, { balance }) => sum + BigInt(balance), 0n)
      if (![BigInt(totalBalance), all].every(isPossible(sui))) return yield* host.fault(impossible)
      const truncated = next.pageInfo.hasNextPage
      return {
        family: "sui" as const,
        chainIdentifier: first.chainIdentifier,
        epoch: Number(first.epoch.epochId),
        referenceGasPrice: first.epoch.referenceGasPrice,
        balance: totalBalance,
        addressBalance: addressBalance ?? null,
        gasCoins,
        truncated,
        count: truncated ? null : coins.size
      }
    })
  )
