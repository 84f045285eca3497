import * as Either from "effect/Either"
import type { TonContext } from "../../../../domain/TransactionContext.ts"
import type { ListedRow } from "../../../../upstream/response/rows.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { elector } from "../../Provider.ts"
import { walletKind } from "../../walletKinds.ts"
import { type AddressLookup, byAddress, lookup, stated } from "../rows.ts"
import type * as calls from "./calls.ts"

/**
 * What a response says about accounts; unused ones may be absent. The elector is requested along with them: a response
 * without it is incomplete and does not mean that the others are unused.
 */
const accountsIn = <A, B>(
  rows: ReadonlyArray<ListedRow<A>>,
  addresses: ReadonlyArray<string>,
  unused: B,
  read: (row: A) => Either.Either<B, unknown>
): Either.Either<AddressLookup<B>, Fault> => {
  const accounts = byAddress(rows, new Set([...addresses, elector]), stated, read)
  return Either.map(accounts.found.get(elector) ?? Either.left(noElector), () => lookup(accounts, Either.right(unused)))
}

/** The balances of accounts. */
export const balancesIn =
  (addresses: ReadonlyArray<string>) =>
  ({ accounts }: typeof calls.accountStates.response.Type): Either.Either<AddressLookup<bigint>, Fault> =>
    Either.filterOrLeft(
      accountsIn(accounts, addresses, 0n, ({ balance, status }) =>
        Either.fromNullable(balance ?? (status === "nonexist" || status === "uninit" ? 0n : undefined), () => status)
      ),
      (balanceOf) => Either.getOrElse(balanceOf(elector), () => 0n) > 0n,
      () => noElector
    )

type WalletState =
  Extract<(typeof calls.walletStates.response.Type)["wallets"][number], ListedRow<unknown>> extends ListedRow<infer Row>
    ? Row
    : never

/** The contexts of accounts. */
export const contextsIn =
  (addresses: ReadonlyArray<string>) =>
  ({ wallets }: typeof calls.walletStates.response.Type): Either.Either<AddressLookup<TonContext>, Fault> =>
    accountsIn(wallets, addresses, unused, toContext)

/** Left if an account in use has no balance, or a wallet no seqno. */
const toContext = ({
  balance,
  is_wallet: isWallet,
  seqno,
  status,
  wallet_id,
  wallet_type
}: WalletState): Either.Either<TonContext, string> => {
  const inUse = status !== "uninit" && status !== "nonexist"
  if (inUse && balance == null) return Either.left("no balance")
  const runs = status === "active" && isWallet !== false
  const kind = runs ? walletKind(wallet_type) : null
  // The first version and highload wallets have none that a get method returns.
  if (seqno == null && /^v[2-9]/.test(kind ?? "")) return Either.left("no seqno")
  return Either.right({
    family: "ton",
    state: status,
    seqno: runs ? (seqno ?? null) : inUse ? null : 0,
    wallet: kind,
    walletId: runs ? (wallet_id ?? null) : null,
    balance: String(balance ?? 0n)
  })
}

/** The context of an address that never received a message. */
const unused: TonContext = {
  family: "ton",
  state: "nonexist",
  seqno: 0,
  wallet: null,
  walletId: null,
  balance: "0"
}

const noElector: Fault = { reason: "bad_answer", detail: "returned no balance of an account that exists" }
