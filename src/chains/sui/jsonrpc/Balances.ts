import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Endpoint } from "../../../upstream/Upstream.ts"
import * as CoinType from "../CoinType.ts"
import { queryFirst, queryHost, queryText, type SuiMethod, withFallback } from "./Method.ts"
import * as Params from "./Params.ts"
import { Digits, PageInfo, paged, typeName } from "./SuiWire.ts"

/** Page limit of coin objects; its square is the page limit of balances. */
const maxPages = 10

const amounts = "coinType { repr } totalBalance addressBalance"
const page = "pageInfo { hasNextPage endCursor }"
const objects = `objects(first: 50, after: $after, filter: $filter) { nodes { contents { type { repr } } } ${page} }`
const balances = `balances(first: 50, after: $after) { nodes { ${amounts} } ${page} }`

const Amount = Schema.Struct({
  coinType: Schema.Struct({ repr: Schema.NonEmptyString }),
  totalBalance: Digits,
  addressBalance: Schema.optional(Schema.NullOr(Digits))
})

const Objects = Schema.Struct({
  nodes: Schema.Array(Schema.Struct({ contents: Schema.Struct({ type: Schema.Struct({ repr: Schema.String }) }) })),
  pageInfo: PageInfo
})

const Balances = Schema.Struct({ nodes: Schema.Array(Amount), pageInfo: PageInfo })

/**
 * Counts the coin objects of an address per type; undefined if there are too many to count. GraphQL does not return the
 * count, and the last public nodes with JSON-RPC returned 1 for every coin.
 */
const counted = (
  host: Endpoint,
  owner: string,
  filter: Readonly<Record<string, unknown>>,
  first: typeof Objects.Type
): Effect.Effect<ReadonlyMap<string, number> | undefined, Effect.Effect.Error<ReturnType<typeof queryHost>>> =>
  Effect.gen(function* () {
    const counts = new Map<string, number>()
    let read = first
    for (let pages = 1; ; pages += 1) {
      for (const { contents } of read.nodes) {
        const type = typeName(contents.type.repr)
        counts.set(type, (counts.get(type) ?? 0) + 1)
      }
      const { hasNextPage, nextCursor } = paged(read.pageInfo)
      if (!hasNextPage) return counts
      if (pages === maxPages) return undefined
      const { address } = yield* queryHost(
        host,
        queryText(
          "$owner: SuiAddress!, $after: String, $filter: ObjectFilter",
          `address(address: $owner) { ${objects} }`
        ),
        { owner, after: nextCursor, filter },
        Schema.Struct({ address: Schema.Struct({ objects: Objects }) })
      )
      read = address.objects
    }
  })

const toBalance = (counts: ReadonlyMap<string, number> | undefined, balance: typeof Amount.Type) => {
  const type = typeName(balance.coinType.repr)
  return {
    coinType: type,
    ...(counts === undefined ? {} : { coinObjectCount: counts.get(`0x2::coin::Coin<${type}>`) ?? 0 }),
    totalBalance: balance.totalBalance,
    lockedBalance: {},
    ...(typeof balance.addressBalance === "string" ? { fundsInAddressBalance: balance.addressBalance } : {})
  }
}

export const getBalance: SuiMethod = (hosts, [given, coinType]) =>
  Effect.gen(function* () {
    const owner = yield* Params.address(given, "owner")
    const type = yield* Params.type(coinType ?? CoinType.sui)
    const filter = { type: `0x2::coin::Coin<${type}>` }
    return yield* withFallback(hosts, (host) =>
      Effect.gen(function* () {
        const { address } = yield* queryHost(
          host,
          queryText(
            "$owner: SuiAddress!, $type: String!, $after: String, $filter: ObjectFilter",
            `address(address: $owner) { balance(coinType: $type) { ${amounts} } ${objects} }`
          ),
          { owner, type, after: null, filter },
          Schema.Struct({ address: Schema.Struct({ balance: Amount, objects: Objects }) })
        )
        return toBalance(yield* counted(host, owner, filter, address.objects), address.balance)
      })
    )
  })

export const getAllBalances: SuiMethod = (hosts, [given]) =>
  Effect.gen(function* () {
    const owner = yield* Params.address(given, "owner")
    const filter = { type: "0x2::coin::Coin" }
    return yield* withFallback(hosts, (host) =>
      Effect.gen(function* () {
        const { address } = yield* queryHost(
          host,
          queryText(
            "$owner: SuiAddress!, $after: String, $filter: ObjectFilter",
            `address(address: $owner) { ${balances} ${objects} }`
          ),
          { owner, after: null, filter },
          Schema.Struct({ address: Schema.Struct({ balances: Balances, objects: Objects }) })
        )
        const counts = yield* counted(host, owner, filter, address.objects)
        const all = yield* toTheEnd(host, owner, address.balances)
        return all.map((balance) => toBalance(counts, balance))
      })
    )
  })

/** Reads all balances or fails: a partial list would look complete. */
const toTheEnd = (host: Endpoint, owner: string, first: typeof Balances.Type) =>
  Effect.gen(function* () {
    const all = [...first.nodes]
    let { hasNextPage, nextCursor } = paged(first.pageInfo)
    for (let pages = 1; hasNextPage; pages += 1) {
      if (pages === maxPages * maxPages) return yield* host.fault(endless)
      const { address } = yield* queryHost(
        host,
        queryText("$owner: SuiAddress!, $after: String", `address(address: $owner) { ${balances} }`),
        { owner, after: nextCursor },
        Schema.Struct({ address: Schema.Struct({ balances: Balances }) })
      )
      all.push(...address.balances.nodes)
      ;({ hasNextPage, nextCursor } = paged(address.balances.pageInfo))
    }
    return all
  })

const endless = { reason: "bad_answer" as const, detail: "returned pages without an end" }

/** The address of a SuiNS name; null if the name is not registered. */
export const resolveNameServiceAddress: SuiMethod = (hosts, [given]) =>
  Effect.gen(function* () {
    const { address } = yield* queryFirst(
      hosts,
      queryText("$name: String!", "address(name: $name) { address }"),
      { name: yield* Params.text(given, "name") },
      Schema.Struct({ address: Schema.NullOr(Schema.Struct({ address: Schema.NonEmptyString })) })
    )
    return address?.address ?? null
  })

/** The default name of an address; there is at most one. */
export const resolveNameServiceNames: SuiMethod = (hosts, [given]) =>
  Effect.gen(function* () {
    const { address } = yield* queryFirst(
      hosts,
      queryText("$address: SuiAddress!", "address(address: $address) { defaultNameRecord { domain } }"),
      { address: yield* Params.address(given, "address") },
      Schema.Struct({
        address: Schema.NullOr(
          Schema.Struct({ defaultNameRecord: Schema.NullOr(Schema.Struct({ domain: Schema.NonEmptyString })) })
        )
      })
    )
    const domain = address?.defaultNameRecord?.domain
    return { data: domain === undefined ? [] : [domain], nextCursor: null, hasNextPage: false }
  })
