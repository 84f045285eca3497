import { assert, describe, it } from "@effect/vitest"
import { bcs } from "@mysten/sui/bcs"
import { Inputs, TransactionDataBuilder } from "@mysten/sui/transactions"
import { base58 } from "@scure/base"
import * as Either from "effect/Either"
import { digestOf } from "../../../src/chains/sui/jsonrpc/TransactionData.ts"
import * as Translation from "../../../src/chains/sui/jsonrpc/Translation.ts"
import { fixture, recorded, replay, sample } from "../../support/fixtures.ts"
import { json, simulatedClient } from "../../support/http.ts"
import { asEffects } from "../../support/rpc.ts"
import { firstUrl, make, run, test } from "../../support/upstream.ts"

// Recorded JSON-RPC responses must equal the translation of the corresponding GraphQL responses.

type JsonObject = Readonly<Record<string, unknown>>

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

/** Translates a recorded call over a host with the given data, and compares the outcome with the recorded response. */
const comparing = (
  title: string,
  name: string,
  data: (recorded: Recorded) => JsonObject,
  compare: (translated: JsonObject, recorded: Recorded, requests: ReadonlyArray<string>) => void,
  change: (params: ReadonlyArray<unknown>) => ReadonlyArray<unknown> = (params) => params
) =>
  test(
    `${name}: ${title}`,
    () => simulatedClient(() => json({ data: { chainIdentifier: "35834a8a", ...data(recordedCall(name)) } })),
    function* ({ requests }) {
      const known = recordedCall(name)
      const rpc = asEffects(yield* Translation.make(yield* make([firstUrl])))
      const params = JSON.stringify(change(known.params))
      const { member, text } = Either.getOrThrow(yield* run(rpc.call({ method: known.method, params })))
      compare(
        { [member]: JSON.parse(text) },
        known,
        requests.map(({ body }) => body)
      )
    }
  )

const same = (translated: JsonObject, { error, result }: Recorded) =>
  assert.deepStrictEqual<unknown>(translated, error === undefined ? { result } : { error })

const page = { hasNextPage: false, endCursor: null }

interface Balance {
  readonly coinType: string
  readonly coinObjectCount: number
  readonly totalBalance: string
}

/** The balances, and `coinObjectCount` objects for each of them. */
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
      readonly transaction: {
        readonly inputs: ReadonlyArray<JsonObject>
        readonly transactions: ReadonlyArray<JsonObject>
      }
    }
    readonly txSignatures: ReadonlyArray<string>
  }
}

/** Builds the bytes of a recorded payment with the official library of Sui. */
const bytesOf = ({ transaction }: OldTransaction): Uint8Array => {
  const { gasData, sender, transaction: kind } = transaction?.data ?? assert.fail("no input was recorded")
  const argument = (item: unknown): never => (item === "GasCoin" ? { GasCoin: true } : (item as object)) as never
  const commands = kind.transactions.map((element) => {
    const [[name = "", given] = []] = Object.entries(element)
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
  const inputs = kind.inputs.map((current) => {
    if (current.type === "pure")
      return Inputs.Pure(
        current.valueType === "u64"
          ? bcs.u64().serialize(current.value as string)
          : bcs.Address.serialize(current.value as string)
      )
    return Inputs.ObjectRef(current as never)
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
const toTransaction = (recorded: OldTransaction) => ({
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

recorded("recorded Sui JSON-RPC responses", () => {
  for (const name of ["all-balances-single", "all-balances-with-zero-tokens"])
    comparing(
      "balances and the spelling of types are the same",
      name,
      ({ result }) => ({ address: balancesOf(result as ReadonlyArray<Balance>) }),
      same
    )

  comparing(
    "a full-length type is shortened, as most nodes did",
    "all-balances-long-sui-type",
    ({ result }) => ({ address: balancesOf(result as ReadonlyArray<Balance>) }),
    (translated, { result }) => {
      const [native, ...tokens] = result as ReadonlyArray<Balance>
      assert.deepStrictEqual<unknown>(translated.result, [{ ...native, coinType: "0x2::sui::SUI" }, ...tokens])
    }
  )

  comparing(
    "a single balance is the same",
    "get-balance",
    ({ result }) => {
      const { balances, objects } = balancesOf([result as Balance])
      return { address: { balance: balances.nodes[0], objects } }
    },
    same
  )

  comparing(
    "coins have the same amounts and versions",
    "get-coins-page",
    ({ result }) => ({
      address: {
        objects: { nodes: (result as { readonly data: ReadonlyArray<Coin> }).data.map(toNode), pageInfo: page }
      }
    }),
    (translated, { result }) =>
      assert.deepStrictEqual<unknown>(translated.result, {
        ...(result as JsonObject),
        nextCursor: null,
        hasNextPage: false
      })
  )

  comparing(
    "an empty list of coins is the same",
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
        coinMetadata: result === null ? null : { ...(result as JsonObject), address: (result as JsonObject).id }
      }),
      same,
      // The recording has `<package>` instead of the package id of its test chain.
      ([type]) => [String(type).replace("<package>", "0x5")]
    )

  comparing(
    "an invalid type returns the same error code",
    "coin-metadata-invalid-type",
    () => ({}),
    ({ error }, known, request) => {
      const { code, message } = error as { readonly code: number; readonly message: string }
      assert.strictEqual(code, (known.error as { readonly code: number }).code)
      assert.isTrue(message.startsWith(`Invalid Params: Failed to parse type "invalid_coin_type"`))
      assert.lengthOf(request, 0)
    }
  )

  comparing("an unknown transaction returns the same error", "tx-not-found", () => ({ transaction: null }), same)
  comparing(
    "an unknown transaction returns the same error code",
    "tx-not-found-indexer",
    () => ({ transaction: null }),
    (translated, known) => {
      const { code } = known.error as { readonly code: number }
      assert.deepInclude(translated.error as JsonObject, { code })
    }
  )

  comparing(
    "none",
    "query-transactions-empty",
    () => ({ transactions: { nodes: [], pageInfo: { hasPreviousPage: false, startCursor: null } } }),
    same
  )

  comparing(
    "only digests are returned, newest first",
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

  comparing("an unsupported filter returns the same error", "query-transactions-unsupported-filter", () => ({}), same)

  for (const name of ["tx-transfer-sui", "tx-transfer-token-negative-fee"])
    comparing(
      "effects and balance changes are the same",
      name,
      ({ result }) => ({ transaction: toTransaction(result as OldTransaction) }),
      same
    )

  for (const name of ["tx-failed-insufficient-coin-balance", "tx-devnet-transfer-with-input"])
    comparing(
      "input, effects and changed objects are the same, except that full-length types are shortened",
      name,
      ({ result }) => ({ transaction: toTransaction(result as OldTransaction) }),
      (translated, known) => {
        const short = JSON.stringify(known.result).replace(/0x0{63}2(?=::)/g, "0x2")
        assert.deepStrictEqual<unknown>(translated.result, JSON.parse(short))
      }
    )

  it("have the digest that is computed from the transaction bytes", () => {
    const recorded = recordedCall("tx-devnet-transfer-with-input").result as OldTransaction
    assert.strictEqual(digestOf(bytesOf(recorded)), recorded.digest)
  })
})

const digest = (byte: number) => base58.encode(new Uint8Array(32).fill(byte))
const [owner, peer, third, coin] = ["a1", "b2", "c3", "d4"].map((digits) => `0x${digits.repeat(32)}`)
const coinOf = (type: string) => `0x2::coin::Coin<${type}>`
const [sui, made] = ["0x2::sui::SUI", "0xe5::made::MADE"]

/** Bytes and digest of a payment of 250 MIST that was built offline. */
const signed = {
  bytes: String(
    (sample("sui", "rpc-transaction-input").response.body as { data: { transaction: { transactionBcs: string } } }).data
      .transaction.transactionBcs
  ),
  digest: "2uS2GPYWWLiFzEFuftAAj6gM9bpUZWUuNDESzkWcEnbV"
}

const gasUsed = {
  computationCost: "1000000",
  storageCost: "988000",
  storageRebate: "978120",
  nonRefundableStorageFee: "0"
}

const effects = (of: string, status: object, epoch: string) => ({
  messageVersion: "v1",
  status,
  executedEpoch: epoch,
  gasUsed,
  modifiedAtVersions: [],
  transactionDigest: of,
  gasObject: {
    owner: { AddressOwner: `0x${"0".repeat(64)}` },
    reference: { objectId: `0x${"0".repeat(64)}`, version: 0, digest: digest(0) }
  },
  dependencies: []
})

const input = {
  messageVersion: "v1",
  transaction: {
    kind: "ProgrammableTransaction",
    inputs: [
      { type: "pure", valueType: "u64", value: "250" },
      { type: "pure", valueType: "address", value: peer }
    ],
    transactions: [
      { SplitCoins: ["GasCoin", [{ Input: 0 }]] },
      { TransferObjects: [[{ NestedResult: [0, 0] }], { Input: 1 }] }
    ]
  },
  sender: owner,
  gasData: {
    payment: [{ objectId: coin, version: 7, digest: digest(19) }],
    owner,
    price: "750",
    budget: "2000000"
  }
}

type Case = readonly [method: string, params: ReadonlyArray<unknown>, expected: unknown]

const refusal = (message: string, code = -32602) => ({ error: { code, message } })

const translations: Readonly<Record<string, Case>> = {
  "rpc-all-balances": [
    "suix_getAllBalances",
    [owner],
    [
      {
        coinType: sui,
        coinObjectCount: 2,
        totalBalance: "812000000000007",
        lockedBalance: {},
        fundsInAddressBalance: "0"
      },
      {
        coinType: made,
        coinObjectCount: 0,
        totalBalance: "3000000",
        lockedBalance: {},
        fundsInAddressBalance: "3000000"
      },
      { coinType: "0xf::coin::COIN", coinObjectCount: 0, totalBalance: "0", lockedBalance: {} }
    ]
  ],
  "rpc-balance": [
    "suix_getBalance",
    [owner],
    { coinType: sui, coinObjectCount: 1, totalBalance: "7", lockedBalance: {} }
  ],
  "rpc-coins": [
    "suix_getCoins",
    [owner],
    {
      data: [
        {
          coinType: sui,
          coinObjectId: coin,
          version: "9007199254740995",
          digest: digest(11),
          balance: "18446744073709551614",
          previousTransaction: digest(12)
        }
      ],
      nextCursor: "Mg==",
      hasNextPage: false
    }
  ],
  "rpc-coins-none": ["suix_getAllCoins", [owner, "Mg==", 7], { data: [], nextCursor: null, hasNextPage: false }],
  "rpc-metadata": [
    "suix_getCoinMetadata",
    [made],
    { decimals: 255, name: "Made up", symbol: "MADE", description: "", iconUrl: null, id: coin }
  ],
  "rpc-metadata-null": ["suix_getCoinMetadata", [made], null],
  "rpc-supply": ["suix_getTotalSupply", [made], { value: "10000000000000000000" }],
  "rpc-transaction-null": [
    "sui_getTransactionBlock",
    [digest(14)],
    refusal(`Could not find the referenced transaction [TransactionDigest(${digest(14)})].`)
  ],
  "rpc-transactions": [
    "suix_queryTransactionBlocks",
    [{ filter: { FromAddress: owner } }, null, 2, true],
    { data: [{ digest: digest(16) }, { digest: digest(15) }], nextCursor: "NA==", hasNextPage: true }
  ],
  "rpc-transactions-none": [
    "suix_queryTransactionBlocks",
    [{ filter: { ToAddress: owner } }, null, null, true],
    { data: [], nextCursor: null, hasNextPage: false }
  ],
  "rpc-transaction-failed": [
    "sui_getTransactionBlock",
    [digest(18), { showEffects: true, showBalanceChanges: true }],
    {
      digest: digest(18),
      effects: effects(digest(18), { status: "failure", error: "InsufficientCoinBalance in command 1" }, "704"),
      balanceChanges: [{ owner: { AddressOwner: owner }, coinType: sui, amount: "-1009880" }],
      timestampMs: "1770091506250",
      checkpoint: "210000018"
    }
  ],
  "rpc-transaction-input": [
    "sui_getTransactionBlock",
    [signed.digest, { showInput: true }],
    { digest: signed.digest, transaction: { data: input, txSignatures: ["AAEC"] } }
  ],
  "rpc-transaction-events": [
    "sui_getTransactionBlock",
    [digest(20), { showEvents: true }],
    {
      digest: digest(20),
      events: [
        {
          id: { txDigest: digest(20), eventSeq: "0" },
          packageId: "0xe5",
          transactionModule: "made",
          sender: owner,
          type: "0xe5::made::Paid",
          parsedJson: { amount: "42" },
          bcsEncoding: "base64",
          bcs: "KgAAAAAAAAA="
        }
      ]
    }
  ],
  "rpc-simulation": [
    "sui_dryRunTransactionBlock",
    [signed.bytes],
    {
      effects: effects(signed.digest, { status: "success" }, "0"),
      events: [],
      objectChanges: [],
      balanceChanges: [],
      input
    }
  ],
  "rpc-executed": [
    "sui_executeTransactionBlock",
    [signed.bytes, ["AAEC"], { showEffects: true }],
    { digest: signed.digest, confirmedLocalExecution: false, errors: ["effects: not available"] }
  ],
  "rpc-refused": [
    "sui_executeTransactionBlock",
    [signed.bytes, ["AAEC"]],
    refusal("Invalid signature, see (address)", -32002)
  ],
  "rpc-object": [
    "sui_getObject",
    [coin, { showType: true, showOwner: true, showStorageRebate: true }],
    {
      data: {
        objectId: coin,
        version: "7",
        digest: digest(19),
        type: coinOf(sui),
        owner: { AddressOwner: owner },
        storageRebate: "988000"
      }
    }
  ],
  "rpc-object-null": ["sui_getObject", [coin], { error: { code: "notExists", object_id: coin } }],
  "rpc-owned-objects": [
    "suix_getOwnedObjects",
    [owner, { options: { showType: true, showOwner: true } }],
    {
      data: [
        {
          data: {
            objectId: third,
            version: "9",
            digest: digest(21),
            type: `0x${"e5".repeat(32)}::made::Thing`,
            owner: { Shared: { initial_shared_version: 3 } }
          }
        }
      ],
      nextCursor: "OQ==",
      hasNextPage: true
    }
  ],
  "rpc-checkpoint": [
    "sui_getCheckpoint",
    ["210000018"],
    {
      epoch: "704",
      sequenceNumber: "210000018",
      digest: digest(22),
      networkTotalTransactions: "4400000000",
      previousDigest: digest(23),
      epochRollingGasCostSummary: { ...gasUsed, nonRefundableStorageFee: "9880" },
      timestampMs: "1770091506250",
      transactions: [digest(18)],
      checkpointCommitments: [],
      validatorSignature: "AAEC"
    }
  ],
  "rpc-gas-price": ["suix_getReferenceGasPrice", [], "742"],
  "rpc-chain": ["sui_getChainIdentifier", [], "35834a8a"],
  "rpc-name": ["suix_resolveNameServiceAddress", ["made.sui"], peer],
  "rpc-name-null": ["suix_resolveNameServiceAddress", ["none.sui"], null],
  "rpc-names": ["suix_resolveNameServiceNames", [peer], { data: ["made.sui"], nextCursor: null, hasNextPage: false }]
}

describe("sample Sui GraphQL responses translated to JSON-RPC", () => {
  const translating = (name: string, [method, params, expected]: Case, title = name) =>
    test(
      title,
      () => simulatedClient(() => replay(sample("sui", name))),
      function* ({ requests }) {
        const rpc = asEffects(yield* Translation.make(yield* make([firstUrl])))
        const reply = yield* run(rpc.call({ method, params: JSON.stringify(params) }))
        const { member, text } = Either.getOrThrow(reply)
        const read: unknown = JSON.parse(text)
        assert.deepStrictEqual(member === "error" ? { error: read } : read, expected)
        const { variables } = sample("sui", name).request.body as { readonly variables: object }
        assert.deepInclude(JSON.parse(requests[0]?.body ?? "{}").variables, variables)
        assert.lengthOf(requests, 1)
      }
    )

  for (const [name, known] of Object.entries(translations)) translating(name, known)

  translating(
    "rpc-newest-checkpoint",
    ["sui_getLatestCheckpointSequenceNumber", [], "210000019"],
    "rpc-newest-checkpoint: returns the sequence number of the newest checkpoint"
  )
  translating(
    "rpc-newest-checkpoint",
    ["sui_getTotalTransactionBlocks", [], "4400000007"],
    "rpc-newest-checkpoint: returns the number of transactions"
  )

  test(
    "rpc-system-state: fails with `bad_answer` for a state of an unknown version",
    () => simulatedClient(() => replay(sample("sui", "rpc-system-state"))),
    function* () {
      const rpc = asEffects(yield* Translation.make(yield* make([firstUrl])))
      const failure = Either.getOrThrow(
        Either.flip(yield* run(rpc.call({ method: "suix_getLatestSuiSystemState", params: undefined })))
      )
      assert.deepInclude(failure, { reason: "bad_answer", detail: "returned a state of an unknown version" })
    }
  )

  it("have the digest that is computed from the transaction bytes", () => {
    assert.strictEqual(digestOf(Buffer.from(signed.bytes, "base64")), signed.digest)
  })
})
