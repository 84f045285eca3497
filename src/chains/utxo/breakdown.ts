import * as Effect from "effect/Effect"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { each } from "../../kernel/each.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import type { BreakdownReader, DetailedBalance, ReadFailure } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { isTruncated, type Lock, type OutputReader, type Outputs } from "./context.ts"

// The balance is the sum of the unspent outputs: outputs in the mempool are unconfirmed, those that are too young can be
// spent only at their maturity, those with tokens only together with these, and all others can be spent now.

/** Reads the outputs of each address within `within` ms; a slow address does not delay the others. */
export const breakdown = ({ coding }: UtxoFacts, reader: OutputReader, within: number): BreakdownReader => ({
  parts: ["spendable", "unconfirmed", "immature", ...(coding.cashaddr === undefined ? [] : (["reserved"] as const))],
  isSum: true,
  read: (addresses) =>
    Effect.flatMap(reader, (read) =>
      each(addresses, (address) =>
        read(address).pipe(
          Effect.flatMap((outputs) => toDetail(outputs, coding.cashaddr !== undefined)),
          timeoutTo({ duration: within, onTimeout: () => Effect.fail(timedOut) }),
          Effect.either
        )
      )
    )
})

/** The sums of a list of outputs; fails if the list is incomplete. */
const toDetail = (read: Outputs, hasTokens: boolean): Effect.Effect<DetailedBalance, ReadFailure> => {
  if (isTruncated(read)) return Effect.fail(tooMany)
  const sum = (included: (confirmations: number, lock: Lock | undefined) => boolean) =>
    read.outputs
      .filter(({ lock, output }) => included(output.confirmations, lock))
      .reduce((all, { output }) => all + BigInt(output.value), 0n)
  const amount = sum(() => true)
  const unconfirmed = sum((confirmations) => confirmations === 0)
  const locked = (...locks: ReadonlyArray<Lock>) =>
    sum((confirmations, lock) => confirmations > 0 && lock !== undefined && locks.includes(lock))
  const reserved = locked("tokens")
  const immature = locked("immature", "pegOut")
  const known = { unconfirmed, ...(hasTokens && { reserved }) }
  const locks = read.outputs.map(({ lock }) => lock)
  const { origin = unknownOrigin, script = unknownScript } = read.failures ?? {}
  return Effect.succeed(
    locks.includes("unknownOrigin")
      ? { amount, parts: known, missing: unread(origin) }
      : locks.includes("unknownScript")
        ? { amount, parts: { ...known, immature }, missing: unread(script) }
        : { amount, parts: { spendable: amount - unconfirmed - immature - reserved, ...known, immature } }
  )
}

const tooMany: ReadFailure = { reason: "bad_answer", message: "the address has more unspent outputs than are read" }

const unknownOrigin: ReadFailure = {
  reason: "bad_answer",
  message: "the indexer did not report for all recent outputs whether they are newly mined"
}

const unknownScript: ReadFailure = {
  reason: "bad_answer",
  message:
    "the indexer did not return the scripts of all outputs, without which it is unknown whether they can be spent"
}

const timedOut: ReadFailure = { reason: "timeout", message: "the unspent outputs were not returned in time" }
