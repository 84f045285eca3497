import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { parseHash } from "../../chains/ton/TonTransactions.ts"
import * as BoundedMap from "../../kernel/BoundedMap.ts"
import { origins, transactions } from "./TonHistory.ts"

type Transaction = ReturnType<typeof transactions>["transactions"][number]

/** So many transactions are remembered. */
const most = 50_000

/** Those of accounts whose lists were asked for, and those that they came from, which are then found by their hashes. */
export const told = (info: NetworkFacts) => {
  const known = BoundedMap.make<string, Transaction>({ capacity: most })
  return {
    keep: (accounts: ReadonlyArray<string>): void => {
      const own = transactions(info, accounts, new URLSearchParams({ limit: "1000" }))
      for (const item of [...own.transactions, ...origins(info, accounts)])
        known.set(Buffer.from(item.hash, "base64").toString("hex"), item)
    },
    /** In hexadecimal digits or base64. */
    by: (hash: string): Option.Option<Transaction> =>
      Option.flatMapNullable(Either.getRight(parseHash(hash)), (key) => known.get(key))
  }
}

export type TonWire = ReturnType<typeof told>

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
