import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Movement, Transaction } from "../../domain/Transaction.ts"
import type { HistoryRequest } from "./HistoryRequest.ts"

/** The holder is written among the parties as the client wrote it, the others as the network returns them. */
export const spelled = (transaction: Transaction, isHolder: (party: string) => boolean, text: string): Transaction => {
  const own = (item: Movement): Movement => (isHolder(item.address) ? { ...item, address: text } : item)
  return { ...transaction, from: transaction.from.map(own), to: transaction.to.map(own) }
}

/** Whether a party is the holder, in any spelling that the network returns; each party is parsed once. */
export const recognising = (
  { address }: HistoryRequest["network"],
  holder: HistoryRequest["address"],
  text: string
) => {
  const results = new Map<string, boolean>()
  return (party: string): boolean => {
    const existing = results.get(party)
    if (existing !== undefined) return existing
    const is =
      party === text || Option.exists(Either.getRight(holder), (own) => Either.getOrNull(address(party)) === own)
    results.set(party, is)
    return is
  }
}
