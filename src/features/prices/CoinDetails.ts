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
import { oneByOne } from "./queryCoinByCoin.ts"

/** What the provider tells of one coin. */
export interface Details {
  /** Its own JSON text, digit for digit. */
  readonly text: string
  /** Whether this is still the text that would be answered, at this time (ms). True for some seconds at most. */
  readonly isCurrent: (now: number) => boolean
}

/** The market data provider's own pages of coins. Platforms and contracts have been checked: they are single path segments. */
export class CoinDetails extends Context.Tag("features/prices/CoinDetails")<
  CoinDetails,
  {
    /** Of the coin that fees are paid in on a platform; none where the platform is not known or has no such coin. */
    readonly native: (platform: string) => Effect.Effect<Option.Option<Details>, UpstreamError>
    /** Of a token; none where the provider does not know it. The case of EVM addresses does not matter. */
    readonly token: (platform: string, contract: string) => Effect.Effect<Option.Option<Details>, UpstreamError>
  }
>() {
  static readonly layer = Layer.scoped(
    CoinDetails,
    Effect.gen(function* () {
      const coingecko = yield* CoinGecko

      /** Coins alone in a key, tokens after their platform: neither holds a blank. */
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
        // A page has up to some 200 kB.
        capacity: 200,
        batch: 1,
        lookup: oneByOne((key) =>
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
        lookup: oneByOne(() =>
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
        const ours = coins.get(platform)
        return ours === undefined
          ? Effect.map(natives.get("all"), (all) => Option.flatMap(all, (ids) => coinOf(ids, platform)))
          : Effect.succeedSome(ours)
      }

      const details = (key: string) =>
        Effect.gen(function* () {
          const found = yield* pages.get(key)
          const until = (yield* Clock.currentTimeMillis) + unasked
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

/** So long the cache may go unasked, ms: only when it is asked does it see that a page is due for renewal. */
const unasked = 5_000

/** By platform; a network that has none at the provider by its id. */
const coins = new Map<string, CoinId>(Catalogue.all.map(({ id, native, platform }) => [platform ?? id, native.coinId]))

/** An id that is no single segment of a path is no coin's. */
const coinOf = (ids: Readonly<Record<string, string>>, platform: string): Option.Option<CoinId> =>
  Option.filter(
    Option.fromNullable(Object.hasOwn(ids, platform) ? ids[platform] : undefined),
    (id): id is CoinId => Schema.is(CoinId)(id) && !/^\.{1,2}$|[\s/\\]/.test(id)
  )

const isEvm = (contract: string) => /^0x[0-9a-f]{40}$/i.test(contract)
