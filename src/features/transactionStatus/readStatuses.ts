import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { storedAs } from "../../catalogue/NetworkFacts.ts"
import type * as Chain from "../../chains/Chain.ts"
import { stateOf } from "../../chains/kit/status/readStatuses.ts"
import { now } from "../../domain/units.ts"
import type * as Deadline from "../../kernel/Deadline.ts"
import { confirmationsOf, type NewestBlocks } from "../blocks/NewestBlocks.ts"
import { type AnyNetwork, guarded, readEach } from "../reading.ts"
import { isPending, type SentTransactions } from "../sending/SentTransactions.ts"

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
