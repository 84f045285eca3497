import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { CardanoOutput, TransactionContext, UnspentOutput } from "../../domain/TransactionContext.ts"
import { distance, height, type Millis, now, numberOf, toSeconds } from "../../domain/units.ts"
import { isOpen, type Sent, type SentTransactions } from "../sending/SentTransactions.ts"

/** How long transactions are listed of which it is not known whether a node accepted them, ms. */
const undecidedTime = 10 * 60_000

/** The outputs of a context; undefined on networks with nonces. */
const outputsOf = (context: TransactionContext): ReadonlyArray<string> | undefined =>
  "utxos" in context ? context.utxos.map(outputOf) : undefined

const outputOf = (output: UnspentOutput | CardanoOutput): string =>
  "txid" in output ? `${output.txid}:${output.vout}` : `${output.txHash}:${output.index}`

/** Counts on from a nonce as long as this service has sent the transaction with the next one. */
const nextNonce = (nonce: number, sent: ReadonlyArray<Sent>): number => {
  const used = new Set(sent.map((transaction) => transaction.nonce))
  let next = nonce
  while (used.has(String(next))) next++
  return next
}

/** Names of the next nonce in contexts, if nodes take transactions with the nonces after it. */
const nonceFields: ReadonlyArray<string> = ["pendingNonce", "sequence", "nonce"]

/** Names of all nonces: a wallet on TON refuses a message until it has executed the one before. */
const orderedBy: ReadonlyArray<string> = [...nonceFields, "seqno"]

const changed = (
  context: TransactionContext,
  accepted: ReadonlyArray<Sent>,
  isSpent: (output: string) => boolean
): TransactionContext => {
  if (!("utxos" in context)) {
    const field = nonceFields.find((name) => name in context) ?? ""
    const nonce: unknown = Reflect.get(context, field)
    return typeof nonce === "number" ? { ...context, [field]: nextNonce(nonce, accepted) } : context
  }
  const utxos = context.utxos.filter((output) => !isSpent(outputOf(output)))
  const count = context.count === null ? null : context.count - context.utxos.length + utxos.length
  return { ...context, utxos, count } as TransactionContext
}

const toWire = ({ at, hash, nonce }: Sent) => ({
  hash,
  nonce: nonce === undefined ? null : Number(nonce),
  timestamp: numberOf(toSeconds(at))
})

const isRecent = ({ at }: Sent, clock: Millis) => distance(at, clock) <= undecidedTime

/**
 * A context after the transactions that this service has sent, which its source may not have seen yet: the accepted ones
 * use their nonces and outputs; those that are undecided are only listed.
 */
export const withSent = Effect.fnUntraced(function* (
  { using }: Context.Tag.Service<SentTransactions>,
  network: string,
  address: string,
  context: TransactionContext
) {
  const found = yield* using(network, outputsOf(context) ?? [address.toLowerCase()])
  const clock = yield* now
  const isOver = ({ lastBlock }: Sent) =>
    "ledger" in context && lastBlock !== undefined && lastBlock < height(context.ledger)
  const isUsed = (transaction: Sent) => transaction.accepted && isOpen(transaction, clock) && !isOver(transaction)
  const all = [...new Map([...found.values()].flat().map((transaction) => [transaction.hash, transaction])).values()]
  const undecided = all.filter((transaction) => !transaction.accepted && isRecent(transaction, clock)).map(toWire)
  const after = changed(context, all.filter(isUsed), (output) => found.get(output)?.some(isUsed) === true)
  const isListed = undecided.length > 0 && ("utxos" in after || orderedBy.some((name) => name in after))
  return isListed ? { ...after, undecided } : after
})
