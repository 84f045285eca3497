import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { ton } from "../../catalogue/ton.ts"
import type { Token } from "../../domain/Token.ts"
import { span } from "../../kernel/span.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Chain, Holding, HoldingsResult, ReadFailure } from "../Chain.ts"
import { scaled } from "../kit/holdings/scaled.ts"
import { invalidToken, missingTokens, unread, unregistered } from "../kit/holdings/tokenList.ts"
import { notIn, readUnlisted, type Unlisted } from "../kit/holdings/unlisted.ts"
import { agrees, type Declarations, decimalsOf, listedDecimals } from "./declarations.ts"
import { type JettonInfos, scalingIn } from "./multipliers.ts"
import {
  each,
  firstSuccess,
  type Jetton,
  type JettonInfo,
  type Jettons,
  type OwnedJettons,
  type Reading,
  type TonProvider,
  type TonProviders
} from "./Provider.ts"
import * as TonAddress from "./TonAddress.ts"

// Coins, and jettons by TEP-64 and TEP-74 (github.com/ton-blockchain/TEPs).

/** Reads the coins and the listed jettons of addresses. */
export const holdings =
  (providers: TonProviders, { confirm, infos, list }: Declarations): Chain["Type"]["holdings"] =>
  (addresses, { unlisted = false, until } = {}) =>
    Effect.gen(function* () {
      const tokenList = yield* list
      const readings = yield* readingsOf(providers, addresses, Option.isSome(tokenList))
      const jettons = readings.map((reading) => listed(tokenList, reading))
      const [found, others] = yield* Effect.zip(
        infos(mastersToRead(jettons.flat())),
        readUnlisted(
          unlisted ? readings.map((reading) => unlistedIn(reading, tokenList)) : undefined,
          declaredBy(infos, readings),
          until
        ),
        { concurrent: unlisted }
      )
      const read = readings.map((reading, index) => toHoldings(reading, jettons[index] ?? [], found))
      yield* confirm(declaredIn(jettons.flat()))
      return {
        ...others,
        addresses: read,
        missing: missingTokens(tokenList),
        unreadTokens: readings.map((reading) => reading.unread && unread(reading.unread))
      }
    }).pipe(span("Ton.holdings", { attributes: { addresses: addresses.length } }))

/** Reads the coins or one jetton of an address. */
export const holding =
  (providers: TonProviders, declared: Declarations): Chain["Type"]["holding"] =>
  (address, text) =>
    Option.match(text, {
      onNone: () => native(providers, address),
      onSome: (given) =>
        Effect.flatMap(Either.mapLeft(TonAddress.parse(given), invalidToken), (master) =>
          ofJetton(providers, declared, address, master)
        )
    }).pipe(Effect.mapError(unread))

/** An amount needs its decimals: if they are not returned with it, they are read from the master. */
const ofJetton = (providers: TonProviders, { infos, list }: Declarations, address: string, master: string) =>
  Effect.gen(function* () {
    const registered = Option.flatMapNullable(yield* list, (tokenList) => tokenList.byAddress.get(master))
    const jetton = yield* firstSuccess(providers, (provider) => provider.jetton(address, master))
    const certain = Option.flatMapNullable(registered, (listed) => listedDecimals(listed, jetton))
    const decimals = jetton.decimals ?? Option.getOrUndefined(certain) ?? (yield* decimalsOf(providers, master))
    const asset = Option.getOrElse(registered, () => unregistered(master)(decimals))
    const found = jetton.multiplier === undefined ? yield* infos([master]) : new Map()
    return toHolding(asset, { ...jetton, decimals }, found.get(master))
  })

const native = (providers: TonProviders, address: string) =>
  Effect.flatMap(balancesOf(providers, [address]), ([reading]) =>
    reading === undefined
      ? Effect.dieMessage("an address was not read")
      : Either.map(reading, (amount): Holding => ({ asset: "native", amount: Either.right(amount) }))
  )

/** The registered jettons with a balance. Skips a token that represents the native coin, which would be counted twice. */
const listed = (
  tokenList: Option.Option<TokenList>,
  { jettons }: TonReading
): ReadonlyArray<readonly [Token, Jetton]> => {
  if (Option.isNone(tokenList) || jettons === undefined) return []
  return [...jettons].flatMap(([master, jetton]) => {
    const token = tokenList.value.byAddress.get(master)
    const isCounted = token !== undefined && token.coinId !== ton.native.coinId && jetton.amount !== 0n
    return isCounted ? [[token, jetton] as const] : []
  })
}

/** Returns the native coin, then the registered jettons with a balance; left if neither could be read. */
const toHoldings = (
  reading: TonReading,
  jettons: ReturnType<typeof listed>,
  infos: JettonInfos
): HoldingsResult["addresses"][number] =>
  Either.isLeft(reading.native) && reading.jettons === undefined
    ? Either.left(unread(reading.native.left))
    : Either.right([
        { asset: "native", amount: Either.mapLeft(reading.native, unread) },
        ...jettons.map(([token, jetton]) => toHolding(token, jetton, infos.get(token.address)))
      ])

/** The holding of a jetton. Its master's decimals and multiplier count if none came with the balance. */
export const toHolding = (token: Token, jetton: Jetton, info?: Either.Either<JettonInfo, ReadFailure>): Holding => {
  const declared = jetton.decimals ?? (info && Option.getOrUndefined(Either.getRight(info))?.decimals)
  if (declared !== undefined && !agrees(token, declared)) return { asset: token, amount: Either.left(otherDecimals) }
  const decimals = declared ?? listedDecimals(token, jetton)
  if (decimals === undefined) return { asset: token, amount: Either.left(noDecimals) }
  const multiplier = jetton.multiplier ?? (info && Either.map(info, (found) => found.multiplier))
  return scaled(
    { ...token, decimals },
    Either.fromNullable(jetton.amount, () => impossible),
    multiplier && scalingIn(multiplier)
  )
}

/** The masters whose multipliers or decimals did not come with the balances. */
const mastersToRead = (all: ReadonlyArray<readonly [Token, Jetton]>): ReadonlyArray<string> =>
  all.flatMap(([token, jetton]) =>
    jetton.multiplier === undefined || (jetton.decimals ?? listedDecimals(token, jetton)) === undefined
      ? [token.address]
      : []
  )

/** The decimals that came with the balances, by master. */
const declaredIn = (all: ReadonlyArray<readonly [Token, Jetton]>): ReadonlyMap<string, number> =>
  new Map(all.flatMap(([{ address }, { decimals }]) => (decimals === undefined ? [] : [[address, decimals] as const])))

/** The jettons of an owner that are not listed. */
const unlistedIn = ({ jettons, unread: fault }: TonReading, known: Option.Option<TokenList>): Unlisted => {
  const reason = missingTokens(known) ?? (fault && unread(fault))
  if (jettons === undefined) return Either.left(reason ?? impossible)
  const owned = Array.from(jettons, ([address, { amount, decimals, multiplier }]) => ({
    address,
    amount,
    declared:
      decimals === undefined || multiplier === undefined ? undefined : { decimals, scaling: scalingIn(multiplier) }
  }))
  return Either.right({ owned: notIn(known, owned), unread: reason })
}

/** What masters declare. Their decimals may have come with the balances alone. */
const declaredBy =
  (infos: Declarations["infos"], readings: ReadonlyArray<TonReading>) => (masters: ReadonlyArray<string>) =>
    Effect.map(infos(masters), (found) => {
      const decimalsOf = (master: string) =>
        readings.flatMap(({ jettons }) => jettons?.get(master)?.decimals ?? []).at(0)
      return new Map(
        Array.from(found, ([master, info]) => [
          master,
          Either.map(info, ({ decimals = decimalsOf(master), multiplier }) =>
            decimals === undefined ? null : { decimals, scaling: scalingIn(Either.right(multiplier)) }
          )
        ])
      )
    })

const noDecimals: ReadFailure = { reason: "bad_answer", message: "the decimals of the jetton are unknown" }
const otherDecimals: ReadFailure = {
  reason: "bad_answer",
  message: "the indexer and the token list report different decimals of the jetton"
}
const impossible: ReadFailure = {
  reason: "bad_answer",
  message: "the jetton's balance is impossible, or listed twice with different amounts"
}

/** The balances that were read for an address. */
interface TonReading {
  readonly native: Either.Either<bigint, UpstreamError>
  /** Undefined if they were not requested, or if none could be read. */
  readonly jettons: Jettons | undefined
  /** Why jettons are missing. */
  readonly unread: UpstreamError | undefined
}

/** The balance of every address. */
export const balancesOf = (providers: TonProviders, addresses: ReadonlyArray<string>) =>
  each(providers, addresses, (provider) => provider.balances)

/**
 * The jettons of every owner. An indexer after the first one reads those of which a previous one may have returned a part,
 * which counts if no indexer returns all.
 */
const jettonsOf = (
  providers: TonProviders,
  owners: ReadonlyArray<string>,
  reading: (provider: TonProvider) => Reading<OwnedJettons>
): Effect.Effect<ReadonlyArray<Pick<TonReading, "jettons" | "unread">>> =>
  Effect.gen(function* () {
    const parts = new Map<string, Jettons>()
    const whole = (owner: string) => (owned: OwnedJettons) => {
      parts.set(owner, owned.byMaster)
      return owned.unread === undefined ? Either.right(owned.byMaster) : Either.left(owned.unread)
    }
    const found = yield* each(
      providers,
      owners,
      (provider): Reading<Jettons> =>
        (open, report) =>
          reading(provider)(open, (owner, result) => report(owner, Either.flatMap(result, whole(owner))))
    )
    return Arr.zipWith(owners, found, (owner, result) => ({
      jettons: Either.getOrElse(result, () => parts.get(owner)),
      unread: Option.getOrUndefined(Either.getLeft(result))
    }))
  })

/**
 * Reads the balances and the jettons of every address; a failure of one does not affect the other. With jettons, the
 * second indexer is preferred for the balances: the first may allow one call per second.
 */
export const readingsOf = (
  providers: TonProviders,
  addresses: ReadonlyArray<string>,
  withJettons: boolean
): Effect.Effect<ReadonlyArray<TonReading>> =>
  Effect.gen(function* () {
    const [first, ...others] = providers
    const [second = first] = others
    const native = yield* Effect.fork(balancesOf(withJettons ? [second, first] : providers, addresses))
    // Other indexers need one call per address for jettons and may allow one per second: balances are read first.
    const jettons = withJettons
      ? yield* jettonsOf(
          providers,
          addresses,
          (provider): Reading<OwnedJettons> =>
            provider === first
              ? provider.jettons
              : (open, report) => Effect.zipRight(Fiber.await(native), provider.jettons(open, report))
        )
      : []
    const natives = yield* Fiber.join(native)
    return natives.map((native, index) => ({ native, ...(jettons[index] ?? notRequested) }))
  })

const notRequested = { jettons: undefined, unread: undefined }
