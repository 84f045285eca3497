import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import { CoinId } from "../../domain/CoinId.ts"
import { span } from "../../kernel/span.ts"
import { CoinGecko } from "../../providers/CoinGecko.ts"
import * as Cache from "../../storage/Cache.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { queryCoinByCoin } from "./queryCoinByCoin.ts"

export interface Details {
  /** The provider's JSON text, unchanged. */
  readonly text: string
  /** Whether this text is still current at this time (ms). True for a few seconds at most. */
  readonly isCurrent: (now: number) => boolean
}

/** The market data provider's coin pages. Platforms and contracts are already validated as single path segments. */
export class CoinDetails extends Context.Tag("features/prices/CoinDetails")<
  CoinDetails,
  {
    /** The native coin of a platform; `none` if the platform is unknown or has no native coin. */
    readonly native: (platform: string) => Effect.Effect<Option.Option<Details>, UpstreamError>
    /** A token; `none` if the provider does not know it. EVM addresses are case-insensitive. */
    readonly token: (platform: string, contract: string) => Effect.Effect<Option.Option<Details>, UpstreamError>
  }
>() {
  static readonly layer = Layer.scoped(
    CoinDetails,
    Effect.gen(function* () {
      const coingecko = yield* CoinGecko

      /** A key is a coin id, or platform and contract with a space between: neither contains a space. */
      const page = (key: string) => {
        const [platform = "", contract] = key.split(" ")
        return contract === undefined ? coingecko.coin(CoinId.make(platform)) : coingecko.contract(platform, contract)
      }

      const pages = yield* Cache.make({
        name: "coin-details",
        version: 1,
        schema: Schema.Struct({ text: Schema.String }),
        fresh: "5 minutes",
        stale: "10 minutes",
        notFound: "10 minutes",
        failure: "10 seconds",
        // A page has up to 200 kB.
        capacity: 200,
        batch: 1,
        lookup: queryCoinByCoin((key) =>
          Effect.map(
            page(key),
            Option.map((text) => ({ text }))
          )
        )
      })

      const natives = yield* Cache.make({
        name: "platform-natives",
        version: 1,
        schema: Schema.Record({ key: Schema.String, value: Schema.String }),
        fresh: "1 day",
        stale: "6 days",
        notFound: 0,
        failure: 0,
        capacity: 1,
        lookup: queryCoinByCoin(() =>
          Effect.map(coingecko.platforms, (platforms) =>
            Option.some(
              Object.fromEntries(
                platforms.flatMap(({ id, native_coin_id }) => (native_coin_id == null ? [] : [[id, native_coin_id]]))
              )
            )
          )
        )
      })

      const nativeOf = (platform: string) => {
        const coin = coins.get(platform)
        return coin === undefined
          ? Effect.map(natives.get("all"), (all) => Option.flatMap(all, (ids) => coinOf(ids, platform)))
          : Effect.succeedSome(coin)
      }

      const details = (key: string) =>
        Effect.gen(function* () {
          const found = yield* pages.get(key)
          const until = (yield* Clock.currentTimeMillis) + recheckAfter
          return Option.map(found, (item) => ({
            text: item.text,
            isCurrent: (now: number) => now < until && pages.current(key, now) === item
          }))
        })

      return {
        native: Effect.fnUntraced(function* (platform) {
          const id = yield* nativeOf(platform)
          return Option.isNone(id) ? Option.none() : yield* details(id.value)
        }, span("CoinDetails.native")),
        token: Effect.fn("CoinDetails.token")((platform, contract) =>
          details(`${platform} ${isEvm(contract) ? contract.toLowerCase() : contract}`)
        )
      }
    })
  )
}

/** How long a page is served without reading the cache, ms. The cache only renews a page when it is read. */
const recheckAfter = 5_000

/** Native coins by platform; a network without a platform at the provider is listed by its id. */
const coins = new Map<string, CoinId>(Catalogue.all.map(({ id, native, platform }) => [platform ?? id, native.coinId]))

/** The coin of a platform. Ignores an id that is not a single path segment. */
const coinOf = (ids: Readonly<Record<string, string>>, platform: string): Option.Option<CoinId> =>
  Option.filter(
    Option.fromNullable(Object.hasOwn(ids, platform) ? ids[platform] : undefined),
    (id): id is CoinId => Schema.is(CoinId)(id) && !/^\.{1,2}$|[\s/\\]/.test(id)
  )

const isEvm = (contract: string) => /^0x[0-9a-f]{40}$/i.test(contract)
