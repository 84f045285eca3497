import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { lookups } from "../../kernel/collections/lookups.ts"
import { each } from "../../kernel/each.ts"
import type { BreakdownReader, DetailedBalance, ReadFailure } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import type { RippleProvider } from "./Provider.ts"

// xrpl.org/docs/concepts/accounts/reserves: an account needs a base reserve, plus an increment per object that it owns.
// Validators vote on both amounts.

type Server = Effect.Effect.Success<ReturnType<RippleProvider["server"]>>

/** Splits a balance; the reserve is capped at the balance, because a raised reserve may exceed it. */
const toDetail = (
  { drops: amount, objects }: { readonly drops: bigint; readonly objects: number | undefined },
  { info: { validated_ledger: ledger } }: Server
): DetailedBalance => {
  if (amount === 0n) return { amount, parts: { spendable: 0n, reserved: 0n } }
  if (objects === undefined) return { amount, parts: {}, missing: uncounted }
  const wanted = ledger.reserve_base_xrp + BigInt(objects) * ledger.reserve_inc_xrp
  const reserved = wanted < amount ? wanted : amount
  return { amount, parts: { spendable: amount - reserved, reserved } }
}

const uncounted: ReadFailure = { reason: "bad_answer", message: "the node did not return the number of owned objects" }

/** Reads reserves with one call per account, plus one call for the ledger's requirements, cached for ten minutes. */
export const breakdown = (rippled: RippleProvider): Effect.Effect<BreakdownReader> =>
  Effect.map(
    lookups({
      capacity: 1,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? "10 minutes" : 0),
      lookup: (_: "reserves") => rippled.nodes.over(rippled.server)
    }),
    (reserves) => ({
      parts: ["spendable", "reserved"],
      read: (addresses) =>
        each(addresses, (address) =>
          Effect.zipWith(rippled.account(address, false), reserves("reserves"), toDetail, { concurrent: true }).pipe(
            Effect.mapError(unread),
            Effect.either
          )
        )
    })
  )
