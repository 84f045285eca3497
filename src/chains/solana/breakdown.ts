import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { solana } from "../../catalogue/solana.ts"
import { notUnderstood } from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { BreakdownReader, DetailedBalance, ReadFailure } from "../Chain.ts"
import { byKeyOrFault, impossible, isPossible } from "../kit/holdings/amounts.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import type { SolanaProvider } from "./Provider.ts"

// An account is exempt from rent if it holds the minimum for its size (solana.com/docs/core/accounts). Staked coins are
// in other accounts, separate from the balance.

/**
 * Splits a balance; `reserved` is the minimum that the account must hold, at most its balance. An account with data has
 * a higher minimum, and cannot send coins by itself: its spendable part is unknown.
 */
export const toDetail = (
  account: { readonly lamports: bigint; readonly space: number } | undefined,
  minimum: bigint,
  staked: Either.Either<bigint, ReadFailure>
): DetailedBalance => {
  const amount = account?.lamports ?? 0n
  const reserved = minimum < amount ? minimum : amount
  const hasData = account !== undefined && account.space > 0
  const missing = hasData ? withData : Either.isLeft(staked) ? staked.left : undefined
  return {
    amount,
    parts: {
      ...(hasData ? {} : { spendable: amount - reserved, reserved }),
      ...(Either.isRight(staked) ? { staked: staked.right } : {})
    },
    ...(missing === undefined ? {} : { missing })
  }
}

const withData: ReadFailure = {
  reason: "bad_answer",
  message: "the account has data, so its minimum balance is different"
}

type Stakes = Either.Either.Right<Effect.Effect.Success<ReturnType<SolanaProvider["stakes"]>>[number]>

const sumOf = (stakes: Stakes): Either.Either<bigint, Fault> => {
  // An account may be listed twice.
  const accounts = byKeyOrFault(stakes.map(({ account, pubkey }) => [pubkey, BigInt(account.lamports)]))
  return Either.filterOrLeft(
    Either.map(accounts, (found) => [...found.values()].reduce((total, lamports) => total + lamports, 0n)),
    isPossible(solana),
    () => impossible
  )
}

const readBatch = (agave: SolanaProvider, node: Endpoint, addresses: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { accounts, minimum } = yield* agave.accounts(node, addresses)
    // Many public nodes reject this method: the other parts must not depend on it.
    const stakes = yield* Effect.either(agave.stakes(node, addresses))
    return accounts.map((read, index) => {
      const account = Either.mapLeft(read, (fault) => unread(node.fault(fault)))
      const own = Either.flatMap(stakes, (all) =>
        Either.mapLeft(Either.flatMap(all[index] ?? Either.left(notUnderstood), sumOf), node.fault)
      )
      return Either.map(account, (found) =>
        toDetail(
          found === null ? undefined : { lamports: BigInt(found.lamports), space: found.space },
          minimum,
          Either.mapLeft(own, unread)
        )
      )
    })
  })

/** Two calls for all addresses, and one call per address. */
export const breakdown = (agave: SolanaProvider): BreakdownReader => ({
  parts: ["spendable", "reserved", "staked"],
  read: (addresses) =>
    agave.nodes
      .over((node) => readBatch(agave, node, addresses), { isWhole: (details) => details.every(Either.isRight) })
      .pipe(Effect.catchAll((error) => Effect.succeed(addresses.map(() => Either.left(unread(error))))))
})
