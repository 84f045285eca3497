import * as Effect from "effect/Effect"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import * as BoundedMap from "../../../kernel/collections/BoundedMap.ts"
import type * as Deadline from "../../../kernel/Deadline.ts"
import { timeoutTo } from "../../../kernel/timeout.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { ListedTransaction } from "./ListedTransaction.ts"
import { isDeposit, type KnownReceipts, type Receipts, receipts } from "./receipts.ts"
import { mayBeDeposit } from "./transaction.ts"

/** Maximum cached receipts of final transactions. */
const capacity = 2_000

/** Reads receipts from nodes and caches those of final transactions. Cannot fail. `now` is in UNIX seconds. */
export const make = (nodes: Upstream, { dataFee, finality }: EvmFacts) => {
  const final = BoundedMap.sized<KnownReceipts>(capacity)

  return (
    unclear: ReadonlyArray<ListedTransaction>,
    holder: string,
    now: number,
    deadline: Deadline.Running
  ): Effect.Effect<Receipts> =>
    Effect.gen(function* () {
      const found = new Map<string, KnownReceipts>()
      for (const { hash } of unclear) {
        const known = final.get(hash)
        if (known !== undefined) found.set(hash, known)
      }
      const missing = unclear.filter(({ hash }) => !found.has(hash))
      const perhapsDeposits = missing.filter((transaction) => mayBeDeposit(transaction, { dataFee, holder }))
      const read = yield* receipts(nodes, missing.map(hashOf), perhapsDeposits.map(hashOf)).pipe(
        timeoutTo({
          duration: yield* deadline.remaining("collect"),
          onTimeout: (): Effect.Effect<Receipts> => Effect.succeed({ found: new Map(), failure: "timed out" })
        })
      )
      for (const { at = now, hash } of missing) {
        const known = read.found.get(hash)
        if (known === undefined) continue
        found.set(hash, known)
        if (at < now - finality && isWhole(known)) final.set(hash, known)
      }
      return { found, failure: read.failure }
    })
}

const hashOf = ({ hash }: ListedTransaction) => hash

/** A deposit is complete with its amount, which is looked up only for its sender. */
const isWhole = (known: KnownReceipts) => !isDeposit(known) || known.minted !== undefined
