import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { sui } from "../../catalogue/sui.ts"
import { distance, type Height, secondsOf } from "../../domain/units.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { Statuses, TransactionStatus } from "../Chain.ts"
import { otherTransaction } from "../kit/sending/nodeResponse.ts"
import { requireCurrent } from "../kit/status/currentHead.ts"
import * as PendingMemory from "../kit/status/PendingMemory.ts"
import * as GraphQl from "./GraphQl.ts"
import { Checkpoint } from "./SuiWire.ts"
import { costOf, GasEffects } from "./toTransaction.ts"

// `multiGetTransactions` of Sui's GraphQL (docs.sui.io/references/sui-graphql). Checkpoints are final.

const Checkpointed = Schema.NullOr(
  Schema.Struct({
    digest: Schema.String,
    effects: Schema.Struct({
      status: Schema.Literal("SUCCESS", "FAILURE"),
      timestamp: Schema.String.pipe(Schema.filter((text) => !Number.isNaN(Date.parse(text)))),
      checkpoint: Schema.NullOr(Schema.Struct({ sequenceNumber: Checkpoint })),
      gasEffects: GasEffects
    })
  })
)

const Newest = Schema.Struct({
  sequenceNumber: Checkpoint,
  timestamp: Schema.String,
  epoch: Schema.NullishOr(Schema.Struct({ epochId: Schema.NonNegativeInt, startTimestamp: Schema.String }))
})

const checkpoint = "checkpoint { sequenceNumber timestamp epoch { epochId startTimestamp } }"

const query = `query ($keys: [String!]!) { chainIdentifier multiGetTransactions(keys: $keys) { digest effects { status timestamp checkpoint { sequenceNumber } gasEffects { gasSummary { computationCost storageCost storageRebate } } } } ${checkpoint} }`

/** Digests per query; hosts limit the size of a response. */
const digestsPerQuery = 50

/** A digest: 32 bytes in base58. */
const parseDigest = (text: string): Either.Either<string, string> =>
  /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) && base58.decode(text).length === 32
    ? Either.right(text)
    : Either.left("the digest of a transaction has 32 bytes in base58")

const headIn = (host: Endpoint, reply: GraphQl.GraphQlResponse) =>
  Either.mapBoth(reply.at(["checkpoint"], Newest), {
    onLeft: host.fault,
    onRight: ({ epoch, sequenceNumber, timestamp }) => ({
      height: sequenceNumber,
      time: secondsOf(timestamp),
      epoch
    })
  })

/** The newest checkpoint of a host. */
export const headOf = (host: Endpoint) =>
  Effect.flatMap(GraphQl.read(host, `query { chainIdentifier ${checkpoint} }`, {}), (reply) => headIn(host, reply))

/** Reads statuses at the GraphQL hosts. The note of a transaction is the last epoch that may execute it. */
export const statuses = (hosts: Upstream) =>
  Effect.map(
    PendingMemory.reader(sui.id, { sources: hosts.addresses, read: atHost, perRead: digestsPerQuery }),
    (read): Statuses => ({ hash: parseDigest, read })
  )

const atHost = (host: Endpoint, digests: ReadonlyArray<string>, notes: PendingMemory.Notes) =>
  Effect.gen(function* () {
    const reply = yield* GraphQl.read(host, query, { keys: digests })
    const newest = yield* headIn(host, reply)
    yield* requireCurrent(host, sui, newest.time)
    return digests.map((digest, index) =>
      Either.mapLeft(
        Either.flatMap(reply.at(["multiGetTransactions", index], Checkpointed), (found) =>
          found === null
            ? Either.right(absentStatus(newest, notes.get(digest)))
            : statusOf(digest, found, newest.height)
        ),
        host.fault
      )
    )
  })

/**
 * Checkpoints are final, and those of an epoch come before those of the next one. A host may index transactions later than
 * checkpoints.
 */
const absentStatus = (
  { epoch, time }: Effect.Effect.Success<ReturnType<typeof headIn>>,
  [last = ""]: ReadonlyArray<string> = []
): TransactionStatus => {
  const isOver =
    epoch != null &&
    /^\d{1,20}$/.test(last) &&
    epoch.epochId > Number(last) &&
    distance(secondsOf(epoch.startTimestamp), time) >= sui.finality
  return { status: isOver ? "expired" : "not_found" }
}

const statusOf = (
  digest: string,
  found: NonNullable<typeof Checkpointed.Type>,
  newest: Height
): Either.Either<TransactionStatus, Fault> => {
  const { checkpoint, status, timestamp } = found.effects
  if (found.digest !== digest) return Either.left(otherTransaction)
  // Executed, but not in a checkpoint that the host has.
  if (checkpoint === null || checkpoint.sequenceNumber > newest)
    return Either.right({ status: "pending", confirmations: 0 })
  const block = checkpoint.sequenceNumber
  const cost = costOf(found)
  if (cost === null) return Either.left(noGas)
  return Either.right({
    status: status === "SUCCESS" ? "confirmed" : "failed",
    confirmations: distance(block, newest) + 1,
    block,
    at: secondsOf(timestamp),
    // The storage rebate may exceed the cost.
    fee: cost < 0n ? 0n : cost,
    final: true
  })
}

const noGas: Fault = { reason: "bad_answer", detail: "returned a transaction without its gas" }
