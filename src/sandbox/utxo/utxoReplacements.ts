import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as UtxoTransaction from "../../chains/utxo/rawTransactions/UtxoTransaction.ts"
import type { ReadTransaction } from "./UtxoChain.ts"
import { parse } from "./utxoSignatures.ts"

/** An error of bitcoind. */
export interface Refusal {
  readonly code: number
  readonly message: string
}

/** Weight of a transaction, and the sequence numbers of its inputs. */
export const sizesOf =
  ({ transactions }: UtxoFacts) =>
  ({ hex }: Pick<ReadTransaction, "hex">) => ({
    weight: Either.getOrThrow(UtxoTransaction.read(transactions, hex)).weight,
    sequences: Option.getOrThrow(parse(hex)).inputs.map(({ sequence }) => sequence)
  })

/**
 * Refusal of a transaction that conflicts with pending ones, in the words of Bitcoin Core (policy/rbf.cpp); undefined
 * if it replaces them. `evicted` are the conflicts and their descendants.
 */
export const refusalOf = (
  facts: UtxoFacts,
  sent: ReadTransaction,
  conflicts: ReadonlyArray<ReadTransaction>,
  evicted: ReadonlyArray<ReadTransaction>
): Refusal | undefined => {
  const { increment, replaces } = facts.mempool
  const sizes = sizesOf(facts)
  const signals = (other: ReadTransaction) => sizes(other).sequences.some((sequence) => sequence < 0xfffffffe)
  if (replaces === "none" || (replaces === "signalling" && !conflicts.every(signals)))
    return { code: -26, message: "txn-mempool-conflict" }
  const sizeOf = (other: ReadTransaction) => BigInt(Math.ceil(sizes(other).weight / 4))
  const rateOf = (other: ReadTransaction) => (other.fee * 1000n) / sizeOf(other)
  const total = evicted.reduce((all, { fee }) => all + fee, 0n)
  const insufficient = (why: string) => ({
    code: -26,
    message: `insufficient fee, rejecting replacement ${sent.hash}${why}`
  })
  const [added, rate, needed] = [sent.fee - total, rateOf(sent), increment * sizeOf(sent)]
  const dearer = conflicts.map(rateOf).find((other) => rate <= other)
  if (dearer !== undefined) return insufficient(`; new feerate ${rate} <= old feerate ${dearer}`)
  if (added < 0n) return insufficient(`, less fees than conflicting txs; ${sent.fee} < ${total}`)
  return added * 1000n < needed
    ? insufficient(`, not enough additional fees to relay; ${added} < ${needed / 1000n}`)
    : undefined
}
