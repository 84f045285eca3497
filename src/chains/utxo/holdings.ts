import * as Either from "effect/Either"
import type { Holding, Unread } from "../Chain.ts"
import type { Read } from "./Balances.ts"

/** What was read as a holding of the native coin. */
export const toHolding = (read: Read, nobody: Unread): Either.Either<Holding, Unread> => {
  if (read === undefined) return Either.left(nobody)
  return Either.mapBoth(read, {
    onLeft: ({ message, reason }) => ({ reason, message }),
    onRight: ({ balance, unconfirmed }) => ({
      asset: "native" as const,
      amount: Either.right(balance),
      ...(unconfirmed === undefined ? {} : { parts: { unconfirmed } })
    })
  })
}
