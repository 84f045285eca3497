import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { polkadot } from "../../catalogue/polkadot.ts"
import type { Token } from "../../domain/Token.ts"
import { span } from "../../kernel/span.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Chain, Holding, ReadFailure } from "../Chain.ts"
import { decimalsOf, missingTokens, unread } from "../kit/holdings/tokenList.ts"
import type { PolkadotAssets } from "./assets.ts"
import { type AssetHubAccount, all, asset, keysOf } from "./balances.ts"
import { parse } from "./PolkadotAsset.ts"
import { read } from "./providers/substrate/Substrate.ts"
import { assetMetadata, metadataKey } from "./storage.ts"
import { unlistedOf } from "./tokens/unlisted.ts"

// Asset Hub has held Polkadot's balances since November 2025 (docs.polkadot.com): storage of the pallets System and
// Assets (polkadot-sdk, substrate/frame).

/** Keys per call: about 300 kB in each direction. */
const keysPerCall = 2_000

/** Reads the balances of accounts in DOT and in the listed assets. */
export const holdings =
  (nodes: Upstream, assets: PolkadotAssets, time: number): Chain["Type"]["holdings"] =>
  (addresses, { unlisted = false } = {}) =>
    Effect.gen(function* () {
      const list = yield* assets.list
      const others = yield* Effect.fork(unlisted ? unlistedOf(nodes, addresses, list, time) : Effect.succeed({}))
      const tokens = Option.match(list, { onNone: () => [], onSome: (known) => known.tokens.filter(isToken) })
      const chunks = Arr.chunksOf(
        addresses as ReadonlyArray<AssetHubAccount>,
        Math.ceil(keysPerCall / (tokens.length + 1))
      )
      const parts = yield* Effect.forEach(
        chunks,
        (accounts) =>
          Effect.match(readAccounts(nodes, accounts, tokens), {
            onFailure: (error) => accounts.map(() => Either.left(unread(error))),
            onSuccess: Arr.map(Either.mapLeft(unread))
          }),
        { concurrency: 4 }
      )
      yield* assets.confirm(decimalsOf(parts.flat()))
      return { ...(yield* Fiber.join(others)), addresses: parts.flat(), missing: missingTokens(list) }
    }).pipe(span("Polkadot.holdings", { attributes: { addresses: addresses.length } }))

/** Reads the balance of one account in DOT or in one asset. */
export const holding =
  (nodes: Upstream, assets: PolkadotAssets): Chain["Type"]["holding"] =>
  (address, text) =>
    Effect.gen(function* () {
      const account = address as AssetHubAccount
      if (Option.isNone(text)) {
        const [own = Either.left(noAsset)] = yield* readAccounts(nodes, [account], [])
        const [first] = yield* own
        return first ?? (yield* Effect.fail(noAsset))
      }
      const id = Option.getOrUndefined(parse(text.value))
      if (id === undefined) return yield* Effect.fail(invalidToken)
      const registered = Option.flatMapNullable(yield* assets.list, ({ byAddress }) => byAddress.get(id))
      return yield* readAsset(nodes, account, id, registered)
    }).pipe(Effect.mapError(unread))

/** False for the native coin, which may be listed as an asset and would be counted twice. */
const isToken = ({ coinId }: Token) => coinId !== polkadot.native.coinId

type AccountHoldings = ReadonlyArray<Either.Either<ReadonlyArray<Holding>, UpstreamError>>

/** An account that one node returns in an unexpected format is read from the next, and is the only one that fails. */
const readAccounts = (
  nodes: Upstream,
  accounts: ReadonlyArray<AssetHubAccount>,
  tokens: ReadonlyArray<Token>
): Effect.Effect<AccountHoldings, UpstreamError> =>
  Effect.suspend(() => {
    const keys = keysOf(
      accounts,
      tokens.map(({ address }) => address)
    )
    let partial: AccountHoldings | undefined
    const whole = nodes.over((node) =>
      Effect.flatMap(read(node, keys), (values): Effect.Effect<AccountHoldings, UpstreamError> => {
        const found = accounts.map((account) => Either.mapLeft(all(values, account, tokens), node.fault))
        const [fault] = Arr.getLefts(found)
        if (fault === undefined) return Effect.succeed(found)
        partial = found
        return Effect.fail(fault)
      })
    )
    return Effect.catchAll(whole, (error) => (partial === undefined ? Effect.fail(error) : Effect.succeed(partial)))
  })

const readAsset = (nodes: Upstream, account: AssetHubAccount, id: string, registered: Option.Option<Token>) =>
  nodes.over((node) =>
    Effect.flatMap(read(node, keysOf([account], [id])), (values) => {
      const named = Option.map(assetMetadata(values.get(metadataKey(id)) ?? null), (metadata) => ({
        ...metadata,
        address: id,
        thumbnail: ""
      }))
      return Option.match(
        Option.orElse(registered, () => named),
        {
          onNone: () => node.fault({ reason: "bad_answer", detail: noAsset.message, final: true }),
          onSome: (token) => Effect.succeed(asset(values, account, token))
        }
      )
    })
  )

const noAsset: ReadFailure = {
  reason: "bad_answer",
  message: "there is no asset with this id, or its decimals are unknown"
}

const invalidToken: ReadFailure = {
  reason: "invalid_address",
  message: "tokenAddress: an asset is identified by its numeric id"
}
