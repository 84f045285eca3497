import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { tron } from "../../catalogue/tron.ts"
import { each } from "../../kernel/each.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { BreakdownReader, DetailedBalance } from "../Chain.ts"
import { impossible, isPossible } from "../kit/holdings/amounts.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { nativeCall } from "./balances.ts"
import type { TronClient } from "./Client.ts"
import { Inactive, post, requestedAddress, Sun } from "./TronWire.ts"

// Staked TRX of an account (developers.tron.network/docs/staking-on-tron-mainnet): for itself or delegated, under Stake
// 1.0 or 2.0, and amounts that it is unstaking. The balance includes none of it, nor voting rewards.

const zero = { default: () => 0n }
const amount = Schema.optionalWith(Sun, zero)

const Frozen = Schema.Struct({ frozen_balance: amount })

/** Each was started in another block, so no two are equal. */
const Unfrozen = Schema.Array(
  Schema.Struct({
    type: Schema.optional(Schema.String),
    unfreeze_amount: amount,
    unfreeze_expire_time: Schema.optional(Schema.Unknown)
  })
).pipe(Schema.filter((rows) => new Set(rows.map((row) => Object.values(row).join())).size === rows.length))

const StakedAccount = (address: string) =>
  Schema.Struct({
    address: requestedAddress(address),
    balance: amount,
    frozen: Schema.optionalWith(Schema.Array(Frozen).pipe(Schema.maxItems(1)), { default: () => [] }),
    frozenV2: Schema.optionalWith(
      Schema.Array(
        Schema.Struct({ type: Schema.optionalWith(Schema.String, { default: () => "BANDWIDTH" }), amount })
      ).pipe(Schema.filter((rows) => new Set(rows.map(({ type }) => type)).size === rows.length)),
      { default: () => [] }
    ),
    unfrozenV2: Schema.optionalWith(Unfrozen, { default: () => [] }),
    delegated_frozen_balance_for_bandwidth: amount,
    delegated_frozenV2_balance_for_bandwidth: amount,
    account_resource: Schema.optionalWith(
      Schema.Struct({
        frozen_balance_for_energy: Schema.optionalWith(Frozen, { default: () => ({ frozen_balance: 0n }) }),
        delegated_frozen_balance_for_energy: amount,
        delegated_frozenV2_balance_for_energy: amount
      }),
      {
        default: () => ({
          frozen_balance_for_energy: { frozen_balance: 0n },
          delegated_frozen_balance_for_energy: 0n,
          delegated_frozenV2_balance_for_energy: 0n
        })
      }
    )
  })

type StakedAccount = Schema.Schema.Type<ReturnType<typeof StakedAccount>>

const AnyAccount = (address: string) => Schema.Union(StakedAccount(address), Inactive)

const Reward = Schema.Struct({ reward: amount })

const sum = (amounts: ReadonlyArray<bigint>) => amounts.reduce((total, item) => total + item, 0n)

/** All staked TRX, including amounts that are being unstaked. */
export const stakedIn = (account: StakedAccount): bigint => {
  const { account_resource: energy } = account
  return (
    sum(account.frozen.map((item) => item.frozen_balance)) +
    sum(account.frozenV2.map((item) => item.amount)) +
    sum(account.unfrozenV2.map((item) => item.unfreeze_amount)) +
    account.delegated_frozen_balance_for_bandwidth +
    account.delegated_frozenV2_balance_for_bandwidth +
    energy.frozen_balance_for_energy.frozen_balance +
    energy.delegated_frozen_balance_for_energy +
    energy.delegated_frozenV2_balance_for_energy
  )
}

/** An empty object: the account was never activated, or the response is wrong. A second call reads the balance. */
const inactive = (client: TronClient, address: string): Effect.Effect<DetailedBalance, UpstreamError> =>
  Effect.flatMap(client.balances([nativeCall(address)]), ([amount = Option.none()]) =>
    Option.contains(amount, 0n)
      ? Effect.succeed({ amount: 0n, parts: { spendable: 0n, staked: 0n, rewards: 0n } })
      : client.upstream.fault({ reason: "bad_answer", detail: "returned an empty account that is in use" })
  )

const readAccount = (client: TronClient, address: string): Effect.Effect<DetailedBalance, UpstreamError> =>
  Effect.gen(function* () {
    const { upstream: trongrid } = client
    const of = { address, visible: true }
    const [account] = yield* Effect.all(
      [trongrid.read(post("/wallet/getaccount", of), AnyAccount(address)), client.isCurrent],
      { concurrency: 2 }
    )
    if (!isStaked(account)) return yield* inactive(client, address)
    const staked = stakedIn(account)
    if (!isPossible(tron)(staked + account.balance)) return yield* trongrid.fault(impossible)
    const reward = yield* Effect.either(trongrid.read(post("/wallet/getReward", of), Reward))
    const parts = { spendable: account.balance, staked }
    return Either.isRight(reward)
      ? { amount: account.balance, parts: { ...parts, rewards: reward.right.reward } }
      : { amount: account.balance, parts, missing: unread(reward.left) }
  })

const isStaked = (account: object): account is StakedAccount => "frozenV2" in account

/** Two calls per address. */
export const breakdown = (client: TronClient): BreakdownReader => ({
  parts: ["spendable", "staked", "rewards"],
  read: (addresses) =>
    each(addresses, (address) => Effect.either(Effect.mapError(readAccount(client, address), unread)))
})
