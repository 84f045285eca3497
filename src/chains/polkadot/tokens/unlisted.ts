import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { TokenList } from "../../../providers/TokenRegistry.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import type { ReadFailure } from "../../Chain.ts"
import { missingTokens, unread } from "../../kit/holdings/tokenList.ts"
import { inTime, maxUnlisted, notIn, readUnlisted } from "../../kit/holdings/unlisted.ts"
import { type AssetHubAccount, keysOf } from "../balances.ts"
import { parse } from "../PolkadotAsset.ts"
import { read, runtimeCall } from "../providers/substrate/Substrate.ts"
import { assetBalance, assetMetadata, holderKey, metadataKey } from "../storage.ts"
import { assetsIn } from "./fungibles.ts"

/**
 * The assets of accounts that are not listed, each with its metadata: the runtime names them, and their amounts are read
 * from storage. Assets of other chains have no id in this service.
 */
export const unlistedOf = (
  nodes: Upstream,
  accounts: ReadonlyArray<string>,
  known: Option.Option<TokenList>,
  time: number
): ReturnType<typeof readUnlisted> =>
  inTime(
    time,
    accounts,
    Effect.flatMap(
      Effect.forEach(
        accounts as ReadonlyArray<AssetHubAccount>,
        (account) => Effect.map(Effect.either(ownedBy(nodes, account, known)), Either.mapLeft(unread)),
        { concurrency: 4 }
      ),
      (owned) => readUnlisted(owned, () => Effect.succeed(new Map()))
    )
  )

const ownedBy = (nodes: Upstream, account: AssetHubAccount, known: Option.Option<TokenList>) =>
  nodes.over((node) =>
    Effect.gen(function* () {
      const result = yield* runtimeCall(node, "FungiblesApi_query_account_balances", account)
      const assets = Option.getOrUndefined(Option.flatMap(result, assetsIn))
      if (assets === undefined) return yield* node.fault(noAssets)
      const ids = assets.ids.flatMap((id) => Option.toArray(parse(String(id))))
      const candidates = notIn(
        known,
        ids.map((address) => ({ address, amount: undefined }))
      )
      const called = candidates.slice(0, maxUnlisted).map(({ address }) => address)
      // Also checks that the node serves Asset Hub and has a current block.
      const values = yield* read(node, keysOf([account], called))
      const owned = called.map((address) => ({
        address,
        amount: Option.getOrUndefined(assetBalance(values.get(holderKey(address, account)) ?? null)),
        declared: Option.getOrNull(assetMetadata(values.get(metadataKey(address)) ?? null))
      }))
      return {
        owned: owned.filter(({ amount }) => amount !== 0n),
        more: candidates.length - called.length,
        unread: missingTokens(known) ?? (assets.others > 0 ? foreign : undefined)
      }
    })
  )

const noAssets: Fault = { reason: "bad_answer", detail: "the node did not return the assets of the account" }

const foreign: ReadFailure = {
  reason: "not_listed",
  message: "the account has assets of other chains or pools, which have no id here"
}
