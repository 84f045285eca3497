import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Chain, ReadFailure } from "../Chain.ts"
import { decimalsOf, missingTokens, unread, unreadTokensOf } from "../kit/holdings/tokenList.ts"
import { notIn, readUnlisted, type Unlisted } from "../kit/holdings/unlisted.ts"
import { type CardanoAssets, registeredIn } from "./assets.ts"
import * as CardanoAsset from "./CardanoAsset.ts"
import { type CardanoBalances, type CardanoProvider, nothing, unanswered } from "./Provider.ts"
import { native, toHolding, toHoldings, unclear, unregistered } from "./toHoldings.ts"

/** Reads the coins and the registered assets of addresses, at most for `maxWait` (ms). */
export const holdings =
  (sources: ReadonlyArray<CardanoProvider>, assets: CardanoAssets, maxWait: number): Chain["Type"]["holdings"] =>
  (addresses, { unlisted = false, until } = {}) =>
    Effect.gen(function* () {
      const known = yield* assets.list
      const registered = registeredIn(known)
      const start = yield* Clock.currentTimeMillis
      const results = yield* balancesOf(sources, addresses, Option.isSome(known))
      const [reported, others] = yield* Effect.zip(
        assets.decimalsOf(
          unclear(results.flatMap(Either.match(balancesOrNone)), registered),
          (start + maxWait - (yield* Clock.currentTimeMillis)) / 2
        ),
        readUnlisted(
          unlisted ? results.map((balances) => unlistedIn(balances, known)) : undefined,
          declaredBy(assets),
          until
        ),
        { concurrent: unlisted }
      )
      const read = results.map(
        Either.mapBoth({ onLeft: unread, onRight: (balances) => toHoldings(balances, registered, reported) })
      )
      yield* assets.confirm(decimalsOf(read))
      return {
        ...others,
        addresses: read,
        missing: missingTokens(known),
        unreadTokens: unreadTokensOf(results, ({ unreadAssets }) => unreadAssets)
      }
    }).pipe(span("Cardano.holdings", { attributes: { addresses: addresses.length } }))

/** Reads the coins or one asset of an address. */
export const holding =
  (sources: ReadonlyArray<CardanoProvider>, assets: CardanoAssets, maxWait: number): Chain["Type"]["holding"] =>
  (address, text) =>
    Effect.gen(function* () {
      const unit = Option.flatMap(text, CardanoAsset.parse)
      if (Option.isSome(text) && Option.isNone(unit)) return yield* Effect.fail(invalidToken)
      const [result = Either.right(nothing)] = yield* balancesOf(sources, [address], Option.isSome(unit))
      const balances = yield* result
      if (Option.isNone(unit)) return native(balances)
      if (balances.unreadAssets !== undefined) return yield* balances.unreadAssets
      const asset = balances.assets.find((balance) => balance.unit === unit.value)
      const known = Option.flatMapNullable(yield* assets.list, ({ byAddress }) => byAddress.get(unit.value))
      const found = asset ?? { unit: unit.value, quantity: 0n, decimals: undefined }
      if (Option.isSome(known)) {
        const reported = yield* assets.decimalsOf(
          unclear([{ ...balances, assets: [found] }], new Map([[unit.value, known.value]])),
          maxWait / 2
        )
        return toHolding(found, known.value, reported)
      }
      const described = yield* assets.metadataOf(unit.value)
      if (described === undefined) return yield* Effect.fail(noAsset)
      return unregistered(found, described)
    }).pipe(Effect.mapError(unread))

/**
 * The balances of each address, in their order. Addresses that fail at one source, or of which it returns the coins
 * alone, are read from the next.
 */
const balancesOf = (
  sources: ReadonlyArray<CardanoProvider>,
  addresses: ReadonlyArray<string>,
  withAssets: boolean
): Effect.Effect<ReadonlyArray<Either.Either<CardanoBalances, UpstreamError>>> =>
  Effect.suspend(() => {
    const coinsOnly = new Map<string, CardanoBalances>()
    const read = Sources.each<CardanoProvider, string, CardanoBalances, UpstreamError>(
      sources,
      addresses,
      (source, open, report) =>
        source.balances(open, withAssets, (address, result) => {
          const unread = Either.isRight(result) ? result.right.unreadAssets : undefined
          if (unread !== undefined && Either.isRight(result) && !coinsOnly.has(address))
            coinsOnly.set(address, result.right)
          report(address, unread === undefined ? result : Either.left(unread))
        })
    )
    return Effect.map(read, (found) =>
      addresses.map((address) =>
        Either.orElse(found.get(address) ?? Either.left(unanswered), (error) =>
          Either.fromNullable(coinsOnly.get(address), () => error)
        )
      )
    )
  })

/** The assets of an address that are not listed. */
const unlistedIn = (read: Either.Either<CardanoBalances, UpstreamError>, known: Option.Option<TokenList>): Unlisted =>
  Either.mapBoth(read, {
    onLeft: unread,
    onRight: ({ assets, unreadAssets }) => ({
      owned: notIn(
        known,
        assets.map(({ quantity, unit }) => ({ address: unit, amount: quantity }))
      ),
      unread: missingTokens(known) ?? (unreadAssets && unread(unreadAssets))
    })
  })

/** What assets declare: the ledger counts units, so one that declares no decimals has none. */
const declaredBy = (assets: CardanoAssets) => (units: ReadonlyArray<string>) =>
  Effect.map(
    each(units, (unit) => Effect.map(Effect.either(assets.metadataOf(unit)), (found) => [unit, found] as const)),
    (all) =>
      new Map(
        all.map(([unit, found]) => [
          unit,
          Either.flatMap(Either.mapLeft(found, unread), (metadata) =>
            metadata === undefined
              ? Either.left(noAsset)
              : Either.right({ ...metadata, decimals: metadata.decimals ?? 0 })
          )
        ])
      )
  )

const balancesOrNone = {
  onLeft: (): ReadonlyArray<CardanoBalances> => [],
  onRight: (balances: CardanoBalances): ReadonlyArray<CardanoBalances> => [balances]
}

const noAsset: ReadFailure = { reason: "bad_answer", message: "no asset with this policy and name was ever minted" }

const invalidToken: ReadFailure = {
  reason: "invalid_address",
  message: "tokenAddress: an asset is its policy id (56 hexadecimal digits) and the hexadecimal digits of its name"
}
