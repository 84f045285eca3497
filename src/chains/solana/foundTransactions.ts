import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Client from "../../jsonrpc/Client.ts"
import { commitment } from "./programs.ts"
import * as TransactionWire from "./TransactionWire.ts"

/** The transactions that were read, by signature. */
export type FoundTransactions = Map<string, TransactionWire.SolanaTransaction>

/** The fields that are read do not depend on the transaction's version; 1 is the newest. */
export const transactionOf = (signature: string): Client.ClientCall => ({
  method: "getTransaction",
  params: [signature, { commitment, encoding: "jsonParsed", maxSupportedTransactionVersion: 1 }]
})

/** Adds the transactions that a node returned for these signatures. */
export const addTransactions = (
  found: FoundTransactions,
  signatures: ReadonlyArray<string>,
  outcomes: ReadonlyArray<Client.Outcome>
) => {
  for (const [index, signature] of signatures.entries()) {
    const transaction = decodeTransaction(signature, outcomes[index])
    if (Option.isSome(transaction)) found.set(signature, transaction.value)
  }
}

const decode = Schema.decodeUnknownOption(TransactionWire.SolanaTransaction)

/** The transaction of a signature; none if the node did not return it. */
export const decodeTransaction = (signature: string, outcome: Client.Outcome | undefined) =>
  Option.flatMap(Option.fromNullable(outcome), (found) => Option.flatMap(Either.getRight(found), decode)).pipe(
    Option.filter(({ transaction }) => (transaction.signatures?.[0] ?? signature) === signature)
  )
