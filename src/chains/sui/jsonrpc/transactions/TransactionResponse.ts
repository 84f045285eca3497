import { base64 } from "@scure/base"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Count } from "../SuiWire.ts"
import * as Changes from "./Changes.ts"
import * as Effects from "./Effects.ts"
import * as TransactionData from "./TransactionData.ts"

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
    ...(show.showEvents ? [Changes.eventFields] : []),
    ...(show.showBalanceChanges ? ["balanceChangesJson"] : []),
    ...(show.showObjectChanges ? [Changes.objectChangeFields] : [])
  ].join(" ")

export const transactionFields = (show: TransactionOptions) =>
  [
    "digest sender { address }",
    ...(show.showInput || show.showRawInput ? ["transactionBcs signatures { signatureBytes }"] : []),
    `effects { ${effectFields(show)} timestamp checkpoint { sequenceNumber } }`
  ].join(" ")

/** Absent if the field was not requested, null if the host does not have it. */
const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

export const ExecutedEffects = Schema.Struct({
  digest: Schema.NonEmptyString,
  effectsJson: maybe(Effects.Effects),
  executionError: Schema.optional(Effects.ExecutionError),
  effectsBcs: maybe(Schema.String),
  events: maybe(Changes.Events),
  balanceChangesJson: maybe(Changes.BalanceChanges),
  objectChanges: maybe(Changes.ObjectChanges)
})

export const Transaction = Schema.Struct({
  digest: Schema.NonEmptyString,
  sender: maybe(Schema.Struct({ address: Schema.String })),
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
    Either.map(Changes.events(executed.digest, all), (events) => ({ events }))
  ),
  part("objectChanges", show.showObjectChanges, executed.objectChanges, (all) =>
    part("objectChanges", true, executed.effectsJson, (effects) =>
      Either.map(Changes.objectChanges(effects, all, sender), (objectChanges) => ({ objectChanges }))
    )
  ),
  part("balanceChanges", show.showBalanceChanges, executed.balanceChangesJson, (all) =>
    right({ balanceChanges: Changes.balanceChanges(all) })
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

/** The sender of system transactions. */
const zero = `0x${"0".repeat(64)}`
