import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Count, Digits, Owner, ownerFields, ownerOf, typeName } from "../SuiWire.ts"
import * as MoveValue from "./MoveValue.ts"

export const options = [
  "showType",
  "showOwner",
  "showPreviousTransaction",
  "showDisplay",
  "showContent",
  "showBcs",
  "showStorageRebate"
] as const

type ObjectOptions = Readonly<Record<(typeof options)[number], boolean>>

const Contents = Schema.Struct({
  type: Schema.optional(
    Schema.NullOr(Schema.Struct({ repr: Schema.NonEmptyString, layout: Schema.optional(Schema.Unknown) }))
  ),
  bcs: Schema.optional(Schema.NullOr(Schema.String)),
  display: Schema.optional(
    Schema.NullOr(Schema.Struct({ output: Schema.Unknown, errors: Schema.optional(Schema.Unknown) }))
  )
})

const move = {
  hasPublicTransfer: Schema.optional(Schema.NullOr(Schema.Boolean)),
  contents: Schema.NullOr(Contents)
}

const common = {
  address: Schema.NonEmptyString,
  version: Count,
  digest: Schema.NonEmptyString,
  owner: Schema.optional(Schema.NullOr(Owner)),
  previousTransaction: Schema.optional(Schema.NullOr(Schema.Struct({ digest: Schema.NonEmptyString }))),
  storageRebate: Schema.optional(Schema.NullOr(Digits))
}

export const Object = Schema.Struct({ ...common, asMoveObject: Schema.NullOr(Schema.Struct(move)) })

/** Owned objects are always Move objects: packages have no owner. */
export const Owned = Schema.Struct({ ...common, ...move })

export const owned = ({ contents, hasPublicTransfer, ...fields }: typeof Owned.Type): typeof Object.Type => ({
  ...fields,
  asMoveObject: { contents, hasPublicTransfer }
})

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

export const objectFields = (show: ObjectOptions) => `${commonFields(show)} asMoveObject { ${moveFields(show)} }`

export const ownedFields = (show: ObjectOptions) => `${commonFields(show)} ${moveFields(show)}`

/** Deleted objects and those that never existed cannot be distinguished. */
export const toResponse = (show: ObjectOptions, id: string, object: typeof Object.Type | null) =>
  object === null ? { error: { code: "notExists", object_id: id } } : { data: toData(show, object) }

const toData = (show: ObjectOptions, object: typeof Object.Type) => {
  const { asMoveObject: move, owner } = object
  const repr = move?.contents?.type?.repr
  const type = move === null ? "package" : repr === undefined ? null : typeName(repr)
  return {
    objectId: object.address,
    version: String(object.version),
    digest: object.digest,
    ...(show.showType ? { type } : {}),
    ...(show.showOwner ? { owner: owner === undefined || owner === null ? null : ownerOf(owner) } : {}),
    ...(show.showPreviousTransaction ? { previousTransaction: object.previousTransaction?.digest ?? null } : {}),
    ...(show.showStorageRebate ? { storageRebate: object.storageRebate ?? null } : {}),
    ...(show.showDisplay ? { display: displayOf(move?.contents?.display) } : {}),
    // GraphQL does not return the content of packages in this format.
    ...(show.showContent ? { content: type === null ? null : contentOf(type, object) } : {}),
    ...(show.showBcs ? { bcs: type === null ? null : bytesOf(type, object) } : {})
  }
}

const displayOf = (display: (typeof Contents.Type)["display"]) => {
  const { errors = null, output = null } = display ?? {}
  return {
    data: output,
    error: errors === null ? null : { code: "displayError", error: JSON.stringify(errors) }
  }
}

/** Null if it cannot be decoded: clients can still read the bytes. */
const contentOf = (type: string, { asMoveObject }: typeof Object.Type) => {
  const { bcs, type: layout } = asMoveObject?.contents ?? {}
  if (typeof bcs !== "string" || layout === undefined || layout === null) return null
  return Either.match(MoveValue.fields({ bcs, type: layout }, true), {
    onLeft: () => null,
    onRight: (fields) => ({
      dataType: "moveObject",
      type,
      hasPublicTransfer: asMoveObject?.hasPublicTransfer ?? false,
      fields
    })
  })
}

const bytesOf = (type: string, { asMoveObject, version }: typeof Object.Type) => {
  const bcs = asMoveObject?.contents?.bcs
  return typeof bcs !== "string"
    ? null
    : {
        dataType: "moveObject",
        type,
        hasPublicTransfer: asMoveObject?.hasPublicTransfer ?? false,
        version: Number(version),
        bcsBytes: bcs
      }
}
