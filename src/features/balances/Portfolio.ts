import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Chain } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import type { Balance, MissingBalance, TokenBalance } from "../../domain/Balance.ts"
import type { Reason } from "../../domain/Reason.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/Deadline.ts"
import type { SettingError, Settings } from "../../settings/Settings.ts"
import type { Store } from "../../storage/Store.ts"
import { Pricing } from "../prices/Pricing.ts"
import { pricesWithin } from "../prices/pricesWithin.ts"
import * as LastBalances from "./LastBalances.ts"
import { bounded, type Group, group, keyOf, type Read, readAll, readAsset } from "./readAddresses.ts"
import { assetOf, byWorth, priceOf, toBalance, value } from "./valuation.ts"

/** Addresses by network id or alias, as a request has them. */
export type Wanted = Readonly<Record<string, ReadonlyArray<string>>>

/** What is left out of the rows of a network although its addresses were read. */
export interface Omission {
  readonly network: string
  readonly message: string
  readonly reason: Reason
}

/** The rows of addresses, and what they are without. */
export interface Balances {
  readonly rows: ReadonlyArray<Balance>
  readonly omissions: ReadonlyArray<Omission>
}

/** What addresses hold, and what it is worth. */
export class Portfolio extends Context.Tag("features/balances/Portfolio")<
  Portfolio,
  {
    /**
     * One NATIVE row for every address of a supported network, and its tokens; in the order of the request. Cannot fail
     * and ends before the deadline: a number that is not available is null with a reason.
     */
    readonly balances: (wanted: Wanted) => Effect.Effect<Balances>
    /** The same, network by network, the fastest first. */
    readonly stream: (wanted: Wanted) => Stream.Stream<Balances>
    /** One asset of one address; the native coin without a token. None where the network is not supported. */
    readonly token: (
      network: string,
      address: string,
      token: Option.Option<string>
    ) => Effect.Effect<Option.Option<TokenBalance>>
  }
>() {
  static readonly layer: Layer.Layer<Portfolio, SettingError, Chains | Pricing | Settings | Store> = Layer.scoped(
    Portfolio,
    Effect.gen(function* () {
      const networks = yield* Chains
      const pricing = yield* Pricing
      const last = yield* LastBalances.make
      const deadline = Deadline.make(yield* requestDeadline)
      const readingTime = deadline.share("read")

      const valued = Effect.fnUntraced(function* (groups: ReadonlyArray<Group>) {
        const { remaining } = yield* deadline.start
        const reads = (yield* each(groups, (item) => readAll(item, readingTime))).flat()
        const incomplete = reads.filter(({ holdings }) => holdings.some(({ amount }) => Either.isLeft(amount)))
        const earlier = yield* last.read(keysOf(incomplete))
        const complete = reads.map((read) => {
          const before = earlier.get(read.key ?? "")
          return bounded(
            withEarlier(read, before),
            ({ asset }) => asset !== "native" && before?.has(asset.address) === true
          )
        })
        const prices = yield* pricesWithin(pricing, [...new Set(complete.flatMap(coinsOf))], yield* remaining("write"))
        const rows = complete.map((read) => ({
          ...read,
          rows: read.holdings
            .map((holding) => toBalance(read.network.facts, read.text, holding, prices))
            .sort(byWorth)
            .map(({ row }) => row)
        }))
        const unpriced = rows.filter((read) => read.rows.some((row) => row.balanceUsd === null && row.balance !== null))
        const stored = new Map([...earlier, ...(yield* last.read(keysOf(unpriced).filter((key) => !earlier.has(key))))])
        const completed = rows.map((read) => ({
          ...read,
          rows: read.rows.map((row) => ({
            ...row,
            ...(row.tokenType === "NATIVE" ? withOmitted(row, read.omitted) : {}),
            ...LastBalances.lastKnown(stored.get(read.key ?? ""), row.contractAddress, row)
          }))
        }))
        // Without its tokens an address would be remembered as having none.
        const whole = completed.filter(({ missing, whole }) => whole && missing === undefined)
        yield* last.write(new Map(whole.flatMap(({ key, rows }) => (key === undefined ? [] : [[key, rows]]))), stored)
        return completed
      }, span("Portfolio.valued"))

      const single = Effect.fnUntraced(function* (
        network: Context.Tag.Service<Chain>,
        text: string,
        token: Option.Option<string>
      ) {
        const { remaining } = yield* deadline.start
        const address = network.address(text)
        const holding = yield* readAsset(network, address, token, readingTime)
        const native = Option.isNone(token) ? Option.some(assetOf(network.facts, { asset: "native" })) : Option.none()
        const asset = Option.orElse(
          Option.map(Either.getRight(holding), (item) => assetOf(network.facts, item)),
          () => native
        )
        const coin = Option.flatMapNullable(asset, ({ coinId }) => coinId)
        const prices = yield* pricesWithin(pricing, Option.toArray(coin), yield* remaining("write"))
        const {
          tokenPrice,
          worth: _,
          ...numbers
        } = value(
          Either.flatMap(holding, ({ amount }) => amount),
          Option.match(asset, { onNone: () => 0, onSome: ({ decimals }) => decimals }),
          priceOf(prices, Option.getOrUndefined(coin))
        )
        const key = Either.isRight(address) && numbers.balanceUsd === null ? [keyOf(network, address.right)] : []
        const earlier = (yield* last.read(key)).get(key[0] ?? "")
        // A token that could not be read is known only as the client wrote it.
        const spelt = Option.map(token, (text) => Either.getOrElse(network.address(text), () => text))
        const contract = Option.match(asset, {
          onNone: () => Option.getOrNull(spelt),
          onSome: ({ address }) => address
        })
        return { ...numbers, price: tokenPrice, ...LastBalances.lastKnown(earlier, contract, numbers) }
      }, span("Portfolio.single"))

      return {
        balances: Effect.fnUntraced(function* (wanted) {
          const groups = group(wanted, networks.find)
          const reads = yield* valued(groups)
          const rows = new Map(reads.map((read) => [`${read.network.facts.id} ${read.text}`, read.rows]))
          return {
            rows: Object.entries(wanted).flatMap(([name, texts]) =>
              Option.match(networks.find(name), {
                onNone: () => [],
                onSome: ({ facts: info }) => texts.flatMap((text) => rows.get(`${info.id} ${text}`) ?? [])
              })
            ),
            omissions: omissionsOf(reads)
          }
        }, span("Portfolio.balances")),
        stream: (wanted) =>
          Stream.fromIterable(group(wanted, networks.find)).pipe(
            Stream.mapEffect(
              (group) =>
                Effect.map(valued([group]), (reads) => {
                  const rows = new Map(reads.map((read) => [read.text, read.rows]))
                  return {
                    rows: group.requested.flatMap((text) => rows.get(text) ?? []),
                    omissions: omissionsOf(reads)
                  }
                }),
              { concurrency: "unbounded", unordered: true }
            )
          ),
        token: Effect.fnUntraced(function* (name, text, token) {
          const found = networks.find(name)
          if (Option.isNone(found)) return Option.none()
          const { meansNative } = found.value
          return Option.some(
            yield* single(
              found.value,
              text,
              Option.filter(token, (text) => meansNative?.(text) !== true)
            )
          )
        }, span("Portfolio.token"))
      }
    })
  )
}

/** Each network once. */
const omissionsOf = (reads: ReadonlyArray<Read>): ReadonlyArray<Omission> => [
  ...new Map(
    reads.flatMap(({ missing, network: { facts: info } }) =>
      missing === undefined ? [] : [[info.id, { network: info.id, ...missing }] as const]
    )
  ).values()
]

const keysOf = (reads: ReadonlyArray<Pick<Read, "key">>) => [
  ...new Set(reads.flatMap(({ key }) => (key === undefined ? [] : [key])))
]

const coinsOf = ({ holdings, network }: Read) =>
  holdings.flatMap((holding) => assetOf(network.facts, holding).coinId ?? [])

/** The row of the native coin says how many tokens have no row of their own because they could not be read. */
const withOmitted = ({ error }: MissingBalance, omitted: Read["omitted"]): MissingBalance => {
  if (omitted === undefined) return {}
  const text = `${omitted.count} more tokens could not be read: ${omitted.unread.message}`
  return { error: error === undefined ? text : `${error}; ${text}` }
}

/** An address that could not be read shows the tokens that it owned earlier, each of them unread like the coin. */
const withEarlier = (read: Read, earlier: LastBalances.Earlier | undefined): Read => {
  const [native] = read.holdings
  if (read.whole || earlier === undefined || native === undefined) return read
  return {
    ...read,
    holdings: [native, ...LastBalances.tokens(earlier).map((asset) => ({ asset, amount: native.amount }))]
  }
}
