import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as MoveValue from "../objects/MoveValue.ts"
import { Count, PageInfo, typeName } from "../SuiWire.ts"
import * as Effects from "./Effects.ts"

// Object changes, balance changes and events of a transaction.

const contents = "asMoveObject { contents { type { repr } } }"

export const objectChangeFields = `objectChanges(first: 50) { nodes { address inputState { ${contents} } outputState { ${contents} asMovePackage { modules(first: 50) { nodes { name } } } } } pageInfo { hasNextPage } }`

export const eventFields =
  "events(first: 50) { nodes { sequenceNumber timestamp sender { address } transactionModule { name package { address } } contents { bcs type { repr layout } } } pageInfo { hasNextPage } }"

const State = Schema.NullOr(
  Schema.Struct({
    asMoveObject: Schema.NullOr(
      Schema.Struct({
        contents: Schema.NullOr(Schema.Struct({ type: Schema.NullOr(Schema.Struct({ repr: Schema.String })) }))
      })
    ),
    asMovePackage: Schema.optional(
      Schema.NullOr(
        Schema.Struct({
          modules: Schema.NullOr(Schema.Struct({ nodes: Schema.Array(Schema.Struct({ name: Schema.String })) }))
        })
      )
    )
  })
)

const Cut = Schema.Struct({ hasNextPage: PageInfo.fields.hasNextPage })

export const ObjectChanges = Schema.Struct({
  nodes: Schema.Array(Schema.Struct({ address: Schema.String, inputState: State, outputState: State })),
  pageInfo: Cut
})

export const BalanceChanges = Schema.Array(
  Schema.Struct({ address: Schema.String, coinType: Schema.String, amount: Schema.String })
)

export const Events = Schema.Struct({
  nodes: Schema.Array(
    Schema.Struct({
      sequenceNumber: Count,
      timestamp: Schema.optional(Schema.NullOr(Schema.String)),
      sender: Schema.NullOr(Schema.Struct({ address: Schema.String })),
      transactionModule: Schema.NullOr(
        Schema.Struct({
          name: Schema.String,
          package: Schema.NullOr(Schema.Struct({ address: Schema.String }))
        })
      ),
      contents: Schema.NullOr(
        Schema.Struct({
          bcs: Schema.NullOr(Schema.String),
          type: Schema.NullOr(Schema.Struct({ repr: Schema.String, layout: Schema.optional(Schema.Unknown) }))
        })
      )
    })
  ),
  pageInfo: Cut
})

/** Sorts objects in the order of nodes: mutated, created, deleted, wrapped. */
const inOrder = (changed: Effects.Effects["changedObjects"]) => {
  const order = ["mutated", "created", "deleted", "wrapped"]
  const rank = (object: Effects.Changed) => order.indexOf(Effects.changeKind(object) ?? "")
  return changed.toSorted((a, b) => rank(a) - rank(b))
}

/** Left says why the list is unavailable; a partial list would look complete. */
export const objectChanges = (
  { changedObjects, lamportVersion }: Effects.Effects,
  changes: typeof ObjectChanges.Type,
  sender: string
): Either.Either<ReadonlyArray<unknown>, string> => {
  const byAddress = new Map(changes.nodes.map((node) => [node.address, node]))
  const rows = inOrder(changedObjects).flatMap((changedObject): ReadonlyArray<unknown> => {
    const fate = Effects.changeKind(changedObject)
    if (fate === undefined || fate === "unwrapped" || fate === "unwrappedThenDeleted") return []
    const states = byAddress.get(changedObject.objectId)
    const version = String(changedObject.outputVersion ?? lamportVersion ?? 0)
    const digest = changedObject.outputDigest ?? ""
    if (Effects.isPackage(changedObject)) {
      const modules = states?.outputState?.asMovePackage?.modules?.nodes.map(({ name }) => name)
      return modules === undefined
        ? [undefined]
        : [{ type: "published", packageId: changedObject.objectId, version, digest, modules }]
    }
    const repr = (states?.outputState ?? states?.inputState)?.asMoveObject?.contents?.type?.repr
    if (repr === undefined) return [undefined]
    const object = { objectType: typeName(repr), objectId: changedObject.objectId, version }
    if (fate === "deleted" || fate === "wrapped") return [{ type: fate, sender, ...object }]
    const owner = Effects.ownerOf(changedObject.outputOwner)
    return fate === "created"
      ? [{ type: fate, sender, owner, ...object, digest }]
      : [{ type: fate, sender, owner, ...object, previousVersion: String(changedObject.inputVersion ?? 0), digest }]
  })
  return rows.includes(undefined)
    ? Either.left(
        changes.pageInfo.hasNextPage ? tooMany("objectChanges") : "objectChanges: not all types are available"
      )
    : Either.right(rows)
}

export const balanceChanges = (changes: typeof BalanceChanges.Type) =>
  changes.map(({ address, amount, coinType }) => ({
    owner: { AddressOwner: address },
    coinType: typeName(coinType),
    amount
  }))

export const events = (digest: string, changes: typeof Events.Type): Either.Either<ReadonlyArray<unknown>, string> =>
  changes.pageInfo.hasNextPage
    ? Either.left(tooMany("events"))
    : Either.all(
        changes.nodes.map((node) => {
          const { bcs = null, type = null } = node.contents ?? {}
          if (bcs === null || type === null) return Either.left("events: not all of them are available")
          return Either.mapBoth(MoveValue.fields({ bcs, type }, false), {
            onLeft: () => "events: not all of them can be read",
            onRight: (parsedJson) => ({
              id: { txDigest: digest, eventSeq: String(node.sequenceNumber) },
              packageId: node.transactionModule?.package?.address ?? "",
              transactionModule: node.transactionModule?.name ?? "",
              sender: node.sender?.address ?? "",
              type: typeName(type.repr),
              parsedJson,
              bcsEncoding: "base64",
              bcs,
              ...(typeof node.timestamp === "string" ? { timestampMs: String(Date.parse(node.timestamp)) } : {})
            })
          })
        })
      )

const tooMany = (what: string) => `${what}: there are more than the 50 that GraphQL returns at once`
