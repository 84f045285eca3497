import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { ask, invalid, type Method, on, over, question } from "./Method.ts"
import * as Told from "./objectData.ts"
import * as Param from "./params.ts"
import { PageInfo, paged, typeName } from "./wire.ts"

export const getObject: Method = (hosts, [id, options]) =>
  Effect.gen(function* () {
    const address = yield* Param.address(id, "object_id")
    const show = yield* Param.flags(options, Told.options)
    const { object } = yield* ask(
      hosts,
      question("$address: SuiAddress!", `object(address: $address) { ${Told.objectFields(show)} }`),
      { address },
      Schema.Struct({ object: Schema.NullOr(Told.Object) })
    )
    return Told.toResponse(show, address, object)
  })

/** The keys of a whole page fit into a query of 5,000 bytes. */
export const multiGetObjects: Method = (hosts, [ids, options]) =>
  Effect.gen(function* () {
    const addresses = yield* Param.list(ids, "object_ids", Param.address)
    const show = yield* Param.flags(options, Told.options)
    const { multiGetObjects: told } = yield* ask(
      hosts,
      question("$keys: [ObjectKey!]!", `multiGetObjects(keys: $keys) { ${Told.objectFields(show)} }`),
      { keys: addresses.map((address) => ({ address })) },
      Schema.Struct({ multiGetObjects: Schema.Array(Schema.NullOr(Told.Object)) })
    )
    return addresses.map((address, index) => Told.toResponse(show, address, told[index] ?? null))
  })

export const getOwnedObjects: Method = (hosts, [owner, query, cursor, limit]) =>
  Effect.gen(function* () {
    const { filter, options } = yield* Param.object(query, "query")
    const show = yield* Param.flags(options, Told.options)
    const type = yield* typeOf(filter)
    const variables = {
      owner: yield* Param.address(owner, "address"),
      first: yield* Param.limit(limit),
      after: yield* Param.cursor(cursor),
      filter: type === undefined ? null : { type }
    }
    return yield* over(hosts, (host) =>
      Effect.gen(function* () {
        const { nodes, pageInfo } = (yield* on(
          host,
          question(
            "$owner: SuiAddress!, $first: Int!, $after: String, $filter: ObjectFilter",
            `address(address: $owner) { objects(first: $first, after: $after, filter: $filter) { nodes { ${Told.ownedFields(show)} } pageInfo { hasNextPage endCursor } } }`
          ),
          variables,
          Schema.Struct({
            address: Schema.Struct({
              objects: Schema.Struct({ nodes: Schema.Array(Told.Owned), pageInfo: PageInfo })
            })
          })
        )).address.objects
        return { data: nodes.map((one) => Told.toResponse(show, one.address, Told.owned(one))), ...paged(pageInfo) }
      })
    )
  })

/** GraphQL looks for a package, a module of it or a type of it, and for nothing else. */
const typeOf = (filter: unknown): Either.Either<string | undefined, ReturnType<typeof invalid>> => {
  if (filter === undefined || filter === null) return Either.right(undefined)
  if (!Predicate.isRecord(filter) || Object.keys(filter).length !== 1) return Either.left(unsupported("filter"))
  const { MoveModule, Package, StructType } = filter
  if (typeof Package === "string") return Param.address(Package, "Package")
  if (typeof StructType === "string")
    // A type may be given without its parameters: then it is each of them.
    return Either.map(Param.type(StructType), typeName)
  if (Predicate.isRecord(MoveModule) && typeof MoveModule.module === "string" && /^\w+$/.test(MoveModule.module))
    return Either.map(Param.address(MoveModule.package, "package"), (address) => `${address}::${MoveModule.module}`)
  return Either.left(unsupported(Object.keys(filter)[0] ?? "filter"))
}

const unsupported = (name: string) =>
  invalid(`${name} filter is not supported: GraphQL looks for Package, MoveModule and StructType`)
