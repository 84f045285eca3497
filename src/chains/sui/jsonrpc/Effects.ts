import { base58 } from "@scure/base"
import * as Schema from "effect/Schema"
import { Count, maybe, zero } from "../SuiWire.ts"

// Maps TransactionEffects from gRPC's JSON format (sui.rpc.v2) to the format of the old API.

const several = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(Schema.Array(schema), { default: () => [] })

const Owner = Schema.Struct({ kind: Schema.String, address: maybe(Schema.String), version: maybe(Count) })

const Changed = Schema.Struct({
  objectId: Schema.NonEmptyString,
  inputState: Schema.String,
  inputVersion: maybe(Count),
  inputDigest: maybe(Schema.String),
  inputOwner: maybe(Owner),
  outputState: Schema.String,
  outputVersion: maybe(Count),
  outputDigest: maybe(Schema.String),
  outputOwner: maybe(Owner),
  idOperation: maybe(Schema.String)
})
export type Changed = typeof Changed.Type

export const Effects = Schema.Struct({
  status: Schema.Struct({
    success: maybe(Schema.Boolean),
    error: maybe(Schema.Struct({ description: maybe(Schema.String) }))
  }),
  epoch: maybe(Count),
  gasUsed: Schema.Struct({
    computationCost: maybe(Count),
    storageCost: maybe(Count),
    storageRebate: maybe(Count),
    nonRefundableStorageFee: maybe(Count)
  }),
  transactionDigest: Schema.NonEmptyString,
  gasObject: maybe(Changed),
  eventsDigest: maybe(Schema.String),
  dependencies: several(Schema.String),
  lamportVersion: maybe(Count),
  changedObjects: several(Changed),
  unchangedConsensusObjects: several(
    Schema.Struct({
      kind: maybe(Schema.String),
      objectId: maybe(Schema.String),
      version: maybe(Count),
      digest: maybe(Schema.String)
    })
  )
})
export type Effects = typeof Effects.Type

export const ExecutionError = Schema.NullOr(
  Schema.Struct({
    message: Schema.String,
    abortCode: Schema.NullOr(Schema.String),
    sourceLineNumber: maybe(Schema.Int),
    module: maybe(
      Schema.Struct({
        name: Schema.String,
        package: Schema.NullOr(Schema.Struct({ address: Schema.String }))
      })
    ),
    function: maybe(Schema.Struct({ name: Schema.String }))
  })
)

/** The placeholder digest of a deleted or wrapped object: 32 bytes with the same value. */
const placeholderDigest = (byte: number) => base58.encode(new Uint8Array(32).fill(byte))
const deletedDigest = placeholderDigest(99)
const wrappedDigest = placeholderDigest(88)

const exists = (state: string) => /(^|_)EXISTS$/.test(state)
const written = ({ outputState }: Changed) => /(OBJECT|PACKAGE)_WRITE$/.test(outputState)
const isGone = ({ outputState }: Changed) => outputState.endsWith("DOES_NOT_EXIST")
const did = ({ idOperation }: Changed, what: string) => (idOperation ?? "NONE").endsWith(what)

/** The change of an object, in the terms of the old API; undefined if the old API had no such change. */
export const changeKind = (
  object: Changed
): "created" | "mutated" | "unwrapped" | "deleted" | "wrapped" | "unwrappedThenDeleted" | undefined => {
  const was = exists(object.inputState)
  if (written(object)) return was ? "mutated" : did(object, "CREATED") ? "created" : "unwrapped"
  if (!isGone(object)) return undefined
  if (was) return did(object, "DELETED") ? "deleted" : "wrapped"
  return did(object, "DELETED") ? "unwrappedThenDeleted" : undefined
}

export const isPackage = ({ outputState }: Changed) => outputState.endsWith("PACKAGE_WRITE")

export const ownerOf = (owner: Changed["outputOwner"]) => {
  const { address = null, kind = "", version = null } = owner ?? {}
  if (kind === "SHARED") return { Shared: { initial_shared_version: Number(version ?? 0) } }
  if (kind === "IMMUTABLE") return "Immutable"
  if (kind === "OBJECT") return { ObjectOwner: address ?? zero }
  if (kind === "CONSENSUS_ADDRESS")
    return { ConsensusAddressOwner: { owner: address ?? zero, start_version: Number(version ?? 0) } }
  return { AddressOwner: address ?? zero }
}

const reference = (objectId: string, version: unknown, digest: string | null | undefined) => ({
  objectId,
  version: Number(version ?? 0),
  digest: digest ?? ""
})

const after = (object: Changed, lamport: Effects["lamportVersion"]) => ({
  owner: ownerOf(object.outputOwner),
  reference: reference(object.objectId, object.outputVersion ?? lamport, object.outputDigest)
})

/** Empty lists are omitted, as nodes did. */
const unlessEmpty = <A>(name: string, list: ReadonlyArray<A>) => (list.length === 0 ? {} : { [name]: list })

export const toEffects = (effects: Effects, error: typeof ExecutionError.Type) => {
  const { changedObjects: changed, gasObject, lamportVersion: lamport } = effects
  const of = (what: ReturnType<typeof changeKind>) => changed.filter((object) => changeKind(object) === what)
  const existing = (what: ReturnType<typeof changeKind>) => of(what).map((object) => after(object, lamport))
  const lost = (what: ReturnType<typeof changeKind>, digest: string) =>
    of(what).map(({ objectId }) => reference(objectId, lamport, digest))
  const shared = [
    ...changed
      .filter(({ inputOwner }) => inputOwner?.kind === "SHARED")
      .map((input) => reference(input.objectId, input.inputVersion, input.inputDigest)),
    ...effects.unchangedConsensusObjects
      .filter(({ kind }) => kind === "READ_ONLY_ROOT")
      .map(({ digest, objectId, version }) => reference(objectId ?? zero, version, digest))
  ]
  return {
    messageVersion: "v1",
    status: statusOf(effects, error),
    executedEpoch: String(effects.epoch ?? 0),
    gasUsed: {
      computationCost: String(effects.gasUsed.computationCost ?? 0),
      storageCost: String(effects.gasUsed.storageCost ?? 0),
      storageRebate: String(effects.gasUsed.storageRebate ?? 0),
      nonRefundableStorageFee: String(effects.gasUsed.nonRefundableStorageFee ?? 0)
    },
    modifiedAtVersions: changed
      .filter(({ inputState }) => exists(inputState))
      .map(({ inputVersion, objectId }) => ({ objectId, sequenceNumber: String(inputVersion ?? 0) })),
    ...unlessEmpty("sharedObjects", shared),
    transactionDigest: effects.transactionDigest,
    ...unlessEmpty("created", existing("created")),
    ...unlessEmpty("mutated", existing("mutated")),
    ...unlessEmpty("unwrapped", existing("unwrapped")),
    ...unlessEmpty("deleted", lost("deleted", deletedDigest)),
    ...unlessEmpty("unwrappedThenDeleted", lost("unwrappedThenDeleted", deletedDigest)),
    ...unlessEmpty("wrapped", lost("wrapped", wrappedDigest)),
    // Without a gas object, nodes return a placeholder.
    gasObject:
      gasObject === undefined || gasObject === null
        ? { owner: { AddressOwner: zero }, reference: reference(zero, 0, base58.encode(new Uint8Array(32))) }
        : after(gasObject, lamport),
    ...(typeof effects.eventsDigest === "string" ? { eventsDigest: effects.eventsDigest } : {}),
    dependencies: effects.dependencies,
    ...abortOf(error)
  }
}

const statusOf = ({ status }: Effects, error: typeof ExecutionError.Type) => {
  if (status.success === true) return { status: "success" }
  const words = error?.message ?? status.error?.description
  return typeof words === "string" ? { status: "failure", error: words } : { status: "failure" }
}

const abortOf = (error: typeof ExecutionError.Type) =>
  error === null || error.abortCode === null
    ? {}
    : {
        abortError: {
          module_id: error.module?.package ? `${error.module.package.address}::${error.module.name}` : null,
          function: error.function?.name ?? null,
          line: error.sourceLineNumber ?? null,
          error_code: error.abortCode
        }
      }
