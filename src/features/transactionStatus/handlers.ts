import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Chain from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { tooManyAddresses } from "../../contract/problem/issues.ts"
import type { TransactionStatus, TransactionStatusRequest } from "../../contract/TransactionStatusApi.ts"
import { numberOrNull } from "../../domain/units.ts"
import { appendFailures } from "../../http/response/partialFailures.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { maxAddresses, requestDeadline } from "../../settings/variables.ts"
import { NewestBlocks } from "../blocks/NewestBlocks.ts"
import { type AddressResult, readNetworks, unknownNetworks } from "../reading.ts"
import { SentTransactions } from "../sending/SentTransactions.ts"
import { readStatuses } from "./readStatuses.ts"

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
