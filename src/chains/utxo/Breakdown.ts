import * as Effect from "effect/Effect"
import type { UnspentOutput, UtxoContext } from "../../domain/TransactionContext.ts"
import { each } from "../../kernel/each.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import type { BreakdownReader, DetailedBalance } from "../Breakdown.ts"
import type { ReadFailure } from "../Chain.ts"

// The balance is the sum of the unspent outputs: outputs in the mempool are unconfirmed, newly mined outputs can be
// spent only at the network's coinbase maturity (COINBASE_MATURITY of its node), and all others can be spent now.

type UtxoOutputs = Pick<UtxoContext, "coinbaseMaturity" | "truncated" | "utxos">

const sum = (outputs: ReadonlyArray<UnspentOutput>) => outputs.reduce((all, { value }) => all + BigInt(value), 0n)

/** The sums of a list of outputs; fails if the list is incomplete. */
export const toDetail = ({
  coinbaseMaturity,
  truncated,
  utxos
}: UtxoOutputs): Effect.Effect<DetailedBalance, ReadFailure> => {
  if (truncated) return Effect.fail(tooMany)
  const young = utxos.filter(({ confirmations }) => confirmations > 0 && confirmations < coinbaseMaturity)
  const amount = sum(utxos)
  const unconfirmed = sum(utxos.filter(({ confirmations }) => confirmations === 0))
  if (young.some(({ coinbase }) => coinbase === null))
    return Effect.succeed({ amount, parts: { unconfirmed }, missing: unknownOrigin })
  const immature = sum(young.filter(({ coinbase }) => coinbase === true))
  return Effect.succeed({ amount, parts: { spendable: amount - unconfirmed - immature, unconfirmed, immature } })
}

const tooMany: ReadFailure = { reason: "bad_answer", message: "the address has more unspent outputs than are read" }

const unknownOrigin: ReadFailure = {
  reason: "bad_answer",
  message: "the indexer did not report for all recent outputs whether they are newly mined"
}

const timedOut: ReadFailure = { reason: "timeout", message: "the unspent outputs were not returned in time" }

/** Reads the outputs of each address within `within` ms; a slow address does not delay the others. */
export const make = (
  reader: Effect.Effect<(address: string) => Effect.Effect<UtxoOutputs, ReadFailure>>,
  within: number
): BreakdownReader => ({
  parts: ["spendable", "unconfirmed", "immature"],
  isSum: true,
  read: (addresses) =>
    Effect.flatMap(reader, (read) =>
      each(addresses, (address) =>
        read(address).pipe(
          Effect.flatMap(toDetail),
          timeoutTo({ duration: within, onTimeout: () => Effect.fail(timedOut) }),
          Effect.either
        )
      )
    )
})
