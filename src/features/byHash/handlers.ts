import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { FoundTransaction, ReadFailure, TransactionStatus } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { NotFound } from "../../contract/Problem.ts"
import { withoutResult } from "../../contract/problem/issues.ts"
import type { TransactionByHash } from "../../contract/transactions/ByHashApi.ts"
import { gap, textsOf } from "../../domain/history/Gap.ts"
import type { Status, TransactionState } from "../../domain/Transaction.ts"
import { numberOf, numberOrNull } from "../../domain/units.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { NewestBlocks } from "../blocks/NewestBlocks.ts"
import { History } from "../history/History.ts"
import { type AnyNetwork, guarded, NoResult, notValid, type Reading, supporting } from "../reading.ts"
import { SentTransactions } from "../sending/SentTransactions.ts"
import { readStatuses } from "../transactionStatus/readStatuses.ts"

/** The words of histories. */
const statuses: Readonly<Record<Exclude<TransactionState, "not_found">, Status>> = {
  pending: "Pending",
  confirmed: "Success",
  failed: "Failed",
  replaced: "Failed",
  expired: "Failed"
}

const noParties = gap("transactions", "the transaction itself: no source has it")

/** An entry of a transaction of which only the status is known. */
const withoutParties = ({ facts }: AnyNetwork, hash: string, { status, ...known }: TransactionStatus) => ({
  hash,
  explorer: facts.explorer(hash),
  type: "Unknown",
  fee: known.fee === undefined ? null : String(known.fee),
  status: status === "not_found" ? ("Unknown" as const) : statuses[status],
  timestamp: numberOrNull(known.at),
  block: numberOrNull(known.block),
  confirmations: known.confirmations ?? null,
  nonce: null,
  from: [],
  to: []
})

const absent = (failure: ReadFailure): FoundTransaction & { readonly failure: ReadFailure } => ({
  transaction: undefined,
  sources: [],
  gaps: [],
  failure
})

const differs = gap("transactions", "its parties: the sources differ about its result or block")

const disagreed: ReadFailure = { reason: "bad_answer", message: "the sources do not agree whether it exists" }

/** Whether an entry is not the transaction of a status: a source lags, lost its receipt, or is wrong. */
const isOther = (entry: Pick<TransactionByHash, "block" | "status">, { block, status }: TransactionStatus) => {
  if (status === "not_found") return false
  if (entry.block !== null && block !== undefined && entry.block !== numberOf(block)) return true
  return entry.status === "Unknown" ? status !== "confirmed" : entry.status !== statuses[status]
}

const isAbsent = (status: Reading<TransactionStatus>) => Either.isRight(status) && status.right.status === "not_found"

const unknownStatus: TransactionStatus = { status: "not_found" }

/** GET /transactions: a transaction by its hash. Ends before the deadline. */
export const lookingUp = Effect.gen(function* () {
  const networks = yield* Chains
  const blocks = yield* NewestBlocks
  const sent = yield* SentTransactions
  const deadline = Deadline.make(yield* requestDeadline)
  const { entry: entryOf } = yield* History
  return Effect.fnUntraced(
    function* ({ path }: { readonly path: { readonly network: string; readonly hash: string } }) {
      const { ability, network } = yield* supporting(
        networks,
        path.network,
        ({ statuses, transaction }) => statuses && transaction && { statuses, transaction }
      )
      const hash = yield* Either.mapLeft(ability.statuses.hash(path.hash), notValid("hash"))
      const { remaining } = yield* deadline.start
      const [found, all] = yield* Effect.zip(
        Effect.merge(Effect.mapError(guarded(network, yield* remaining("read"), ability.transaction(hash)), absent)),
        readStatuses(blocks, sent, network, [hash], remaining),
        { concurrent: true }
      )
      const read = all.get(hash)?.result ?? Either.left(unreadStatus)
      const status = found.transaction !== undefined && isAbsent(read) ? Either.left(disagreed) : read
      const unread = "failure" in found ? found.failure : undefined
      const failure = Either.isLeft(status) ? status.left : unread
      if (found.transaction === undefined) {
        if (isAbsent(status) && unread === undefined)
          return yield* new NotFound({ detail: `${notFound} ${network.facts.name}.` })
        if (Either.isLeft(status) || isAbsent(status)) return yield* new NoResult(unread ?? failure ?? unreadStatus)
      }
      const known = Either.getOrElse(status, () => unknownStatus)
      const whole = found.transaction && (yield* entryOf(network, found.transaction))
      const isShown = whole !== undefined && (found.ofTrace === true || !isOther(whole.entry, known))
      const shown = isShown
        ? { ...whole, sources: found.sources, gaps: [...found.gaps, ...whole.gaps] }
        : {
            entry: withoutParties(network, hash, known),
            sources: [],
            gaps: [whole === undefined ? noParties : differs, ...(whole === undefined ? found.gaps : [])]
          }
      const { entry } = shown
      const byHash: TransactionByHash = {
        network: network.facts.id,
        ...entry,
        fee: entry.fee ?? (known.fee === undefined ? null : String(known.fee)),
        block: entry.block ?? numberOrNull(known.block),
        confirmations: known.confirmations ?? entry.confirmations,
        final: entry.status === "Pending" ? false : (known.final ?? null),
        replacedBy: known.replacedBy ?? null,
        sources: shown.sources,
        missing: textsOf(shown.gaps),
        ...(failure === undefined ? {} : { error: failure.message, errorCode: failure.reason })
      }
      return byHash
    },
    span("Transactions.byHash"),
    Effect.catchTag("NoResult", (failure) => Effect.fail(withoutResult("The transaction could not be read: ")(failure)))
  )
})

const notFound = "The sources that responded have no transaction with this hash on"

const unreadStatus: ReadFailure = { reason: "bad_answer", message: "its status could not be read" }
