import { base64 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Upstream } from "../../../upstream/Upstream.ts"
import * as CoinType from "../CoinType.ts"
import { Count, Digits, maybe, Owner, ownerFields, ownerOf, Page, paged, pageOf, typeName } from "../SuiWire.ts"
import * as Bcs from "./Bcs.ts"
import { invalid, query, queryFirst, queryHost, type SuiMethod, type SuiParams, withFallback } from "./Method.ts"
import * as MoveValue from "./MoveValue.ts"
import * as Params from "./Params.ts"

// Objects, and coins, which are objects that hold an amount.

const optionNames = [
  "showType",
  "showOwner",
  "showPreviousTransaction",
  "showDisplay",
  "showContent",
  "showBcs",
  "showStorageRebate"
] as const

type ObjectOptions = Readonly<Record<(typeof optionNames)[number], boolean>>

const Previous = Schema.Struct({ digest: Schema.NonEmptyString })

const move = {
  hasPublicTransfer: maybe(Schema.Boolean),
  contents: Schema.NullOr(
    Schema.Struct({
      type: maybe(Schema.Struct({ repr: Schema.NonEmptyString, layout: Schema.optional(Schema.Unknown) })),
      bcs: maybe(Schema.String),
      display: maybe(Schema.Struct({ output: Schema.Unknown, errors: Schema.optional(Schema.Unknown) }))
    })
  )
}

const common = {
  address: Schema.NonEmptyString,
  version: Count,
  digest: Schema.NonEmptyString,
  owner: maybe(Owner),
  previousTransaction: maybe(Previous),
  storageRebate: maybe(Digits)
}

const SuiObject = Schema.Struct({ ...common, asMoveObject: Schema.NullOr(Schema.Struct(move)) })
type SuiObject = typeof SuiObject.Type

/** Owned objects are always Move objects: packages have no owner. */
const Owned = Schema.Struct({ ...common, ...move })

const commonFields = (show: ObjectOptions) =>
  [
    "address version digest",
    ...(show.showOwner ? [ownerFields] : []),
    ...(show.showPreviousTransaction ? ["previousTransaction { digest }"] : []),
    ...(show.showStorageRebate ? ["storageRebate"] : [])
  ].join(" ")

const moveFields = (show: ObjectOptions) =>
  `hasPublicTransfer contents { type { repr${show.showContent ? " layout" : ""} }${
    show.showContent || show.showBcs ? " bcs" : ""
  }${show.showDisplay ? " display { output errors }" : ""} }`

const objectFields = (show: ObjectOptions) => `${commonFields(show)} asMoveObject { ${moveFields(show)} }`

/** Deleted objects and those that never existed cannot be distinguished. */
const toResponse = (show: ObjectOptions, id: string, object: SuiObject | null) =>
  object === null ? { error: { code: "notExists", object_id: id } } : { data: toData(show, object) }

const toData = (show: ObjectOptions, object: SuiObject) => {
  const { asMoveObject, owner } = object
  const { bcs = null, display, type: described } = asMoveObject?.contents ?? {}
  const repr = described?.repr
  const type = asMoveObject === null ? "package" : repr === undefined ? null : typeName(repr)
  const moveObject = { dataType: "moveObject", type, hasPublicTransfer: asMoveObject?.hasPublicTransfer ?? false }
  const { errors = null, output = null } = display ?? {}
  // Null if it cannot be decoded: clients can still read the bytes.
  const fields =
    show.showContent && bcs !== null && described
      ? Either.getOrUndefined(MoveValue.fields({ bcs, type: described }, true))
      : undefined
  return {
    objectId: object.address,
    version: String(object.version),
    digest: object.digest,
    ...(show.showType ? { type } : {}),
    ...(show.showOwner ? { owner: owner === undefined || owner === null ? null : ownerOf(owner) } : {}),
    ...(show.showPreviousTransaction ? { previousTransaction: object.previousTransaction?.digest ?? null } : {}),
    ...(show.showStorageRebate ? { storageRebate: object.storageRebate ?? null } : {}),
    ...(show.showDisplay
      ? {
          display: {
            data: output,
            error: errors === null ? null : { code: "displayError", error: JSON.stringify(errors) }
          }
        }
      : {}),
    // GraphQL does not return the content of packages in this format.
    ...(show.showContent ? { content: fields === undefined ? null : { ...moveObject, fields } } : {}),
    ...(show.showBcs
      ? {
          bcs: bcs === null || type === null ? null : { ...moveObject, version: Number(object.version), bcsBytes: bcs }
        }
      : {})
  }
}

export const getObject: SuiMethod = (hosts, [id, options]) =>
  Effect.gen(function* () {
    const address = yield* Params.address(id, "object_id")
    const show = yield* Params.flags(options, optionNames)
    const fields = `object(address: $address) { ${objectFields(show)} }`
    const { object } = yield* queryFirst(
      hosts,
      query("$address: SuiAddress!", fields, { object: Schema.NullOr(SuiObject) }),
      { address }
    )
    return toResponse(show, address, object)
  })

/** The keys of a full page fit into a request of 5,000 bytes. */
export const multiGetObjects: SuiMethod = (hosts, [ids, options]) =>
  Effect.gen(function* () {
    const addresses = yield* Params.list(ids, "object_ids", Params.address)
    const show = yield* Params.flags(options, optionNames)
    const { multiGetObjects: objects } = yield* queryFirst(
      hosts,
      query("$keys: [ObjectKey!]!", `multiGetObjects(keys: $keys) { ${objectFields(show)} }`, {
        multiGetObjects: Schema.Array(Schema.NullOr(SuiObject))
      }),
      { keys: addresses.map((address) => ({ address })) }
    )
    return addresses.map((address, index) => toResponse(show, address, objects[index] ?? null))
  })

/** Reads a page of the objects of an address. */
const ownedPage = <A, I>(
  hosts: Upstream,
  owner: string,
  [cursor, limit]: SuiParams,
  type: string | undefined,
  row: { readonly fields: string; readonly schema: Schema.Schema<A, I> },
  toRow: (row: A) => Either.Either<unknown, string>
) =>
  Effect.gen(function* () {
    const variables = {
      owner,
      first: yield* Params.limit(limit),
      after: yield* Params.cursor(cursor),
      filter: type === undefined ? null : { type }
    }
    const objects = query(
      "$owner: SuiAddress!, $first: Int!, $after: String, $filter: ObjectFilter",
      `address(address: $owner) { objects(first: $first, after: $after, filter: $filter) { ${pageOf(row.fields)} } }`,
      { address: Schema.Struct({ objects: Page(row.schema) }) }
    )
    return yield* withFallback(hosts, (host) =>
      Effect.gen(function* () {
        const { nodes, pageInfo } = (yield* queryHost(host, objects, variables)).address.objects
        const data = yield* Either.mapLeft(Either.all(nodes.map(toRow)), (detail) =>
          host.fault({ reason: "bad_answer", detail })
        )
        return { data, ...paged(pageInfo) }
      })
    )
  })

export const getOwnedObjects: SuiMethod = (hosts, [owner, query, ...page]) =>
  Effect.gen(function* () {
    const { filter, options } = yield* Params.object(query, "query")
    const show = yield* Params.flags(options, optionNames)
    const type = yield* typeOf(filter)
    const address = yield* Params.address(owner, "address")
    const row = { fields: `${commonFields(show)} ${moveFields(show)}`, schema: Owned }
    return yield* ownedPage(hosts, address, page, type, row, ({ contents, hasPublicTransfer, ...object }) =>
      Either.right(toResponse(show, object.address, { ...object, asMoveObject: { contents, hasPublicTransfer } }))
    )
  })

/** GraphQL filters by a package, a module or a type only. */
const typeOf = (filter: unknown): Either.Either<string | undefined, ReturnType<typeof invalid>> => {
  if (filter === undefined || filter === null) return Either.right(undefined)
  if (!Predicate.isRecord(filter) || Object.keys(filter).length !== 1) return Either.left(unsupported("filter"))
  const { MoveModule, Package, StructType } = filter
  if (typeof Package === "string") return Params.address(Package, "Package")
  // A type without parameters matches all its instances.
  if (typeof StructType === "string") return Either.map(Params.type(StructType), typeName)
  if (Predicate.isRecord(MoveModule) && typeof MoveModule.module === "string" && /^\w+$/.test(MoveModule.module))
    return Either.map(Params.address(MoveModule.package, "package"), (address) => `${address}::${MoveModule.module}`)
  return Either.left(unsupported(Object.keys(filter)[0] ?? "filter"))
}

const unsupported = (name: string) =>
  invalid(`${name} filter is not supported: GraphQL supports Package, MoveModule and StructType`)

export const Coin = Schema.Struct({
  address: Schema.NonEmptyString,
  version: Count,
  digest: Schema.NonEmptyString,
  previousTransaction: Schema.NullOr(Previous),
  contents: Schema.Struct({ bcs: Schema.String, type: Schema.Struct({ repr: Schema.String }) })
})

/** The fields of {@link Coin}. */
export const coinFields = "address version digest previousTransaction { digest } contents { bcs type { repr } }"

/** Reads the amount from the bytes of a coin, which consist of its id and amount (0x2::coin::Coin). */
const amountOf = Option.liftThrowable((bcs: string) => {
  const reader = Bcs.reader(base64.decode(bcs))
  Bcs.address(reader)
  return String(Bcs.unsigned(reader, 8))
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

const coinPage = (hosts: Upstream, type: string, [owner, ...page]: SuiParams) =>
  Effect.flatMap(Params.address(owner, "owner"), (address) =>
    ownedPage(hosts, address, page, type, { fields: coinFields, schema: Coin }, toCoin)
  )

export const getCoins: SuiMethod = (hosts, [owner, coinType, ...page]) =>
  Effect.flatMap(Params.type(coinType ?? CoinType.sui), (type) =>
    coinPage(hosts, `0x2::coin::Coin<${type}>`, [owner, ...page])
  )

export const getAllCoins: SuiMethod = (hosts, params) => coinPage(hosts, "0x2::coin::Coin", params)
