import { isDeepStrictEqual } from "node:util"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { NetworkFacts } from "../../../catalogue/NetworkFacts.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"

/** Largest amount of a token with 256-bit balances, such as ERC-20 and TRC-20. */
export const uint256 = 2n ** 256n - 1n

/** Largest amount that programs of Solana and coins of Sui can store. */
export const uint64 = 2n ** 64n - 1n

/** A 32-bit number in signed data: a nonce, sequence, version or output index. */
export const Uint32 = Schema.Int.pipe(Schema.between(0, 2 ** 32 - 1))

/** Whether an amount is between 0 and `most`. */
export const isWithin =
  (most: bigint) =>
  (amount: bigint): boolean =>
    amount >= 0n && amount <= most

/** Whether this amount of the native coin of a network can exist. */
export const isPossible = ({ supply }: Pick<NetworkFacts, "supply">): ((amount: bigint) => boolean) => isWithin(supply)

/** Indexes rows by key; undefined for a key with differing rows, since any of them may be wrong. */
export const byKey = <A>(rows: Iterable<readonly [key: string, row: A]>): Map<string, A | undefined> => {
  const found = new Map<string, A | undefined>()
  for (const [key, row] of rows)
    found.set(key, found.has(key) && !isDeepStrictEqual(found.get(key), row) ? undefined : row)
  return found
}

/** As {@link byKey}, but fails as a whole if rows with the same key differ. */
export const byKeyOrFault = <A extends NonNullable<unknown> | null>(
  rows: Iterable<readonly [key: string, row: A]>
): Either.Either<Map<string, A>, Fault> => {
  const found = byKey(rows)
  return isComplete(found) ? Either.right(found) : Either.left(contradictory)
}

const isComplete = <A>(found: Map<string, A | undefined>): found is Map<string, A> =>
  ![...found.values()].includes(undefined)

export const contradictory: Fault = { reason: "bad_answer", detail: "returned something twice, with different values" }

export const impossible: Fault = { reason: "bad_answer", detail: "returned an amount that cannot exist" }
