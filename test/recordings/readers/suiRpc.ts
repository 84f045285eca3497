import { bcs } from "@mysten/sui/bcs"
import { Inputs, TransactionDataBuilder } from "@mysten/sui/transactions"
import * as Effect from "effect/Effect"
import * as Translation from "../../../src/chains/sui/jsonrpc/Translation.ts"
import { type Exchange, replay } from "../../support/fixtures.ts"
import { json, type Reply, simulatedClient } from "../../support/http.ts"
import { asEffects } from "../../support/rpc.ts"
import { firstUrl, make, run, upstreamDependencies } from "../../support/upstream.ts"
import { assert } from "../../support/vitest.ts"
import { type Read, type Row, recordedAs, row } from "../table.ts"

// Recorded JSON-RPC responses equal the translation of the corresponding GraphQL responses.

export type JsonObject = Readonly<Record<string, unknown>>

export interface Recorded {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly result?: unknown
  readonly error?: unknown
}

/** The recorded call and its outcome. */
export const recordedCall = ({ request, response }: Exchange): Recorded => ({
  ...(request.body as Recorded),
  ...(response.body as Recorded)
})

const translation = (reply: Reply, method: string, params: string | undefined) => {
  const outside = simulatedClient(() => reply)
  return Effect.gen(function* () {
    const rpc = asEffects(yield* Translation.make(yield* make([firstUrl])))
    const { member, text } = yield* yield* run(rpc.call({ method, params }))
    return {
      translated: { [member]: JSON.parse(text) },
      requests: outside.requests.map(({ body }) => JSON.parse(body))
    }
  }).pipe(Effect.provide(upstreamDependencies(outside)))
}

interface Options {
  readonly shows: string
  /** The translation of this is compared with the recorded result or error. */
  readonly show?: (translated: JsonObject, requests: ReadonlyArray<unknown>) => unknown
  readonly expected?: (recorded: Recorded) => unknown
  readonly params?: (params: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
}

const outcome = ({ error, result }: Recorded) => (error === undefined ? { result } : { error })

/** The recorded outcome of a call is the translation of these data. */
export const same = (data: (recorded: Recorded) => JsonObject, options: Options): Row => {
  const { expected = outcome, params = (own) => own, show = (translated) => translated, shows } = options
  return row(
    (recording) => {
      const call = recordedCall(recording)
      const reply = json({ data: { chainIdentifier: "35834a8a", ...data(call) } })
      const translating = translation(reply, call.method, JSON.stringify(params(call.params)))
      return Effect.map(translating, ({ requests, translated }) => show(translated, requests))
    },
    recordedAs((recording) => expected(recordedCall(recording))),
    shows
  )
}

/** The outcome of a call whose GraphQL response is the recording, and whether it is requested with these variables. */
export const translated =
  (method: string, params?: ReadonlyArray<unknown>): Read =>
  (recording) =>
    Effect.map(
      translation(replay(recording), method, params && JSON.stringify(params)),
      ({ requests: [request, ...more], translated }) => {
        const { variables = {} } = recording.request.body as { readonly variables?: object }
        const wrong = Object.entries(variables).filter(
          ([name, value]) => JSON.stringify(request?.variables[name]) !== JSON.stringify(value)
        )
        return [translated.error === undefined ? translated.result : translated, wrong, more.length]
      }
    )

export const page = { hasNextPage: false, endCursor: null }

export interface Balance {
  readonly coinType: string
  readonly coinObjectCount: number
  readonly totalBalance: string
}

/** The balances, and `coinObjectCount` objects for each of them. */
export const balancesOf = (rows: ReadonlyArray<Balance>) => ({
  balances: {
    nodes: rows.map(({ coinType, totalBalance }) => ({ coinType: { repr: coinType }, totalBalance })),
    pageInfo: page
  },
  objects: {
    nodes: rows.flatMap(({ coinObjectCount, coinType }) =>
      Array.from({ length: coinObjectCount }, () => ({ contents: { type: { repr: `0x2::coin::Coin<${coinType}>` } } }))
    ),
    pageInfo: page
  }
})

export interface Coin {
  readonly coinType: string
  readonly coinObjectId: string
  readonly version: string
  readonly digest: string
  readonly balance: string
  readonly previousTransaction: string
}

export const toNode = ({ balance, coinObjectId: address, coinType, digest, previousTransaction, version }: Coin) => ({
  address,
  version: Number(version),
  digest,
  previousTransaction: { digest: previousTransaction },
  contents: {
    bcs: bcs.struct("Coin", { id: bcs.Address, balance: bcs.u64() }).serialize({ id: address, balance }).toBase64(),
    type: { repr: `0x2::coin::Coin<${coinType}>` }
  }
})

interface Ref {
  readonly owner: { readonly AddressOwner: string }
  readonly reference: { readonly objectId: string; readonly version: number; readonly digest: string }
}

interface OldEffects {
  readonly status: { readonly status: string; readonly error?: string }
  readonly executedEpoch: string
  readonly gasUsed: JsonObject
  readonly modifiedAtVersions: ReadonlyArray<{ readonly objectId: string; readonly sequenceNumber: string }>
  readonly transactionDigest: string
  readonly created?: ReadonlyArray<Ref>
  readonly mutated?: ReadonlyArray<Ref>
  readonly deleted?: ReadonlyArray<Ref["reference"]>
  readonly gasObject: Ref
  readonly dependencies: ReadonlyArray<string>
}

/** Converts effects to gRPC's JSON format. */
const toEffectsJson = (effects: OldEffects) => {
  const before = new Map(
    effects.modifiedAtVersions.map((modifiedAtVersion) => [
      modifiedAtVersion.objectId,
      modifiedAtVersion.sequenceNumber
    ])
  )
  const input = (id: string) =>
    before.has(id)
      ? { inputState: "INPUT_OBJECT_STATE_EXISTS", inputVersion: before.get(id) }
      : { inputState: "INPUT_OBJECT_STATE_DOES_NOT_EXIST" }
  const output = (idOperation: string) => (ref: Ref) => ({
    objectId: ref.reference.objectId,
    ...input(ref.reference.objectId),
    outputState: "OUTPUT_OBJECT_STATE_OBJECT_WRITE",
    outputVersion: String(ref.reference.version),
    outputDigest: ref.reference.digest,
    outputOwner: { kind: "ADDRESS", address: ref.owner.AddressOwner },
    idOperation
  })
  const rows = [
    ...(effects.created ?? []).map(output("CREATED")),
    ...(effects.mutated ?? []).map(output("NONE")),
    ...(effects.deleted ?? []).map(({ objectId }) => ({
      objectId,
      ...input(objectId),
      outputState: "OUTPUT_OBJECT_STATE_DOES_NOT_EXIST",
      idOperation: "DELETED"
    }))
  ]
  const order = effects.modifiedAtVersions.map(({ objectId }) => objectId)
  return {
    version: 2,
    status: { success: effects.status.status === "success" },
    epoch: effects.executedEpoch,
    gasUsed: effects.gasUsed,
    transactionDigest: effects.transactionDigest,
    gasObject: output("NONE")(effects.gasObject),
    lamportVersion: String(effects.gasObject.reference.version),
    dependencies: effects.dependencies,
    changedObjects: rows.sort((a, b) => order.indexOf(a.objectId) - order.indexOf(b.objectId))
  }
}

export interface OldTransaction {
  readonly digest: string
  readonly effects: OldEffects
  readonly timestampMs?: string
  readonly checkpoint?: string
  readonly balanceChanges?: ReadonlyArray<{
    readonly owner: Ref["owner"]
    readonly coinType: string
    readonly amount: string
  }>
  readonly objectChanges?: ReadonlyArray<{
    readonly objectId: string
    readonly objectType: string
    readonly sender: string
  }>
  readonly transaction?: {
    readonly data: {
      readonly sender: string
      readonly gasData: never
      readonly transaction: {
        readonly inputs: ReadonlyArray<JsonObject>
        readonly transactions: ReadonlyArray<JsonObject>
      }
    }
    readonly txSignatures: ReadonlyArray<string>
  }
}

/** Builds the bytes of a recorded payment with the official library of Sui. */
export const bytesOf = ({ transaction }: OldTransaction): Uint8Array => {
  const { gasData, sender, transaction: kind } = transaction?.data ?? assert.fail("no input was recorded")
  const argument = (value: unknown): never => (value === "GasCoin" ? { GasCoin: true } : (value as object)) as never
  const commands = kind.transactions.map((command) => {
    const [[name = "", given] = []] = Object.entries(command)
    const [first, second] = given as ReadonlyArray<never>
    if (name === "SplitCoins")
      return { SplitCoins: { coin: argument(first), amounts: (second as unknown as Array<unknown>)?.map(argument) } }
    if (name === "MergeCoins")
      return {
        MergeCoins: { destination: argument(first), sources: (second as unknown as Array<unknown>)?.map(argument) }
      }
    return {
      TransferObjects: { objects: (first as unknown as Array<unknown>)?.map(argument), address: argument(second) }
    }
  })
  const inputs = kind.inputs.map((input) => {
    if (input.type === "pure")
      return Inputs.Pure(
        input.valueType === "u64"
          ? bcs.u64().serialize(input.value as string)
          : bcs.Address.serialize(input.value as string)
      )
    return Inputs.ObjectRef(input as never)
  })
  const builder = TransactionDataBuilder.restore({
    version: 2,
    sender,
    expiration: { None: true },
    gasData,
    inputs,
    commands
  } as never)
  return builder.build()
}

const executionError = (effects: OldEffects) =>
  effects.status.error === undefined ? null : { message: effects.status.error, abortCode: null }

/** Converts a recorded transaction to GraphQL's format. */
export const toTransaction = (recorded: OldTransaction) => ({
  digest: recorded.digest,
  sender: { address: recorded.objectChanges?.[0]?.sender ?? recorded.transaction?.data.sender ?? "" },
  transactionBcs: recorded.transaction === undefined ? null : Buffer.from(bytesOf(recorded)).toString("base64"),
  signatures: (recorded.transaction?.txSignatures ?? []).map((signatureBytes) => ({ signatureBytes })),
  effects: {
    digest: recorded.digest,
    timestamp: recorded.timestampMs === undefined ? null : new Date(Number(recorded.timestampMs)).toISOString(),
    checkpoint: recorded.checkpoint === undefined ? null : { sequenceNumber: Number(recorded.checkpoint) },
    effectsJson: toEffectsJson(recorded.effects),
    executionError: executionError(recorded.effects),
    events: { nodes: [], pageInfo: page },
    balanceChangesJson: recorded.balanceChanges?.map(({ amount, coinType, owner }) => ({
      address: owner.AddressOwner,
      coinType,
      amount
    })),
    objectChanges: {
      nodes: (recorded.objectChanges ?? []).map(({ objectId, objectType }) => {
        const state = { asMoveObject: { contents: { type: { repr: objectType } } } }
        return { address: objectId, inputState: state, outputState: state }
      }),
      pageInfo: page
    }
  }
})
