import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { BalanceParts, DetailedBalance, Holding, ReadFailure } from "../../chains/Chain.ts"
import { fullySpendable } from "../../chains/kit/holdings/Breakdown.ts"
import * as Amount from "../../domain/Amount.ts"
import type { Balance, MissingBalance } from "../../domain/Balance.ts"
import { type Breakdown, type Part, parts } from "../../domain/Breakdown.ts"
import type { Deadline } from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { inTurn } from "../../kernel/Scheduler.ts"
import { span } from "../../kernel/span.ts"
import { CurrentTally } from "../../kernel/Tally.ts"
import type { ContractPrices } from "../prices/ContractPrices.ts"
import type { ExchangeRates } from "../prices/currencies/ExchangeRates.ts"
import type { Pricing } from "../prices/Pricing.ts"
import {
  type AddressResult,
  type AnyNetwork,
  guarded,
  internalError,
  type Reading,
  readDisplayedPrices,
  readEach
} from "../reading.ts"
import { countedIn, native as nativeAsset } from "./accounts.ts"
import type { BalanceOptions } from "./Balances.ts"
import { conversionOf, converted } from "./inCurrency.ts"
import * as LastBalances from "./LastBalances.ts"
import {
  type AddressRead,
  assetKeyOf,
  type Group,
  keyOf,
  readAll,
  readAsset,
  type rowCounter,
  withLimitedUnread
} from "./readAddresses.ts"
import { assetOf, byWorth, priceOf, scaledIn, toBalance, value } from "./rows.ts"
import { type Judge, withUnlisted } from "./unlisted.ts"

type DetailResult = Reading<DetailedBalance>

/** Reads every address of a group like {@link readAll}, and the breakdown of its balance. Cannot fail. */
const readDetailed: typeof readAll = (group, within, options) =>
  Effect.zipWith(
    readAll(group, within, options),
    details(group, within),
    (reads, byText) =>
      reads.map((read) =>
        withDetail(read, checkedDetail(read.network, read.holdings[0], byText.get(read.text)?.result))
      ),
    { concurrent: true }
  )

/** The detailed balances by the client's spelling; empty if the network needs no further call. Cannot fail. */
const details = (
  { network, requested }: Group,
  within: number
): Effect.Effect<ReadonlyMap<string, AddressResult<DetailedBalance>>> => {
  const { batchSize, breakdown } = network
  return breakdown === undefined || breakdown === fullySpendable
    ? Effect.succeed(new Map())
    : readEach(network, requested, batchSize, (part) => guarded(network, within, breakdown.read(part)))
}

/** The detail of a holding. Left if the detail is a sum that differs from the amount of the holding. */
const checkedDetail = (
  { breakdown }: Pick<AnyNetwork, "breakdown">,
  native: Holding | undefined,
  detail: DetailResult | undefined
): DetailResult | undefined => {
  if (detail === undefined || breakdown === undefined || breakdown === fullySpendable || breakdown.isSum !== true)
    return detail
  const own = native === undefined ? undefined : Either.getOrUndefined(native.amount)
  return Either.filterOrLeft(
    detail,
    ({ amount }) => own === undefined || own === amount,
    () => sumMismatch
  )
}

const sumMismatch: ReadFailure = {
  reason: "bad_answer",
  message: "the unspent outputs do not add up to the balance of the address"
}

/** Replaces the native amount by that of the detail, so that amount and parts match. */
const withDetail = (read: AddressRead, detail: DetailResult | undefined): AddressRead => {
  const [native, ...tokens] = read.holdings
  if (detail === undefined) return read
  return native === undefined || !read.whole || Either.isLeft(detail)
    ? { ...read, detail }
    : { ...read, detail, holdings: [inDetail(native, detail.right), ...tokens] }
}

/** The holding of the native coin, with its parts. */
const inDetail = (native: Holding, { amount, parts }: DetailedBalance): Holding => ({
  ...native,
  amount: Either.right(amount),
  parts
})

/**
 * The breakdown of a native holding. Absent if no part is known, or without `detail` if the whole balance is spendable.
 * Requested parts that could not be read are null, with one reason for all of them.
 */
const breakdownOf = (
  { breakdown, facts }: Pick<AnyNetwork, "breakdown" | "facts">,
  native: Holding | undefined,
  detail: boolean,
  result: DetailResult | undefined
): { readonly breakdown?: Breakdown } => {
  if (native === undefined || Either.isLeft(native.amount)) return {}
  const known: BalanceParts = native.parts ?? {}
  const format = (amount: bigint) => Amount.format(amount, facts.native.decimals)
  if (!detail || breakdown === undefined)
    return native.parts === undefined ? {} : { breakdown: written(known, [], format) }
  if (breakdown === fullySpendable)
    return { breakdown: written(native.parts ?? { spendable: native.amount.right }, [], format) }
  const { message, reason } = missingOf(result)
  const missing = breakdown.parts.filter((part) => known[part] === undefined)
  const all = written(known, missing, format)
  return { breakdown: missing.length === 0 ? all : { ...all, error: message, errorCode: reason } }
}

const missingOf = (result: DetailResult = Either.left(internalError)): ReadFailure =>
  Either.match(result, { onLeft: (unread) => unread, onRight: ({ missing = internalError }) => missing })

const written = (
  known: BalanceParts,
  missing: ReadonlyArray<Part>,
  format: (amount: bigint) => string
): Readonly<Partial<Record<Part, string | null>>> => {
  const all: Partial<Record<Part, string | null>> = {}
  for (const part of parts) {
    const amount = known[part]
    if (amount !== undefined) all[part] = format(amount)
    else if (missing.includes(part)) all[part] = null
  }
  return all
}

interface Tools {
  readonly pricing: typeof Pricing.Service
  readonly rates: typeof ExchangeRates.Service
  readonly count: ReturnType<typeof rowCounter>
  readonly last: Effect.Effect.Success<typeof LastBalances.make>
  readonly deadline: Deadline
  readonly judge: Effect.Effect<Judge>
  readonly contractPrices: (typeof ContractPrices.Service)["of"]
}

/** Reads the addresses of these groups and values their assets; earlier balances fill in for missing balances. */
export const makeValuation = ({ contractPrices, count, deadline, judge, last, pricing, rates }: Tools) => {
  const readingTime = deadline.share("read")
  return Effect.fnUntraced(function* (
    groups: ReadonlyArray<Group>,
    { currency, detail = false, unlisted = false }: BalanceOptions = {}
  ) {
    const { remaining } = yield* deadline.start
    const read = detail ? readDetailed : readAll
    const reads = (yield* each(groups, (group) => read(group, readingTime, { unlisted }))).flat()
    const incomplete = reads.filter(
      ({ holdings, missing }) => missing !== undefined || holdings.some(({ amount }) => Either.isLeft(amount))
    )
    const earlier = yield* last.read(keysOf(incomplete))
    const counted = countedIn(reads)
    const complete = yield* inTurn(reads, (read) => {
      const before = earlier.get(read.key ?? "")
      const limited = withLimitedUnread(
        withEarlier(read, before),
        ({ asset }) => asset !== "native" && before?.has(asset.address) === true
      )
      return { ...limited, counted: counted.get(read) }
    })
    const tally = yield* CurrentTally
    for (const { holdings, missing, network } of complete) count(tally, network, holdings, missing)
    const left = yield* remaining("write")
    const [prices, conversion] = yield* Effect.zip(
      pricing.prices([...new Set(complete.flatMap(coinsOf))], left),
      conversionOf(rates, currency, left),
      { concurrent: currency !== undefined }
    )
    const displayed = yield* displayedPricesOf(complete, yield* remaining("write"))
    const rows = yield* inTurn(complete, (read) => ({
      ...read,
      rows: read.holdings
        .map((holding) => toBalance(read.network.facts, read.text, holding, prices, displayed.get(read.network)))
        .sort(byWorth)
        .map(({ row }) => row)
    }))
    const unpriced = rows.filter((read) => read.rows.some((row) => row.balanceUsd === null && row.balance !== null))
    const stored = new Map([...earlier, ...(yield* last.read(keysOf(unpriced).filter((key) => !earlier.has(key))))])
    const completed = yield* inTurn(rows, (read) => ({
      ...read,
      rows: read.rows.map((row) => {
        const shown = conversion === undefined ? row : { ...row, ...converted(conversion, row) }
        const account = read.counted?.get(row.contractAddress ?? nativeAsset)
        return {
          ...shown,
          ...(account === undefined ? {} : { countedIn: account }),
          ...(row.tokenType === "NATIVE" ? withUnread(shown, read) : {}),
          ...(row.tokenType === "NATIVE" ? breakdownOf(read.network, read.holdings[0], detail, read.detail) : {}),
          ...LastBalances.lastKnown([stored.get(read.key ?? "")], row.contractAddress, row)
        }
      })
    }))
    // An address with missing tokens keeps its earlier tokens: `withEarlier` listed them.
    const whole = completed.filter((read) => read.whole)
    yield* last.write(new Map(whole.flatMap(({ key, rows }) => (key === undefined ? [] : [[key, rows]]))), stored)
    if (!unlisted) return completed
    const shown = (row: Balance) => (conversion === undefined ? row : { ...row, ...converted(conversion, row) })
    return yield* withUnlisted(
      completed,
      yield* judge,
      contractPrices,
      ({ network, text }, holding, price) => {
        const own = holding.asset === "native" || price === undefined ? [] : [[holding.asset.address, price] as const]
        const { row, worth } = toBalance(network.facts, text, holding, prices, new Map(own))
        return { row: shown(row), worth }
      },
      yield* remaining("write")
    )
  }, span("Portfolio.valued"))
}

/** Few networks have such prices: the others need no fiber. */
const hasDisplayedPrices = ({ network }: AddressRead) => network.displayedPrices !== undefined

/** The prices per displayed unit of tokens with two units, by network. */
const displayedPricesOf = (reads: ReadonlyArray<AddressRead>, within: number) =>
  Effect.map(
    each([...Map.groupBy(reads.filter(hasDisplayedPrices), ({ network }) => network)], ([network, some]) => {
      const tokens = new Map(some.flatMap(({ holdings }) => scaledIn(holdings)).map((token) => [token.address, token]))
      return Effect.map(
        readDisplayedPrices(network, [...tokens.values()], within),
        (found) => [network, found] as const
      )
    }),
    (all) => new Map(all)
  )

/** Reads one asset of one address and values it. */
export const valuingAsset = ({ count, deadline, last, pricing, rates }: Tools) => {
  const readingTime = deadline.share("read")
  return Effect.fnUntraced(function* (
    network: AnyNetwork,
    text: string,
    token: Option.Option<string>,
    { currency, detail = false }: BalanceOptions = {}
  ) {
    const { remaining } = yield* deadline.start
    const address = network.address(text)
    const inParts = detail && Option.isNone(token) && Either.isRight(address)
    const [base, read] = yield* Effect.zip(
      readAsset(network, address, token, readingTime),
      details({ network, requested: inParts ? [text] : [] }, readingTime),
      { concurrent: inParts }
    )
    const result = checkedDetail(network, Either.getOrUndefined(base), read.get(text)?.result)
    const holding = Either.map(base, (listed) =>
      result !== undefined && Either.isRight(result) ? inDetail(listed, result.right) : listed
    )
    const native = Option.isNone(token) ? Option.some(assetOf(network.facts, { asset: "native" })) : Option.none()
    const asset = Option.orElse(
      Option.map(Either.getRight(holding), (listed) => assetOf(network.facts, listed)),
      () => native
    )
    const coin = Option.flatMapNullable(asset, ({ coinId }) => coinId)
    const amount = Either.flatMap(holding, ({ amount }) => amount)
    count(yield* CurrentTally, network, [{ amount }])
    const left = yield* remaining("write")
    const [prices, conversion] = yield* Effect.zip(
      pricing.prices(Option.toArray(coin), left),
      conversionOf(rates, currency, left),
      { concurrent: currency !== undefined }
    )
    const displayed = yield* readDisplayedPrices(
      network,
      Either.match(holding, { onLeft: () => [], onRight: (listed) => scaledIn([listed]) }),
      left
    )
    const units = Either.getOrElse(holding, (): Pick<Holding, "isUnitUnknown" | "scaling"> => ({}))
    const valued = value(
      amount,
      Option.match(asset, { onNone: () => 0, onSome: ({ decimals }) => decimals }),
      priceOf(prices, Option.getOrUndefined(coin), units, Array.from(displayed.values())[0]),
      units.scaling
    )
    const { rawBalance, tokenPrice, worth: _, ...numbers } = valued
    const contract = Option.getOrNull(
      Option.match(asset, {
        onNone: () => Option.map(token, (text) => contractOf(network, text)),
        onSome: ({ address }) => Option.fromNullable(address)
      })
    )
    const keys = Either.match(address, {
      onLeft: () => [],
      onRight: (canonical) => [keyOf(network, canonical), assetKeyOf(network, canonical, contract)]
    })
    const earlier = yield* last.read(numbers.balanceUsd === null ? keys : [])
    const rows = Either.isRight(holding) ? [toBalance(network.facts, text, holding.right, prices, displayed).row] : []
    // Not under the key of the address, whose rows are all its assets of the registry.
    if (numbers.balance !== null) yield* last.write(new Map(keys.slice(1).map((key) => [key, rows])), earlier)
    return {
      ...numbers,
      ...(numbers.multiplier === undefined || rawBalance === null ? {} : { rawBalance }),
      price: tokenPrice,
      ...(conversion === undefined ? {} : { priceUsd: tokenPrice, ...converted(conversion, valued) }),
      ...(Option.isNone(token) ? breakdownOf(network, Either.getOrUndefined(holding), detail, result) : {}),
      ...LastBalances.lastKnown([...earlier.values()], contract, numbers)
    }
  }, span("Portfolio.single"))
}

/** The contract of a token that could not be read. */
const contractOf = ({ address, canonicalToken }: AnyNetwork, text: string) =>
  Option.getOrElse(canonicalToken?.(text) ?? Either.getRight(address(text)), () => text)

const keysOf = (reads: ReadonlyArray<Pick<AddressRead, "key">>) => [
  ...new Set(reads.flatMap(({ key }) => (key === undefined ? [] : [key])))
]

const coinsOf = ({ holdings, network }: AddressRead) =>
  holdings.flatMap((holding) => assetOf(network.facts, holding).coinId ?? [])

/** Adds the tokens of the address that could not be read and have no row to the error of the native coin's row. */
const withUnread = (
  { error, errorCode }: MissingBalance,
  { omitted, unreadTokens }: Pick<AddressRead, "omitted" | "unreadTokens">
): MissingBalance => {
  const unread = unreadTokens ?? omitted?.unread
  if (unread === undefined) return {}
  const what = unreadTokens === undefined ? `${omitted?.count} more tokens` : "the tokens of the address"
  const text = `${what} could not be read: ${unread.message}`
  const joined = error === undefined ? text : `${error}; ${text}`
  return unreadTokens === undefined ? { error: joined } : { error: joined, errorCode: errorCode ?? unreadTokens.reason }
}

/** Adds the tokens that an address owned earlier, as unread, if its tokens could not be read. */
const withEarlier = (read: AddressRead, earlier: LastBalances.Earlier | undefined): AddressRead => {
  const [native] = read.holdings
  if (earlier === undefined || native === undefined) return read
  const amount = read.missing === undefined ? native.amount : Either.left(read.missing)
  if (read.whole && read.missing === undefined) return read
  return { ...read, holdings: [native, ...LastBalances.tokens(earlier).map((asset) => ({ asset, amount }))] }
}
