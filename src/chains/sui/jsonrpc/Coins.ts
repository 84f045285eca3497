import { base64 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Upstream } from "../../../upstream/Upstream.ts"
import * as CoinType from "../CoinType.ts"
import { invalid, queryFirst, queryHost, queryText, type SuiMethod, withFallback } from "./Method.ts"
import * as Bcs from "./objects/Bcs.ts"
import * as Params from "./Params.ts"
import { Count, Digits, PageInfo, paged, typeName } from "./SuiWire.ts"

export const Coin = Schema.Struct({
  address: Schema.NonEmptyString,
  version: Count,
  digest: Schema.NonEmptyString,
  previousTransaction: Schema.NullOr(Schema.Struct({ digest: Schema.NonEmptyString })),
  contents: Schema.Struct({ bcs: Schema.String, type: Schema.Struct({ repr: Schema.String }) })
})

const pageOf = queryText(
  "$owner: SuiAddress!, $first: Int!, $after: String, $filter: ObjectFilter",
  "address(address: $owner) { objects(first: $first, after: $after, filter: $filter) { nodes { address version digest previousTransaction { digest } contents { bcs type { repr } } } pageInfo { hasNextPage endCursor } } }"
)

/** Reads the amount from the bytes of a coin, which consist of its id and amount (0x2::coin::Coin). */
const amountOf = Option.liftThrowable((bcs: string) => {
  const reader = Bcs.reader(base64.decode(bcs))
  Bcs.address(reader)
  return String(Bcs.unsigned(reader, 8))
})

const page = (hosts: Upstream, type: string, [given, cursor, limit]: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const owner = yield* Params.address(given, "owner")
    const variables = {
      owner,
      first: yield* Params.limit(limit),
      after: yield* Params.cursor(cursor),
      filter: { type }
    }
    return yield* withFallback(hosts, (host) =>
      Effect.gen(function* () {
        const { nodes, pageInfo } = (yield* queryHost(
          host,
          pageOf,
          variables,
          Schema.Struct({
            address: Schema.Struct({ objects: Schema.Struct({ nodes: Schema.Array(Coin), pageInfo: PageInfo }) })
          })
        )).address.objects
        const data = yield* Either.mapLeft(Either.all(nodes.map(toCoin)), (detail) =>
          host.fault({ reason: "bad_answer", detail })
        )
        return { data, ...paged(pageInfo) }
      })
    )
  })

export const toCoin = (coin: typeof Coin.Type) =>
  Either.gen(function* () {
    const [, coinType] = /^0x2::coin::Coin<(.+)>$/.exec(typeName(coin.contents.type.repr)) ?? []
    const balance = Option.getOrUndefined(amountOf(coin.contents.bcs))
    if (coinType === undefined || balance === undefined)
      return yield* Either.left("returned an object that is not a coin")
    return {
      coinType,
      coinObjectId: coin.address,
      version: String(coin.version),
      digest: coin.digest,
      balance,
      previousTransaction: coin.previousTransaction?.digest ?? null
    }
  })

export const getCoins: SuiMethod = (hosts, [owner, coinType, cursor, limit]) =>
  Effect.flatMap(Params.type(coinType ?? CoinType.sui), (type) =>
    page(hosts, `0x2::coin::Coin<${type}>`, [owner, cursor, limit])
  )

export const getAllCoins: SuiMethod = (hosts, params) => page(hosts, "0x2::coin::Coin", params)

const Metadata = Schema.Struct({
  coinMetadata: Schema.NullOr(
    Schema.Struct({
      address: Schema.optional(Schema.NullOr(Schema.String)),
      decimals: Schema.NullOr(Schema.Int.pipe(Schema.between(0, 255))),
      name: Schema.NullOr(Schema.String),
      symbol: Schema.NullOr(Schema.String),
      description: Schema.NullOr(Schema.String),
      iconUrl: Schema.NullOr(Schema.String)
    })
  )
})

/** Null for a coin without declared decimals; missing strings are empty, as in the old API. */
export const getCoinMetadata: SuiMethod = (hosts, [coinType]) =>
  Effect.gen(function* () {
    const { coinMetadata: coin } = yield* queryFirst(
      hosts,
      queryText("$type: String!", "coinMetadata(coinType: $type) { address decimals name symbol description iconUrl }"),
      { type: yield* Params.type(coinType) },
      Metadata
    )
    if (coin === null || coin.decimals === null) return null
    const { address = null, decimals, description, iconUrl, name, symbol } = coin
    return { decimals, name: name ?? "", symbol: symbol ?? "", description: description ?? "", iconUrl, id: address }
  })

export const getTotalSupply: SuiMethod = (hosts, [coinType]) =>
  Effect.gen(function* () {
    const type = yield* Params.type(coinType)
    const { coinMetadata } = yield* queryFirst(
      hosts,
      queryText("$type: String!", "coinMetadata(coinType: $type) { supply }"),
      { type },
      Schema.Struct({ coinMetadata: Schema.NullOr(Schema.Struct({ supply: Schema.NullOr(Digits) })) })
    )
    const supply = coinMetadata?.supply ?? null
    return supply === null
      ? yield* invalid(`Cannot find the supply of ${typeName(type)}: it is unknown`)
      : { value: supply }
  })
