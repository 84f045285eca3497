import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { invalid, queryFirst, queryHost, queryText, type SuiMethod, withFallback } from "../Method.ts"
import * as Params from "../Params.ts"
import { PageInfo, paged, typeName } from "../SuiWire.ts"
import * as ObjectData from "./ObjectData.ts"

export const getObject: SuiMethod = (hosts, [id, options]) =>
  Effect.gen(function* () {
    const address = yield* Params.address(id, "object_id")
    const show = yield* Params.flags(options, ObjectData.options)
    const { object } = yield* queryFirst(
      hosts,
      queryText("$address: SuiAddress!", `object(address: $address) { ${ObjectData.objectFields(show)} }`),
      { address },
      Schema.Struct({ object: Schema.NullOr(ObjectData.Object) })
    )
    return ObjectData.toResponse(show, address, object)
  })

/** The keys of a full page fit into a request of 5,000 bytes. */
export const multiGetObjects: SuiMethod = (hosts, [ids, options]) =>
  Effect.gen(function* () {
    const addresses = yield* Params.list(ids, "object_ids", Params.address)
    const show = yield* Params.flags(options, ObjectData.options)
    const { multiGetObjects: objects } = yield* queryFirst(
      hosts,
      queryText("$keys: [ObjectKey!]!", `multiGetObjects(keys: $keys) { ${ObjectData.objectFields(show)} }`),
      { keys: addresses.map((address) => ({ address })) },
      Schema.Struct({ multiGetObjects: Schema.Array(Schema.NullOr(ObjectData.Object)) })
    )
    return addresses.map((address, index) => ObjectData.toResponse(show, address, objects[index] ?? null))
  })

export const getOwnedObjects: SuiMethod = (hosts, [owner, query, cursor, limit]) =>
  Effect.gen(function* () {
    const { filter, options } = yield* Params.object(query, "query")
    const show = yield* Params.flags(options, ObjectData.options)
    const type = yield* typeOf(filter)
    const variables = {
      owner: yield* Params.address(owner, "address"),
      first: yield* Params.limit(limit),
      after: yield* Params.cursor(cursor),
      filter: type === undefined ? null : { type }
    }
    return yield* withFallback(hosts, (host) =>
      Effect.gen(function* () {
        const { nodes, pageInfo } = (yield* queryHost(
          host,
          queryText(
            "$owner: SuiAddress!, $first: Int!, $after: String, $filter: ObjectFilter",
            `address(address: $owner) { objects(first: $first, after: $after, filter: $filter) { nodes { ${ObjectData.ownedFields(show)} } pageInfo { hasNextPage endCursor } } }`
          ),
          variables,
          Schema.Struct({
            address: Schema.Struct({
              objects: Schema.Struct({ nodes: Schema.Array(ObjectData.Owned), pageInfo: PageInfo })
            })
          })
        )).address.objects
        return {
          data: nodes.map((node) => ObjectData.toResponse(show, node.address, ObjectData.owned(node))),
          ...paged(pageInfo)
        }
      })
    )
  })

/** GraphQL filters by a package, a module or a type only. */
const typeOf = (filter: unknown): Either.Either<string | undefined, ReturnType<typeof invalid>> => {
  if (filter === undefined || filter === null) return Either.right(undefined)
  if (!Predicate.isRecord(filter) || Object.keys(filter).length !== 1) return Either.left(unsupported("filter"))
  const { MoveModule, Package, StructType } = filter
  if (typeof Package === "string") return Params.address(Package, "Package")
  if (typeof StructType === "string")
    // A type without parameters matches all its instances.
    return Either.map(Params.type(StructType), typeName)
  if (Predicate.isRecord(MoveModule) && typeof MoveModule.module === "string" && /^\w+$/.test(MoveModule.module))
    return Either.map(Params.address(MoveModule.package, "package"), (address) => `${address}::${MoveModule.module}`)
  return Either.left(unsupported(Object.keys(filter)[0] ?? "filter"))
}

const unsupported = (name: string) =>
  invalid(`${name} filter is not supported: GraphQL supports Package, MoveModule and StructType`)
