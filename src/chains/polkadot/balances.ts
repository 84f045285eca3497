import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { polkadot } from "../../catalogue/polkadot.ts"
import type { Token } from "../../domain/Token.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { Holding, ReadFailure } from "../Chain.ts"
import { impossible, isWithin } from "../kit/holdings/amounts.ts"
import type { Values } from "./providers/substrate/Substrate.ts"
import {
  type AccountBalance,
  accountBalance,
  accountKey,
  assetBalance,
  assetMetadata,
  holderKey,
  metadataKey
} from "./storage.ts"

/** Input of `holdings` and `holding`: a public key in canonical form. */
export type AssetHubAccount = `0x${string}`

/** The storage keys needed for these accounts, without duplicates. */
export const keysOf = (
  accounts: ReadonlyArray<AssetHubAccount>,
  assets: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...assets.map(metadataKey),
  ...accounts.flatMap((account) => [accountKey(account), ...assets.map((asset) => holderKey(asset, account))])
]

/** Left if the account has an unexpected format: the node cannot be trusted. */
export const balanceOf = (values: Values, account: AssetHubAccount): Either.Either<AccountBalance, Fault> =>
  Either.filterOrLeft(
    Either.fromOption(accountBalance(values.get(accountKey(account)) ?? null), () => unknownForm),
    ({ free, frozen, reserved }) => [free + reserved, frozen].every(isWithin(polkadot.supply)),
    () => impossible
  )

/** The free and reserved coins, and the part of them that can be sent. */
const native = (values: Values, account: AssetHubAccount): Either.Either<Holding, Fault> =>
  Either.map(balanceOf(values, account), (balance) => ({
    asset: "native",
    amount: Either.right(balance.free + balance.reserved),
    parts: partsOf(balance)
  }))

const larger = (a: bigint, b: bigint) => (a > b ? a : b)

/**
 * Splits a balance into coins that can be sent without closing the account, and all other coins, including staked ones
 * (substrate/frame/balances of polkadot-sdk). Frozen coins may overlap reserved ones; the existential deposit remains.
 */
export const partsOf = ({ free, frozen, reserved }: AccountBalance) => {
  const spendable = larger(free - larger(frozen - reserved, polkadot.existentialDeposit), 0n)
  return { spendable, reserved: free + reserved - spendable }
}

/** The holding of an asset, even if it is zero. The chain's decimals take precedence. */
export const asset = (values: Values, account: AssetHubAccount, token: Token): Holding => {
  const metadata = assetMetadata(values.get(metadataKey(token.address)) ?? null)
  const balance = assetBalance(values.get(holderKey(token.address, account)) ?? null)
  if (Option.isSome(balance) && balance.value === 0n && Option.isNone(metadata))
    return { asset: token, amount: Either.right(0n) }
  return Option.isSome(metadata) && Option.isSome(balance)
    ? { asset: { ...token, decimals: metadata.value.decimals }, amount: Either.right(balance.value) }
    : { asset: token, amount: Either.left(broken) }
}

/** Native first, then the assets that have a balance or could not be read. */
export const all = (
  values: Values,
  account: AssetHubAccount,
  tokens: ReadonlyArray<Token>
): Either.Either<ReadonlyArray<Holding>, Fault> =>
  Either.map(native(values, account), (first) => [
    first,
    ...tokens
      .map((token) => asset(values, account, token))
      .filter(({ amount }) => Either.isLeft(amount) || amount.right > 0n)
  ])

const unknownForm: Fault = {
  reason: "bad_answer",
  detail: "the node returned an account in an unexpected format"
}

const broken: ReadFailure = { reason: "bad_answer", message: "the asset's balance or its decimals cannot be read" }
