import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { parseHash } from "../../chains/ton/TonTransactions.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { origins, transactions } from "./TonHistory.ts"

type TonWireTransaction = ReturnType<typeof transactions>["transactions"][number]

/** The number of transactions that are stored. */
const maxTransactions = 50_000

/** Transactions of accounts whose lists were returned, and their origins, which can then be found by hash; and what was sent. */
export const make = (facts: NetworkFacts, senderOf: (hash: string) => string | undefined) => {
  const known = BoundedMap.make<string, TonWireTransaction>({ capacity: maxTransactions })
  const remember = (accounts: ReadonlyArray<string>): void => {
    const own = transactions(facts, accounts, new URLSearchParams({ limit: "1000" }))
    for (const transaction of [...own.transactions, ...origins(facts, accounts)])
      known.set(Buffer.from(transaction.hash, "base64").toString("hex"), transaction)
  }
  return {
    remember,
    /** In hexadecimal digits or base64. */
    by: (hash: string): Option.Option<TonWireTransaction> =>
      Option.flatMapNullable(Either.getRight(parseHash(hash)), (key) => {
        const sender = senderOf(key)
        if (sender !== undefined && !known.has(key)) remember([sender])
        return known.get(key)
      })
  }
}

export type TonWire = ReturnType<typeof make>

/** TonAPI's format: hashes in hexadecimal digits, addresses in lower case and amounts as numbers. */
export const asTonApi = ({
  account,
  description,
  end_status,
  hash,
  lt,
  now,
  orig_status,
  total_fees
}: TonWireTransaction) => ({
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
