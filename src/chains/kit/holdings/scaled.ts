import * as Either from "effect/Either"
import type { Scaling } from "../../../domain/Multiplier.ts"
import type { Holding, ReadFailure, Scalings } from "../../Chain.ts"

/** The scaling of a token; undefined if its stored amounts are displayed, left if it could not be read. */
export type ScalingRead = Either.Either<Scaling | undefined, ReadFailure>

/** A holding of a token. Without its multiplier the amount says nothing, so it is unknown then. */
export const scaled = (asset: Holding["asset"], amount: Holding["amount"], scaling: ScalingRead | undefined): Holding =>
  Either.match(scaling ?? Either.right(undefined), {
    onLeft: (unread): Holding => ({
      asset,
      amount: Either.flatMap(amount, () => Either.left(unread)),
      isUnitUnknown: true
    }),
    onRight: (read) => (read === undefined ? { asset, amount } : { asset, amount, scaling: read })
  })

/** The scalings of tokens that were read, without those that have none. */
export const scalingsOf = (read: Iterable<readonly [token: string, scaling: ScalingRead]>): Scalings => {
  const found = new Map<string, Either.Either<Scaling, ReadFailure>>()
  for (const [token, scaling] of read) {
    if (Either.isLeft(scaling)) found.set(token, Either.left(scaling.left))
    else if (scaling.right !== undefined) found.set(token, Either.right(scaling.right))
  }
  return found
}
