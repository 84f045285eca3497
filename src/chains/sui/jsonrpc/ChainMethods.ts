import { base58, hex } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { invalid, queryFirst, queryHost, queryText, type SuiMethod, withFallback } from "./Method.ts"
import * as Params from "./Params.ts"
import { Count, Digits, PageInfo, paged } from "./SuiWire.ts"

/** Returns the first four bytes of the first checkpoint's digest; newer hosts return the whole digest. */
export const getChainIdentifier: SuiMethod = (hosts) =>
  withFallback(hosts, (host) =>
    Effect.gen(function* () {
      const { chainIdentifier } = yield* queryHost(
        host,
        queryText("", ""),
        {},
        Schema.Struct({ chainIdentifier: Schema.NonEmptyString })
      )
      if (/^[0-9a-f]{8}$/.test(chainIdentifier)) return chainIdentifier
      const digest = Option.liftThrowable(base58.decode)(chainIdentifier)
      return yield* Option.match(digest, {
        onNone: () => Either.left(host.fault({ reason: "bad_answer", detail: "did not return its network" })),
        onSome: (bytes) => Either.right(hex.encode(bytes.slice(0, 4)))
      })
    })
  )

export const getReferenceGasPrice: SuiMethod = (hosts) =>
  Effect.map(
    queryFirst(
      hosts,
      queryText("", "epoch { referenceGasPrice }"),
      {},
      Schema.Struct({ epoch: Schema.Struct({ referenceGasPrice: Digits }) })
    ),
    ({ epoch }) => epoch.referenceGasPrice
  )

export const getLatestCheckpointSequenceNumber: SuiMethod = (hosts) =>
  Effect.map(
    queryFirst(
      hosts,
      queryText("", "checkpoint { sequenceNumber }"),
      {},
      Schema.Struct({ checkpoint: Schema.Struct({ sequenceNumber: Count }) })
    ),
    ({ checkpoint }) => String(checkpoint.sequenceNumber)
  )

export const getTotalTransactionBlocks: SuiMethod = (hosts) =>
  Effect.map(
    queryFirst(
      hosts,
      queryText("", "checkpoint { networkTotalTransactions }"),
      {},
      Schema.Struct({ checkpoint: Schema.Struct({ networkTotalTransactions: Count }) })
    ),
    ({ checkpoint }) => String(checkpoint.networkTotalTransactions)
  )

/** More pages than a checkpoint can have; a faulty host may return endless pages. */
const maxPages = 250

const transactions = "transactions(first: 50, after: $after) { nodes { digest } pageInfo { hasNextPage endCursor } }"

const checkpointFields = `sequenceNumber digest networkTotalTransactions previousCheckpointDigest timestamp artifactsDigest epoch { epochId } rollingGasSummary { computationCost storageCost storageRebate nonRefundableStorageFee } validatorSignatures { signature } ${transactions}`

const Transactions = Schema.Struct({
  nodes: Schema.Array(Schema.Struct({ digest: Schema.NonEmptyString })),
  pageInfo: PageInfo
})

const Checkpoint = Schema.Struct({
  sequenceNumber: Count,
  digest: Schema.NonEmptyString,
  networkTotalTransactions: Count,
  previousCheckpointDigest: Schema.NullOr(Schema.String),
  timestamp: Schema.String.pipe(Schema.filter((text) => !Number.isNaN(Date.parse(text)))),
  artifactsDigest: Schema.optional(Schema.NullOr(Schema.String)),
  epoch: Schema.Struct({ epochId: Count }),
  rollingGasSummary: Schema.Struct({
    computationCost: Count,
    storageCost: Count,
    storageRebate: Count,
    nonRefundableStorageFee: Count
  }),
  validatorSignatures: Schema.Struct({ signature: Schema.String }),
  transactions: Transactions
})

/** Reads a checkpoint by number or digest. GraphQL does not return a checkpoint's end-of-epoch data. */
export const getCheckpoint: SuiMethod = (hosts, [id]) =>
  Effect.gen(function* () {
    const key = yield* keyOf(id)
    const read = (fields: string, after: string | null) =>
      [
        queryText(`$key: ${key.type}!, $after: String`, `checkpoint(${key.name}: $key) { ${fields} }`),
        { key: key.value, after }
      ] as const
    return yield* withFallback(hosts, (host) =>
      Effect.gen(function* () {
        const answer = Schema.Struct({ checkpoint: Schema.NullOr(Checkpoint) })
        const { checkpoint } = yield* queryHost(host, ...read(checkpointFields, null), answer)
        if (checkpoint === null) return yield* invalid(`Checkpoint ${key.value} not found`)
        const digests = checkpoint.transactions.nodes.map(({ digest }) => digest)
        let { hasNextPage, nextCursor } = paged(checkpoint.transactions.pageInfo)
        for (let pages = 1; hasNextPage; pages += 1) {
          if (pages === maxPages)
            return yield* host.fault({ reason: "bad_answer", detail: "returned pages without an end" })
          const more = yield* queryHost(
            host,
            ...read(transactions, nextCursor),
            Schema.Struct({ checkpoint: Schema.Struct({ transactions: Transactions }) })
          )
          digests.push(...more.checkpoint.transactions.nodes.map(({ digest }) => digest))
          ;({ hasNextPage, nextCursor } = paged(more.checkpoint.transactions.pageInfo))
        }
        return toCheckpoint(checkpoint, digests)
      })
    )
  })

const keyOf = (id: unknown) => {
  if (typeof id === "number" ? Number.isSafeInteger(id) && id >= 0 : typeof id === "string" && /^\d{1,15}$/.test(id))
    return Either.right({ name: "sequenceNumber", type: "UInt53", value: Number(id) })
  return Either.map(Params.digest(id, "id"), (value) => ({ name: "digest", type: "String", value }))
}

const toCheckpoint = (checkpoint: typeof Checkpoint.Type, digests: ReadonlyArray<string>) => {
  const { artifactsDigest = null, rollingGasSummary: gas } = checkpoint
  return {
    epoch: String(checkpoint.epoch.epochId),
    sequenceNumber: String(checkpoint.sequenceNumber),
    digest: checkpoint.digest,
    networkTotalTransactions: String(checkpoint.networkTotalTransactions),
    ...(checkpoint.previousCheckpointDigest === null ? {} : { previousDigest: checkpoint.previousCheckpointDigest }),
    epochRollingGasCostSummary: {
      computationCost: String(gas.computationCost),
      storageCost: String(gas.storageCost),
      storageRebate: String(gas.storageRebate),
      nonRefundableStorageFee: String(gas.nonRefundableStorageFee)
    },
    timestampMs: String(Date.parse(checkpoint.timestamp)),
    transactions: digests,
    checkpointCommitments: artifactsDigest === null ? [] : [{ CheckpointArtifactsDigest: artifactsDigest }],
    validatorSignature: checkpoint.validatorSignatures.signature
  }
}
