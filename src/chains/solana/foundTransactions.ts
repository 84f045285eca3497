import * as Either from "effect/Either"
import type { ReadTransaction } from "./Provider.ts"
import type { SolanaTransaction } from "./providers/agave/transactionCalls.ts"

/** The transactions that were read, by signature. */
export type FoundTransactions = Map<string, SolanaTransaction>

/** Adds the transactions that a node returned for these signatures. */
export const addTransactions = (
  found: FoundTransactions,
  signatures: ReadonlyArray<string>,
  read: ReadonlyArray<ReadTransaction>
) => {
  for (const [index, signature] of signatures.entries()) {
    const transaction = read[index]
    if (transaction !== undefined && Either.isRight(transaction) && transaction.right != null)
      found.set(signature, transaction.right)
  }
}
