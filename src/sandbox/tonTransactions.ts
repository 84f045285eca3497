import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { parseHash } from "../networks/ton/transactions.ts"
import type { transactions } from "./tonHistory.ts"

type Transaction = ReturnType<typeof transactions>["transactions"][number]

/** So many transactions are remembered. */
const most = 50_000

/** Those that lists have told, which are then found by their hashes. */
export const told = () => {
  const known = new Map<string, Transaction>()
  return {
    keep: <A>(answer: A): A => {
      const { transactions = [] } = answer as { readonly transactions?: ReadonlyArray<Transaction> }
      if (known.size > most) known.clear()
      for (const one of transactions) known.set(Buffer.from(one.hash, "base64").toString("hex"), one)
      return answer
    },
    /** In hexadecimal digits or base64. */
    by: (hash: string): Option.Option<Transaction> =>
      Option.flatMapNullable(Either.getRight(parseHash(hash)), (key) => known.get(key))
  }
}

export type Told = ReturnType<typeof told>

/** TonAPI writes the hash in hexadecimal digits, addresses in lower case and amounts as numbers. */
export const asTonApi = ({
  account,
  description,
  end_status,
  hash,
  lt,
  now,
  orig_status,
  total_fees
}: Transaction) => ({
  hash: Buffer.from(hash, "base64").toString("hex"),
  lt: Number(lt),
  account: { address: account.toLowerCase(), is_scam: false, is_wallet: true },
  success: !description.aborted,
  utime: now,
  orig_status,
  end_status,
  total_fees: Number(total_fees),
  transaction_type: "TransOrd",
  aborted: description.aborted
})
