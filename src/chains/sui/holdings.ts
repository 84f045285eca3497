import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { sui } from "../../catalogue/sui.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import { type Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Chain, Holding, ReadFailure } from "../Chain.ts"
import { byKey, impossible, uint64 } from "../kit/holdings/amounts.ts"
import { missingTokens, unread, unreadTokensOf, unregistered } from "../kit/holdings/tokenList.ts"
import { notIn, readUnlisted, type Unlisted } from "../kit/holdings/unlisted.ts"
import type * as CoinDecimals from "./CoinDecimals.ts"
import * as CoinType from "./CoinType.ts"
import type { SuiProvider } from "./Provider.ts"
import { BalanceRow, type Owner } from "./providers/graphql/calls.ts"

/** Reads the coins of addresses. */
export const holdings =
  (provider: SuiProvider, coins: CoinDecimals.Coins): Chain["Type"]["holdings"] =>
  (addresses, { unlisted = false, until } = {}) =>
    Effect.gen(function* () {
      const known = yield* coins.list
      const read = yield* readAll(provider, addresses)
      const [found, others] = yield* Effect.zip(
        coins.decimalsOf(typesToRead(read, known)),
        readUnlisted(
          unlisted ? read.map((balance) => unlistedIn(balance, known)) : undefined,
          (types) => Effect.map(coins.decimalsOf(types), declaredIn),
          until
        ),
        { concurrent: unlisted }
      )
      return {
        ...others,
        addresses: read.map(
          Either.mapBoth({ onLeft: unread, onRight: (balance) => toHoldings(balance, known, found) })
        ),
        missing: missingTokens(known),
        unreadTokens: unreadTokensOf(read, (balance) => balance.unread)
      }
    }).pipe(span("Sui.holdings", { attributes: { addresses: addresses.length } }))

/** Reads one coin of an address. */
export const holding =
  (provider: SuiProvider, coins: CoinDecimals.Coins): Chain["Type"]["holding"] =>
  (address, text) =>
    Effect.gen(function* () {
      const type = yield* Option.match(text, {
        onNone: () => Either.right(CoinType.sui),
        onSome: (given) => Either.fromOption(CoinType.canonical(given), () => invalidToken)
      })
      const native = type === CoinType.sui
      const registered = native
        ? Option.none()
        : Option.flatMapNullable(yield* coins.list, (tokenList) => tokenList.byAddress.get(type))
      const known = Option.fromNullable(native ? sui.native.decimals : yield* coins.known(type))
      const read = yield* readCoin(provider, address, type, known)
      if (native) return { asset: "native" as const, amount: Either.right(read.amount) }
      const asset = Option.getOrElse(registered, () => unregistered(type)(read.decimals))
      if (Option.isSome(registered)) yield* coins.learn(new Map([[type, read.decimals]]))
      return { asset: { ...asset, decimals: read.decimals }, amount: Either.right(read.amount) }
    }).pipe(Effect.mapError(unread))

const invalidToken: ReadFailure = {
  reason: "invalid_address",
  message: "tokenAddress: a coin type is written as 0x2::sui::SUI"
}

const decodeType = Schema.decodeUnknownOption(BalanceRow.type)
const decodeTotal = Schema.decodeUnknownOption(BalanceRow.total)

type BalancePage = (typeof Owner.Type)["balances"]

/** The balance of each coin, by canonical type; undefined if it could not be read. */
type SuiBalance = ReadonlyMap<string, bigint | undefined>

/** SUI, and the coins that could be read; `unread` is why there may be others. */
interface SuiReading {
  readonly native: Either.Either<bigint, UpstreamError>
  readonly coins: SuiBalance
  readonly unread: UpstreamError | undefined
}
type BalanceResult = Either.Either<SuiReading, UpstreamError>

/** The list of an address at a host. */
interface SuiCoins {
  readonly coins: SuiBalance
  /** Whether it has a coin of unknown type. */
  readonly hasUnknown: boolean
  /** Why it is not whole. */
  readonly fault: UpstreamError | undefined
}

/** Undefined is the balance of a coin that is listed twice with different amounts, or more SUI than exist. */
const coinsIn = (host: Endpoint, pages: ReadonlyArray<BalancePage>): SuiCoins => {
  const rows = pages
    .flatMap(({ nodes }) => nodes)
    .map((row) => ({
      type: Option.flatMap(decodeType(row), ({ coinType }) => CoinType.canonical(coinType.repr)),
      amount: Option.getOrUndefined(Option.map(decodeTotal(row), ({ totalBalance }) => BigInt(totalBalance)))
    }))
  const coins = byKey(
    rows.flatMap(({ amount, type }) => {
      if (Option.isNone(type)) return []
      const most = type.value === CoinType.sui ? sui.supply : uint64
      return [[type.value, amount !== undefined && amount <= most ? amount : undefined] as const]
    })
  )
  const hasUnknown = rows.some(({ type }) => Option.isNone(type))
  const isWhole = !hasUnknown && ![...coins.values()].includes(undefined)
  return { coins, hasUnknown, fault: isWhole ? undefined : host.fault(unreadable) }
}

/** Zero without a row, if no row may be that of SUI. */
const nativeIn = ({ coins, hasUnknown }: SuiCoins): bigint | undefined =>
  coins.has(CoinType.sui) || hasUnknown ? coins.get(CoinType.sui) : 0n

/** The types of listed coins in the balances, without SUI. */
const typesToRead = (
  read: ReadonlyArray<Either.Either<SuiReading, unknown>>,
  tokenList: Option.Option<TokenList>
): ReadonlyArray<string> => {
  const { byAddress } = Option.getOrElse(tokenList, () => ({ byAddress: new Map() }))
  const all = Arr.getRights(read).flatMap(({ coins }) => [...coins])
  return all.flatMap(([type, amount]) => (byAddress.has(type) && amount !== 0n && type !== CoinType.sui ? [type] : []))
}

/** SUI, then the registered coins with a balance; an amount without decimals is unknown. */
const toHoldings = (
  { coins, native }: SuiReading,
  tokenList: Option.Option<TokenList>,
  decimals: CoinDecimals.CoinDecimals
): ReadonlyArray<Holding> => [
  { asset: "native", amount: Either.mapLeft(native, unread) },
  ...Array.from(coins).flatMap(([type, amount]): ReadonlyArray<Holding> => {
    const asset = Option.getOrUndefined(tokenList)?.byAddress.get(type)
    const own = decimals.get(type)
    if (asset === undefined || own === undefined || amount === 0n) return []
    return [
      Either.match(own, {
        onLeft: (unread): Holding => ({ asset, amount: Either.left(unread) }),
        onRight: (places) => ({
          asset: { ...asset, decimals: places },
          amount: Either.fromNullable(amount, () => noAmount)
        })
      })
    ]
  })
]

/** The coins of an owner that are not listed. */
const unlistedIn = (read: BalanceResult, known: Option.Option<TokenList>): Unlisted =>
  Either.mapBoth(read, {
    onLeft: unread,
    onRight: ({ coins, unread: fault }) => ({
      owned: notIn(
        known,
        Array.from(coins, ([address, amount]) => ({ address, amount }))
      ).filter(({ address }) => address !== CoinType.sui),
      unread: missingTokens(known) ?? (fault && unread(fault))
    })
  })

/** A coin without metadata has no decimals: they are then unknown. */
const declaredIn = (found: CoinDecimals.CoinDecimals) =>
  new Map(
    Array.from(found, ([type, own]) => [
      type,
      Either.isLeft(own) && own.left.reason === "bad_answer"
        ? Either.right(null)
        : Either.map(own, (decimals) => ({ decimals }))
    ])
  )

const noAmount: ReadFailure = { reason: "bad_answer", message: "the host returned no usable balance of this coin" }

/** The host runs one store query per list of balances, and allows 21 per request. */
const ownersPerQuery = 20

/** A request is limited to 5,000 bytes, and page cursors are long. */
const pagesPerQuery = 6

/** More coin types (50 per page) than any address has; a faulty host may return endless pages. */
const maxPages = 100

/**
 * Reads all coins of each address. The addresses that fail at one host are read from the next. If no host returns the
 * list of an address, which anyone can make unreadable by sending coins, its SUI is read alone.
 */
const readAll = (provider: SuiProvider, owners: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<BalanceResult>> =>
  Effect.map(
    each(Arr.chunksOf(owners, ownersPerQuery), (chunk) => ofChunk(provider, chunk)),
    (chunks) => chunks.flat()
  )

const ofChunk = (provider: SuiProvider, owners: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<BalanceResult>> =>
  Effect.gen(function* () {
    const found = new Map<string, SuiCoins>()
    const faults = new Map<string, UpstreamError>()
    const faultOf = (owner: string) => (found.has(owner) ? found.get(owner)?.fault : faults.get(owner))
    const reading = provider.hosts.over((host) =>
      Effect.gen(function* () {
        const open = owners.filter((owner) => !found.has(owner) || faultOf(owner) !== undefined)
        for (const [index, result] of (yield* readBatch(provider, host, open)).entries()) {
          const owner = open[index] ?? ""
          if (Either.isLeft(result)) faults.set(owner, result.left)
          else if (result.right.fault === undefined || !found.has(owner)) found.set(owner, result.right)
        }
        const [fault] = owners.flatMap((owner) => faultOf(owner) ?? [])
        if (fault !== undefined) return yield* fault
      })
    )
    const failure = Option.getOrUndefined(Either.getLeft(yield* Effect.either(reading)))
    return yield* each(owners, (owner): Effect.Effect<BalanceResult> => {
      const own = found.get(owner)
      const native = own && nativeIn(own)
      const fault = faultOf(owner)
      const unread = own === undefined || own.hasUnknown ? fault : undefined
      const coins: SuiBalance = own?.coins ?? new Map()
      if (native !== undefined) return Effect.succeed(Either.right({ native: Either.right(native), coins, unread }))
      if (fault === undefined) return Effect.succeed(Either.left(failure ?? unanswered))
      return Effect.map(
        Effect.either(readCoin(provider, owner, CoinType.sui, Option.some(sui.native.decimals))),
        (read): BalanceResult =>
          Either.isLeft(read) && own === undefined
            ? Either.left(fault)
            : Either.right({
                native: Either.mapBoth(read, { onLeft: () => fault, onRight: ({ amount }) => amount }),
                coins,
                unread
              })
      )
    })
  })

/** The pages of an address that were read so far. */
interface SuiBalanceReading {
  readonly owner: string
  readonly pages: Either.Either<Arr.NonEmptyReadonlyArray<BalancePage>, Fault>
}

const readBatch = (provider: SuiProvider, host: Endpoint, owners: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const answered = yield* provider.balances(host, owners)
    const [only = "", ...others] = owners
    const unnamed = others.length === 0 ? only : ""
    const listed = byKey(Arr.getRights(answered).map(({ address = unnamed, balances }) => [address, balances]))
    const first = owners.map((owner, index): SuiBalanceReading => {
      const own = listed.get(owner)
      if (own !== undefined) return { owner, pages: Either.right([own]) }
      return { owner, pages: Either.flatMap(answered[index] ?? listless, () => listless) }
    })
    const readings = yield* readAllPages(provider, host, first)
    return readings.map(({ pages }) =>
      Either.mapBoth(pages, { onLeft: host.fault, onRight: (all) => coinsIn(host, all) })
    )
  })

/** The cursor of the next page; none at the end. */
const next = ({ pages }: SuiBalanceReading): Option.Option<string> =>
  Either.match(pages, {
    onLeft: () => Option.none(),
    onRight: (read) => {
      const { endCursor, hasNextPage } = Arr.lastNonEmpty(read).pageInfo
      return hasNextPage ? Option.some(endCursor ?? "") : Option.none()
    }
  })

/** Cursors are valid at one host only, so all pages of an address come from the same host. */
const readAllPages = (
  provider: SuiProvider,
  host: Endpoint,
  readings: ReadonlyArray<SuiBalanceReading>,
  round = 1
): Effect.Effect<ReadonlyArray<SuiBalanceReading>> =>
  Effect.gen(function* () {
    const pending = Arr.filter(readings, (reading) => Option.isSome(next(reading)))
    if (pending.length === 0) return readings
    if (round === maxPages)
      return readings.map((reading) => (Option.isSome(next(reading)) ? { ...reading, pages: endless } : reading))
    const chunks = yield* Effect.forEach(
      Arr.chunksOf(pending, pagesPerQuery),
      (chunk) => nextPage(provider, host, chunk),
      {
        concurrency: 4
      }
    )
    const further = new Map(chunks.flat().map((reading) => [reading.owner, reading]))
    return yield* readAllPages(
      provider,
      host,
      readings.map((reading) => further.get(reading.owner) ?? reading),
      round + 1
    )
  })

/** Reads the next page of each address. If the request fails, only the addresses in it have an error. */
const nextPage = (
  provider: SuiProvider,
  host: Endpoint,
  readings: ReadonlyArray<SuiBalanceReading>
): Effect.Effect<ReadonlyArray<SuiBalanceReading>> =>
  Effect.match(
    provider.moreBalances(
      host,
      readings.map((reading) => ({ key: reading.owner, after: Option.getOrElse(next(reading), () => "") }))
    ),
    {
      onFailure: (requestError) =>
        readings.map(({ owner }) => ({
          owner,
          pages: Either.left({ reason: requestError.reason, detail: requestError.detail })
        })),
      onSuccess: (found) =>
        Arr.zipWith(readings, found, ({ owner, pages }, more) => ({
          owner,
          pages: Either.zipWith(pages, more, (read, { balances }) => Arr.append(read, balances))
        }))
    }
  )

/** The balance of an address in one coin, and the coin's decimals if they are requested. */
const readCoin = (provider: SuiProvider, owner: string, type: string, decimals: Option.Option<number>) =>
  provider.hosts.over((host) =>
    Effect.gen(function* () {
      const read = yield* provider.balance(host, { owner, type, withDecimals: Option.isNone(decimals) })
      if (type === CoinType.sui && read.amount > sui.supply) return yield* host.fault(impossible)
      const known = Option.match(decimals, { onNone: () => read.decimals, onSome: Either.right })
      return { amount: read.amount, decimals: yield* Either.mapLeft(known, host.fault) }
    })
  )

const unanswered = new UpstreamError({ upstream: "sui-graphql", reason: "timeout", detail: "timed out" })

const bad = (detail: string): Fault => ({ reason: "bad_answer", detail })

const unreadable = bad("returned coins in an unexpected format, or with amounts that contradict each other")

const listless = Either.left(bad("returned the coins of another address"))

const endless: SuiBalanceReading["pages"] = Either.left(bad("returned pages without an end"))
