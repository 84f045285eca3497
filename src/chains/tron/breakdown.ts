import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { tron } from "../../catalogue/tron.ts"
import { each } from "../../kernel/each.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { BreakdownReader, DetailedBalance } from "../Chain.ts"
import { impossible, isPossible } from "../kit/holdings/amounts.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { nativeCall } from "./balances.ts"
import type { TronProvider } from "./Provider.ts"

// Staked TRX of an account (developers.tron.network/docs/staking-on-tron-mainnet): for itself or delegated, under Stake
// 1.0 or 2.0, and amounts that it is unstaking. The balance includes none of it, nor voting rewards.

/** Without an account, it was never activated, or the response is wrong. A second call reads the balance. */
const inactive = (trongrid: TronProvider, address: string): Effect.Effect<DetailedBalance, UpstreamError> =>
  Effect.flatMap(trongrid.balances([nativeCall(address)]), ([amount = Option.none()]) =>
    Option.contains(amount, 0n)
      ? Effect.succeed({ amount: 0n, parts: { spendable: 0n, staked: 0n, rewards: 0n } })
      : trongrid.fault({ reason: "bad_answer", detail: "returned an empty account that is in use" })
  )

const readAccount = (trongrid: TronProvider, address: string): Effect.Effect<DetailedBalance, UpstreamError> =>
  Effect.gen(function* () {
    const [account] = yield* Effect.all([trongrid.staked(address), trongrid.isCurrent], { concurrency: 2 })
    if (account === undefined) return yield* inactive(trongrid, address)
    const { balance, staked } = account
    if (!isPossible(tron)(staked + balance)) return yield* trongrid.fault(impossible)
    const rewards = yield* Effect.either(trongrid.rewards(address))
    const parts = { spendable: balance, staked }
    return Either.isRight(rewards)
      ? { amount: balance, parts: { ...parts, rewards: rewards.right } }
      : { amount: balance, parts, missing: unread(rewards.left) }
  })

/** Two calls per address. */
export const breakdown = (trongrid: TronProvider): BreakdownReader => ({
  parts: ["spendable", "staked", "rewards"],
  read: (addresses) =>
    each(addresses, (address) => Effect.either(Effect.mapError(readAccount(trongrid, address), unread)))
})
