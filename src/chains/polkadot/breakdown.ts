import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { BreakdownReader, DetailedBalance, ReadFailure } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { type AssetHubAccount, balanceOf, partsOf } from "./balances.ts"
import { read } from "./providers/substrate/Substrate.ts"
import { type AccountBalance, accountKey, ledgerKey, stakedIn } from "./storage.ts"

// The ledgers of the staking pallet (paritytech/polkadot-sdk); staked coins are part of the account's reserved balance.

/**
 * Adds the coins that the account's ledger has staked. If the account has no ledger, the reserved coins may still be
 * staked: in a nomination pool, or under another account as the controller.
 */
export const toDetail = (balance: AccountBalance, ledger: Option.Option<bigint>): DetailedBalance => {
  const amount = balance.free + balance.reserved
  const { reserved, spendable } = partsOf(balance)
  const staked = Option.getOrElse(ledger, () => -1n)
  if (staked < 0n || staked > balance.reserved || (staked === 0n && balance.reserved > 0n))
    return { amount, parts: { spendable, reserved }, missing: unknownPurpose }
  return { amount, parts: { spendable, reserved: reserved - staked, staked } }
}

const unknownPurpose: ReadFailure = { reason: "bad_answer", message: "the purpose of the reserved coins is unknown" }

/** Reads one more storage value per account, in the same call. */
export const breakdown = (nodes: Upstream): BreakdownReader => ({
  parts: ["spendable", "reserved", "staked"],
  read: (addresses) => {
    const accounts = addresses as ReadonlyArray<AssetHubAccount>
    const keys = accounts.flatMap((account) => [accountKey(account), ledgerKey(account)])
    return nodes
      .over((node) =>
        Effect.flatMap(read(node, keys), (values) =>
          Effect.mapError(
            Effect.forEach(accounts, (account) =>
              Either.map(balanceOf(values, account), (balance) =>
                toDetail(balance, stakedIn(values.get(ledgerKey(account)) ?? null, account))
              )
            ),
            node.fault
          )
        )
      )
      .pipe(
        Effect.map(Arr.map(Either.right)),
        Effect.catchAll((error) => Effect.succeed(addresses.map(() => Either.left(unread(error)))))
      )
  }
})
