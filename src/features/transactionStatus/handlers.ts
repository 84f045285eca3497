import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { storedAs } from "../../catalogue/NetworkFacts.ts"
import type * as Chain from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { stateOf } from "../../chains/statuses/readStatuses.ts"
import { tooManyAddresses } from "../../contract/problem/issues.ts"
import type { TransactionStatus, TransactionStatusRequest } from "../../contract/TransactionStatusApi.ts"
import { now, numberOrNull } from "../../domain/units.ts"
import { appendFailures } from "../../http/response/partialFailures.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { maxAddresses, requestDeadline } from "../../settings/variables.ts"
import { confirmationsOf, NewestBlocks } from "../blocks/NewestBlocks.ts"
import { type AddressResult, type AnyNetwork, guarded, readEach, readNetworks, unknownNetworks } from "../reading.ts"
import { isPending, SentTransactions } from "../sending/SentTransactions.ts"

const nothing = {
  confirmations: null,
  block: null,
  timestamp: null,
  at: null,
  fee: null,
  final: null,
  replacedBy: null
}

const toWire = ({ address, result }: AddressResult<Chain.TransactionStatus>): TransactionStatus =>
  Either.match(result, {
    onLeft: ({ message, reason }) => ({
      status: null,
      ...nothing,
      error: message,
      errorCode:
        Either.isLeft(address) || reason === "invalid_address"
          ? "invalid_hash"
          : reason === "no_price" || reason === "not_listed"
            ? "bad_answer"
            : reason
    }),
    onRight: (found) => ({
      status: found.status,
      confirmations: found.confirmations ?? null,
      block: numberOrNull(found.block),
      timestamp: numberOrNull(found.at),
      at: numberOrNull(found.at),
      fee: found.fee === undefined ? null : String(found.fee),
      final: found.final ?? (found.status === "pending" ? false : null),
      replacedBy: found.replacedBy ?? null
    })
  })

/** The statuses of transactions, by the texts of their hashes. Cannot fail. */
export const readStatuses = (
  blocks: Blocks,
  sent: Context.Tag.Service<SentTransactions>,
  network: AnyNetwork,
  texts: ReadonlyArray<string>,
  remaining: Deadline.Started["remaining"]
) =>
  readEach<Chain.TransactionStatus>({ address: network.statuses?.hash ?? Either.right }, texts, undefined, (hashes) =>
    Effect.gen(function* () {
      const read = network.statuses?.read(hashes) ?? Effect.fail(unsupported(network.facts.name))
      const statuses = yield* guarded(network, yield* remaining("read"), read)
      const known = yield* withSent(sent, storedAs(network.facts), hashes, statuses)
      return yield* counted(blocks, network, known, yield* remaining("write"))
    })
  )

/** A transaction that this service sent is pending until it is seen, replaced, or cannot be included any more. */
const withSent = Effect.fnUntraced(function* (
  { find }: Context.Tag.Service<SentTransactions>,
  network: string,
  hashes: ReadonlyArray<string>,
  statuses: ReadonlyArray<Chain.StatusResult>
) {
  const absent = hashes.filter((_, index) => stateOf(statuses[index]) === "not_found")
  if (absent.length === 0) return statuses
  const [recordOf, clock] = [yield* find(network, absent), yield* now]
  return statuses.map((result, index): Chain.StatusResult => {
    const record = stateOf(result) === "not_found" ? recordOf(hashes[index] ?? "") : undefined
    if (record === undefined) return result
    if (record === "unknown") return Either.left(unreadable)
    if (isPending(record, clock)) return Either.right({ status: "pending", confirmations: 0 })
    return record.expiry === undefined ? Either.left(lost) : Either.right({ status: "expired" })
  })
})

const lost: Chain.ReadFailure = {
  reason: "upstream_error",
  message: "it was sent more than 14 days ago, and no source has it"
}

const unreadable: Chain.ReadFailure = {
  reason: "upstream_error",
  message: "no source has it, and the store cannot be read, which knows whether it was sent"
}

type Blocks = Context.Tag.Service<NewestBlocks>

/** Counts the confirmations of transactions whose sources return their block, but not the newest one. */
const counted = Effect.fnUntraced(function* (
  blocks: Blocks,
  network: AnyNetwork,
  statuses: ReadonlyArray<Chain.StatusResult>,
  within: number
) {
  if (!statuses.some((status) => Either.isRight(status) && isUncounted(status.right))) return statuses
  const newest = yield* blocks.newest(network, within)
  return statuses.map(
    Either.map((status) => {
      const confirmations = confirmationsOf(network.facts, status.block, newest)
      return isUncounted(status) && confirmations !== undefined ? { ...status, confirmations } : status
    })
  )
})

const isUncounted = ({ block, confirmations }: Chain.TransactionStatus) =>
  block !== undefined && confirmations === undefined

const unsupported = (name: string): Chain.ReadFailure => ({
  reason: "not_configured",
  message: `the status of transactions of ${name} cannot be read`
})

/** POST /transactions/status. A transaction that could not be read has a reason, and does not affect the others. */
export const statuses = Effect.gen(function* () {
  const networks = yield* Chains
  const blocks = yield* NewestBlocks
  const sent = yield* SentTransactions
  const deadline = Deadline.make(yield* requestDeadline)
  const max = yield* maxAddresses
  const unknown = unknownNetworks(networks.facts)
  return Effect.fnUntraced(function* ({
    payload: { networks: wanted }
  }: {
    readonly payload: TransactionStatusRequest
  }) {
    yield* tooManyAddresses(wanted, max, "transactions")
    const { remaining } = yield* deadline.start
    const all = yield* readNetworks(networks, wanted, (network, texts) =>
      readStatuses(blocks, sent, network, texts, remaining)
    ).pipe(span("TransactionStatuses.of"))
    yield* appendFailures(unknown(Object.keys(wanted)))
    // Does not encode with the schema: that loses a key named __proto__, and the client chooses the keys.
    return HttpServerResponse.unsafeJson(
      Object.fromEntries(
        all.map(({ name, results }) => [
          name,
          Object.fromEntries(results.map(([text, result]) => [text, toWire(result)]))
        ])
      )
    )
  })
})
