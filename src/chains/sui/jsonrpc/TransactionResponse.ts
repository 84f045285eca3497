import { base64 } from "@scure/base"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { byKey } from "../../kit/holdings/amounts.ts"
import { Count, maybe, typeName, zero } from "../SuiWire.ts"
import * as Effects from "./Effects.ts"
import * as MoveValue from "./MoveValue.ts"
import * as TransactionData from "./TransactionData.ts"

// Object changes, balance changes and events of a transaction.

const contents = "asMoveObject { contents { type { repr } } }"

const objectChangeFields = `objectChanges(first: 50) { nodes { address inputState { ${contents} } outputState { ${contents} asMovePackage { modules(first: 50) { nodes { name } } } } } pageInfo { hasNextPage } }`

const eventFields =
  "events(first: 50) { nodes { sequenceNumber timestamp sender { address } transactionModule { name package { address } } contents { bcs type { repr layout } } } pageInfo { hasNextPage } }"

const nullable = <F extends Schema.Struct.Fields>(fields: F) => Schema.NullOr(Schema.Struct(fields))
const Named = Schema.Struct({ name: Schema.String })
const Party = nullable({ address: Schema.String })

const State = nullable({
  asMoveObject: nullable({ contents: nullable({ type: nullable({ repr: Schema.String }) }) }),
  asMovePackage: Schema.optional(nullable({ modules: nullable({ nodes: Schema.Array(Named) }) }))
})

/** The first rows of a list that is not read further. */
const Start = <F extends Schema.Struct.Fields>(row: F) =>
  Schema.Struct({
    nodes: Schema.Array(Schema.Struct(row)),
    pageInfo: Schema.Struct({ hasNextPage: Schema.Boolean })
  })

const ObjectChanges = Start({ address: Schema.String, inputState: State, outputState: State })

const BalanceChanges = Schema.Array(
  Schema.Struct({ address: Schema.String, coinType: Schema.String, amount: Schema.String })
)

const Events = Start({
  sequenceNumber: Count,
  timestamp: maybe(Schema.String),
  sender: Party,
  transactionModule: nullable({ ...Named.fields, package: Party }),
  contents: nullable({
    bcs: Schema.NullOr(Schema.String),
    type: nullable({ repr: Schema.String, layout: Schema.optional(Schema.Unknown) })
  })
})

/** Sorts objects in the order of nodes: mutated, created, deleted, wrapped. */
const inOrder = (changed: Effects.Effects["changedObjects"]) => {
  const order = ["mutated", "created", "deleted", "wrapped"]
  const rank = (object: Effects.Changed) => order.indexOf(Effects.changeKind(object) ?? "")
  return changed.toSorted((a, b) => rank(a) - rank(b))
}

/** Left says why the list is unavailable; a partial list would look complete. */
const objectChanges = (
  { changedObjects, lamportVersion }: Effects.Effects,
  changes: typeof ObjectChanges.Type,
  sender: string
): Either.Either<ReadonlyArray<unknown>, string> => {
  const byAddress = byKey(changes.nodes.map((node) => [node.address, node]))
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

const balanceChanges = (changes: typeof BalanceChanges.Type) =>
  changes.map(({ address, amount, coinType }) => ({
    owner: { AddressOwner: address },
    coinType: typeName(coinType),
    amount
  }))

const events = (digest: string, changes: typeof Events.Type): Either.Either<ReadonlyArray<unknown>, string> =>
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

export const options = [
  "showInput",
  "showRawInput",
  "showEffects",
  "showRawEffects",
  "showEvents",
  "showObjectChanges",
  "showBalanceChanges"
] as const

export type TransactionOptions = Readonly<Record<(typeof options)[number], boolean>>

const executionError =
  "executionError { message abortCode sourceLineNumber module { name package { address } } function { name } }"

export const effectFields = (show: TransactionOptions) =>
  [
    "digest",
    ...(show.showEffects || show.showObjectChanges ? ["effectsJson"] : []),
    ...(show.showEffects ? [executionError] : []),
    ...(show.showRawEffects ? ["effectsBcs"] : []),
    ...(show.showEvents ? [eventFields] : []),
    ...(show.showBalanceChanges ? ["balanceChangesJson"] : []),
    ...(show.showObjectChanges ? [objectChangeFields] : [])
  ].join(" ")

export const transactionFields = (show: TransactionOptions) =>
  [
    "digest sender { address }",
    ...(show.showInput || show.showRawInput ? ["transactionBcs signatures { signatureBytes }"] : []),
    `effects { ${effectFields(show)} timestamp checkpoint { sequenceNumber } }`
  ].join(" ")

export const ExecutedEffects = Schema.Struct({
  digest: Schema.NonEmptyString,
  effectsJson: maybe(Effects.Effects),
  executionError: Schema.optional(Effects.ExecutionError),
  effectsBcs: maybe(Schema.String),
  events: maybe(Events),
  balanceChangesJson: maybe(BalanceChanges),
  objectChanges: maybe(ObjectChanges)
})

export const Transaction = Schema.Struct({
  digest: Schema.NonEmptyString,
  sender: Schema.optional(Party),
  transactionBcs: maybe(Schema.String),
  signatures: maybe(Schema.Array(Schema.Struct({ signatureBytes: Schema.NullOr(Schema.String) }))),
  effects: Schema.NullOr(
    Schema.Struct({
      ...ExecutedEffects.fields,
      timestamp: Schema.NullOr(Schema.String),
      checkpoint: Schema.NullOr(Schema.Struct({ sequenceNumber: Count }))
    })
  )
})

type ResponsePart = Either.Either<Readonly<Record<string, unknown>>, string>

/** A part of the response if it is requested; left says why it is missing. */
const part = <A>(
  name: string,
  wanted: boolean,
  given: A | null | undefined,
  convert: (value: A) => ResponsePart
): ResponsePart => {
  if (!wanted) return Either.right({})
  return given === null || given === undefined ? Either.left(`${name}: not available`) : convert(given)
}

const right = Either.right

/** The effects, part by part. */
const effectParts = (
  show: TransactionOptions,
  sender: string,
  executed: typeof ExecutedEffects.Type
): ReadonlyArray<ResponsePart> => [
  part("effects", show.showEffects, executed.effectsJson, (effects) =>
    right({ effects: Effects.toEffects(effects, executed.executionError ?? null) })
  ),
  part("events", show.showEvents, executed.events, (all) =>
    Either.map(events(executed.digest, all), (events) => ({ events }))
  ),
  part("objectChanges", show.showObjectChanges, executed.objectChanges, (all) =>
    part("objectChanges", true, executed.effectsJson, (effects) =>
      Either.map(objectChanges(effects, all, sender), (objectChanges) => ({ objectChanges }))
    )
  ),
  part("balanceChanges", show.showBalanceChanges, executed.balanceChangesJson, (all) =>
    right({ balanceChanges: balanceChanges(all) })
  ),
  part("rawEffects", show.showRawEffects, executed.effectsBcs, (bytes) =>
    right({ rawEffects: Array.from(base64.decode(bytes)) })
  )
]

/** The input, part by part; transaction and signatures are in base64. */
const inputParts = (
  show: TransactionOptions,
  transaction: string | null | undefined,
  signatures: ReadonlyArray<string>
) => [
  part("transaction", show.showInput, transaction, (bytes) =>
    Either.mapBoth(TransactionData.parse(base64.decode(bytes)), {
      onLeft: (why) => `transaction: ${why}`,
      onRight: (data) => ({ transaction: { data: TransactionData.toJson(data), txSignatures: signatures } })
    })
  ),
  part("rawTransaction", show.showRawInput, transaction, (bytes) =>
    right({ rawTransaction: TransactionData.signed(base64.decode(bytes), signatures.map(base64.decode)) })
  )
]

/** Joins the available parts; `errors` lists why other parts are missing, as nodes did. */
const joinParts = (
  digest: string,
  parts: ReadonlyArray<ResponsePart>,
  more: Readonly<Record<string, unknown>> = {}
) => {
  const errors = parts.flatMap((part) => (Either.isLeft(part) ? [part.left] : []))
  return {
    digest,
    ...Object.assign({}, ...parts.map((part) => Either.getOrElse(part, () => ({})))),
    ...more,
    ...(errors.length === 0 ? {} : { errors })
  }
}

/** Maps a transaction that was read from the chain. */
export const toResponse = (show: TransactionOptions, executed: typeof Transaction.Type) => {
  const { effects } = executed
  const signatures = (executed.signatures ?? []).flatMap(({ signatureBytes: signature }) =>
    signature === null ? [] : [signature]
  )
  return joinParts(
    executed.digest,
    [
      ...inputParts(show, executed.transactionBcs, signatures),
      ...(effects === null
        ? [Either.left("effects: not available")]
        : effectParts(show, executed.sender?.address ?? zero, effects))
    ],
    {
      ...(effects?.timestamp ? { timestampMs: String(Date.parse(effects.timestamp)) } : {}),
      ...(effects?.checkpoint ? { checkpoint: String(effects.checkpoint.sequenceNumber) } : {})
    }
  )
}

/** Maps a transaction that was just executed: its effects may not be available yet. */
export const toExecuted = (
  show: TransactionOptions,
  digest: string,
  given: { readonly transaction: string; readonly signatures: ReadonlyArray<string>; readonly sender: string },
  executed: Either.Either<typeof ExecutedEffects.Type, string>,
  more: Readonly<Record<string, unknown>>
) =>
  joinParts(
    digest,
    [
      ...inputParts(show, given.transaction, given.signatures),
      ...Either.match(executed, {
        onLeft: (why) => [Either.left(why)],
        onRight: (done) => effectParts(show, given.sender, done)
      })
    ],
    more
  )

const all: TransactionOptions = {
  showInput: false,
  showRawInput: false,
  showEffects: true,
  showRawEffects: false,
  showEvents: true,
  showObjectChanges: true,
  showBalanceChanges: true
}

export const dryRunFields = effectFields(all)

/** Maps the effects of a simulation; left if a part is missing, because a dry run needs all parts. */
export const toDryRun = (data: TransactionData.TransactionData, executed: typeof ExecutedEffects.Type): ResponsePart =>
  Either.map(Either.all(effectParts(all, data.sender, executed)), (parts) => ({
    ...Object.assign({}, ...parts),
    input: TransactionData.toJson(data)
  }))
