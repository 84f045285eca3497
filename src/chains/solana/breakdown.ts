import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { solana } from "../../catalogue/solana.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { BreakdownReader, DetailedBalance, ReadFailure } from "../Chain.ts"
import { byKeyOrFault, impossible, isPossible } from "../kit/holdings/amounts.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { Accounts, accountsOf, currentAccounts, decoded, Lamports, notUnderstood } from "./accounts.ts"
import { commitment } from "./programs.ts"

// An account is exempt from rent if it holds the minimum for its size (solana.com/docs/core/accounts). Staked coins are
// in accounts of the Stake program, separate from the balance; StakeStateV2 has the withdraw authority at byte 44.

const stakeProgram = "Stake11111111111111111111111111111111111111"
const stakeSize = 200
const withdrawerAt = 44

const decodeAccount = Schema.decodeUnknownEither(
  Schema.NullOr(Schema.Struct({ lamports: Lamports, space: Schema.NonNegativeInt }))
)

const StakeAccounts = Schema.Array(
  Schema.Struct({ pubkey: Schema.NonEmptyString, account: Schema.Struct({ lamports: Lamports }) })
)

const exact = { exact: true }

/** The accounts of at most 100 addresses, and the minimum of an account without data. */
const accountsAndMinimum = (addresses: ReadonlyArray<string>) => [
  accountsOf(addresses),
  { method: "getMinimumBalanceForRentExemption", params: [0, { commitment }] }
]

const stakesOf = (address: string) => ({
  method: "getProgramAccounts",
  params: [
    stakeProgram,
    {
      commitment,
      encoding: "base64",
      dataSlice: { offset: 0, length: 0 },
      filters: [{ dataSize: stakeSize }, { memcmp: { offset: withdrawerAt, bytes: address } }]
    }
  ]
})

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

const sumOf = (stakes: typeof StakeAccounts.Type): Either.Either<bigint, Fault> => {
  // An account may be listed twice.
  const accounts = byKeyOrFault(stakes.map(({ account, pubkey }) => [pubkey, BigInt(account.lamports)]))
  return Either.filterOrLeft(
    Either.map(accounts, (found) => [...found.values()].reduce((total, lamports) => total + lamports, 0n)),
    isPossible(solana),
    () => impossible
  )
}

const readBatch = (node: Endpoint, addresses: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [first, second] = yield* callAll(node, accountsAndMinimum(addresses), exact)
    const { value } = yield* Either.mapLeft(decoded(Accounts, first), node.fault)
    const accounts = yield* currentAccounts(node, value, addresses.length)
    const minimum = BigInt(yield* Either.mapLeft(decoded(Lamports, second), node.fault))
    // Many public nodes reject this method: the other parts must not depend on it.
    const stakes = yield* Effect.either(callAll(node, addresses.map(stakesOf), { ...exact, perCall: true }))
    return addresses.map((_, index) => {
      const account = Either.mapLeft(decodeAccount(accounts[index]), () => unread(node.fault(notUnderstood)))
      const own = Either.flatMap(stakes, (all) =>
        Either.mapLeft(Either.flatMap(decoded(StakeAccounts, all[index]), sumOf), node.fault)
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
export const breakdown = (nodes: Upstream): BreakdownReader => ({
  parts: ["spendable", "reserved", "staked"],
  read: (addresses) =>
    nodes
      .over((node) => readBatch(node, addresses), { isWhole: (details) => details.every(Either.isRight) })
      .pipe(Effect.catchAll((error) => Effect.succeed(addresses.map(() => Either.left(unread(error))))))
})
