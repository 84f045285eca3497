import { assert, it } from "@effect/vitest"
import { bcs } from "@mysten/sui/bcs"
import { Inputs, TransactionDataBuilder } from "@mysten/sui/transactions"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { digestOf } from "../../../src/networks/sui/rpc/sending.ts"
import * as Translation from "../../../src/networks/sui/rpc/Translation.ts"
import { fixture, recorded } from "../../support/fixtures.ts"
import { answering, json } from "../../support/http.ts"
import { make, one, run, test } from "../../support/upstream.ts"

// What nodes with JSON-RPC answered, told by GraphQL as the same chain, has to come out the same.

type Told = Readonly<Record<string, unknown>>

interface Recorded {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly result?: unknown
  readonly error?: unknown
}

const recordedCall = (name: string): Recorded => {
  const { request, response } = fixture("sui", name)
  return { ...(request.body as Recorded), ...(response.body as Recorded) }
}

/** The translation of a recorded call over a host that has that data; and what was recorded. */
const comparing = (
  title: string,
  name: string,
  data: (recorded: Recorded) => Told,
  compare: (translated: Told, recorded: Recorded, asked: ReadonlyArray<string>) => void,
  change: (params: ReadonlyArray<unknown>) => ReadonlyArray<unknown> = (params) => params
) =>
  test(
    `${name}: ${title}`,
    () => answering(() => json({ data: { chainIdentifier: "35834a8a", ...data(recordedCall(name)) } })),
    ({ asked }) =>
      Effect.gen(function* () {
        const known = recordedCall(name)
        const rpc = yield* Translation.make(yield* make([one]))
        const params = JSON.stringify(change(known.params))
        const { member, text } = Either.getOrThrow(yield* run(rpc.call({ method: known.method, params })))
        compare(
          { [member]: JSON.parse(text) },
          known,
          asked.map(({ body }) => body)
        )
      })
  )

const same = (translated: Told, { error, result }: Recorded) =>
  assert.deepStrictEqual<unknown>(translated, error === undefined ? { result } : { error })

const page = { hasNextPage: false, endCursor: null }

interface Balance {
  readonly coinType: string
  readonly coinObjectCount: number
  readonly totalBalance: string
}

/** The balances, and as many objects as each of them has. */
const balancesOf = (rows: ReadonlyArray<Balance>) => ({
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

interface Coin {
  readonly coinType: string
  readonly coinObjectId: string
  readonly version: string
  readonly digest: string
  readonly balance: string
  readonly previousTransaction: string
}

const toNode = ({ balance, coinObjectId: address, coinType, digest, previousTransaction, version }: Coin) => ({
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
  readonly gasUsed: Told
  readonly modifiedAtVersions: ReadonlyArray<{ readonly objectId: string; readonly sequenceNumber: string }>
  readonly transactionDigest: string
  readonly created?: ReadonlyArray<Ref>
  readonly mutated?: ReadonlyArray<Ref>
  readonly deleted?: ReadonlyArray<Ref["reference"]>
  readonly gasObject: Ref
  readonly dependencies: ReadonlyArray<string>
}

/** Effects as gRPC writes them. */
const toEffectsJson = (effects: OldEffects) => {
  const before = new Map(effects.modifiedAtVersions.map((one) => [one.objectId, one.sequenceNumber]))
  const input = (id: string) =>
    before.has(id)
      ? { inputState: "INPUT_OBJECT_STATE_EXISTS", inputVersion: before.get(id) }
      : { inputState: "INPUT_OBJECT_STATE_DOES_NOT_EXIST" }
  const output = (idOperation: string) => (one: Ref) => ({
    objectId: one.reference.objectId,
    ...input(one.reference.objectId),
    outputState: "OUTPUT_OBJECT_STATE_OBJECT_WRITE",
    outputVersion: String(one.reference.version),
    outputDigest: one.reference.digest,
    outputOwner: { kind: "ADDRESS", address: one.owner.AddressOwner },
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

interface OldTransaction {
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
      readonly transaction: { readonly inputs: ReadonlyArray<Told>; readonly transactions: ReadonlyArray<Told> }
    }
    readonly txSignatures: ReadonlyArray<string>
  }
}

/** The bytes of a payment, made by the chain's own library of what was recorded of it. */
const bytesOf = ({ transaction }: OldTransaction): Uint8Array => {
  const { gasData, sender, transaction: kind } = transaction?.data ?? assert.fail("no input was recorded")
  const argument = (one: unknown): never => (one === "GasCoin" ? { GasCoin: true } : (one as object)) as never
  const commands = kind.transactions.map((one) => {
    const [[name = "", given] = []] = Object.entries(one)
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
  const inputs = kind.inputs.map((one) => {
    if (one.type === "pure")
      return Inputs.Pure(
        one.valueType === "u64" ? bcs.u64().serialize(one.value as string) : bcs.Address.serialize(one.value as string)
      )
    return Inputs.ObjectRef(one as never)
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

/** The transaction as GraphQL tells it. */
const toTransaction = (told: OldTransaction) => ({
  digest: told.digest,
  sender: { address: told.objectChanges?.[0]?.sender ?? told.transaction?.data.sender ?? "" },
  transactionBcs: told.transaction === undefined ? null : Buffer.from(bytesOf(told)).toString("base64"),
  signatures: (told.transaction?.txSignatures ?? []).map((signatureBytes) => ({ signatureBytes })),
  effects: {
    digest: told.digest,
    timestamp: told.timestampMs === undefined ? null : new Date(Number(told.timestampMs)).toISOString(),
    checkpoint: told.checkpoint === undefined ? null : { sequenceNumber: Number(told.checkpoint) },
    effectsJson: toEffectsJson(told.effects),
    executionError: executionError(told.effects),
    events: { nodes: [], pageInfo: page },
    balanceChangesJson: told.balanceChanges?.map(({ amount, coinType, owner }) => ({
      address: owner.AddressOwner,
      coinType,
      amount
    })),
    objectChanges: {
      nodes: (told.objectChanges ?? []).map(({ objectId, objectType }) => {
        const state = { asMoveObject: { contents: { type: { repr: objectType } } } }
        return { address: objectId, inputState: state, outputState: state }
      }),
      pageInfo: page
    }
  }
})

recorded("recorded answers of Sui's JSON-RPC, translated", () => {
  for (const name of ["all-balances-single", "all-balances-with-zero-tokens"])
    comparing(
      "the same balances, with the types as nodes wrote them",
      name,
      ({ result }) => ({ address: balancesOf(result as ReadonlyArray<Balance>) }),
      same
    )

  comparing(
    "a type in full is told short, as most nodes did",
    "all-balances-long-sui-type",
    ({ result }) => ({ address: balancesOf(result as ReadonlyArray<Balance>) }),
    (translated, { result }) => {
      const [native, ...tokens] = result as ReadonlyArray<Balance>
      assert.deepStrictEqual<unknown>(translated.result, [{ ...native, coinType: "0x2::sui::SUI" }, ...tokens])
    }
  )

  comparing(
    "one balance",
    "get-balance",
    ({ result }) => {
      const { balances, objects } = balancesOf([result as Balance])
      return { address: { balance: balances.nodes[0], objects } }
    },
    same
  )

  comparing(
    "coins with their amounts and versions",
    "get-coins-page",
    ({ result }) => ({
      address: {
        objects: { nodes: (result as { readonly data: ReadonlyArray<Coin> }).data.map(toNode), pageInfo: page }
      }
    }),
    (translated, { result }) =>
      assert.deepStrictEqual<unknown>(translated.result, { ...(result as Told), nextCursor: null, hasNextPage: false })
  )

  comparing(
    "no coins",
    "get-coins-empty",
    () => ({ address: { objects: { nodes: [], pageInfo: page } } }),
    (translated) =>
      assert.deepStrictEqual<unknown>(translated.result, { data: [], nextCursor: null, hasNextPage: false })
  )

  for (const name of ["coin-metadata-sui", "coin-metadata-decimals-255", "coin-metadata-null"])
    comparing(
      "metadata",
      name,
      ({ result }) => ({
        coinMetadata: result === null ? null : { ...(result as Told), address: (result as Told).id }
      }),
      same,
      // The type of a package of that test chain was cut out.
      ([type]) => [String(type).replace("<package>", "0x5")]
    )

  comparing(
    "what is no type",
    "coin-metadata-invalid-type",
    () => ({}),
    ({ error }, known, asked) => {
      const { code, message } = error as { readonly code: number; readonly message: string }
      assert.strictEqual(code, (known.error as { readonly code: number }).code)
      assert.isTrue(message.startsWith(`Invalid Params: Failed to parse type "invalid_coin_type"`))
      assert.lengthOf(asked, 0)
    }
  )

  comparing("no such transaction", "tx-not-found", () => ({ transaction: null }), same)
  comparing(
    "no such transaction",
    "tx-not-found-indexer",
    () => ({ transaction: null }),
    (translated, known) => {
      const { code } = known.error as { readonly code: number }
      assert.deepInclude(translated.error as Told, { code })
    }
  )

  comparing(
    "none",
    "query-transactions-empty",
    () => ({ transactions: { nodes: [], pageInfo: { hasPreviousPage: false, startCursor: null } } }),
    same
  )

  comparing(
    "digests alone, the newest first",
    "query-transactions-from-address",
    ({ result }) => ({
      transactions: {
        nodes: (result as { readonly data: ReadonlyArray<{ readonly digest: string }> }).data
          .map(({ digest }) => ({ digest, effects: { digest, timestamp: null, checkpoint: null } }))
          .reverse(),
        pageInfo: { hasPreviousPage: false, startCursor: "NA==" }
      }
    }),
    same
  )

  comparing("an unsupported filter", "query-transactions-unsupported-filter", () => ({}), same)

  for (const name of ["tx-transfer-sui", "tx-transfer-token-negative-fee"])
    comparing(
      "effects and balances",
      name,
      ({ result }) => ({ transaction: toTransaction(result as OldTransaction) }),
      same
    )

  for (const name of ["tx-failed-insufficient-coin-balance", "tx-devnet-transfer-with-input"])
    comparing(
      "what went in, what it did and to which objects; types in full are told short",
      name,
      ({ result }) => ({ transaction: toTransaction(result as OldTransaction) }),
      (translated, known) => {
        const short = JSON.stringify(known.result).replace(/0x0{63}2(?=::)/g, "0x2")
        assert.deepStrictEqual<unknown>(translated.result, JSON.parse(short))
      }
    )

  it("name a transaction by its bytes", () => {
    const told = recordedCall("tx-devnet-transfer-with-input").result as OldTransaction
    assert.strictEqual(digestOf(bytesOf(told)), told.digest)
  })
})
