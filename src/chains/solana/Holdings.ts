import { base58 } from "@scure/base"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { formatUnits } from "viem/utils"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import { byKey, uint64 } from "../amounts.ts"
import type { Holding, ReadFailure } from "../Chain.ts"

/** A u64 as a bare JSON number; beyond 2^53 it is decoded as a bigint. */
export const Lamports = Schema.Union(
  Schema.NonNegativeInt,
  Schema.NonNegativeBigIntFromSelf.pipe(Schema.lessThanOrEqualToBigInt(uint64))
)

/** `getMultipleAccounts`: null for an address that was never used. */
export const Accounts = Schema.Struct({ value: Schema.Array(Schema.NullOr(Schema.Struct({ lamports: Lamports }))) })

/** `getBalance`. */
export const Balance = Schema.Struct({ value: Lamports })

/** A u64 in decimal digits. */
const Units = Schema.String.pipe(
  Schema.pattern(/^\d{1,20}$/),
  Schema.filter((text) => BigInt(text) <= uint64)
)

export const TokenAmount = Schema.Struct({
  amount: Units,
  decimals: Schema.Int.pipe(Schema.between(0, 255)),
  /** The displayed amount, which includes the multiplier or the interest of a mint that has them. */
  uiAmountString: Schema.optional(Schema.String)
})

/** The bytes of mint, owner and amount, with which the accounts of both token programs start. */
export const accountHead = 72

const Bytes = Schema.Tuple(
  Schema.Uint8ArrayFromBase64.pipe(Schema.filter(({ length }) => length >= accountHead)),
  Schema.Literal("base64")
)

const Parsed = Schema.Struct({
  parsed: Schema.Struct({ info: Schema.Struct({ mint: Schema.NonEmptyString, tokenAmount: TokenAmount }) })
})

/** `getTokenAccountsByOwner` in either encoding: a node that cannot parse an account returns its bytes. */
export const TokenAccounts = Schema.Struct({
  value: Schema.Array(
    Schema.Struct({ pubkey: Schema.NonEmptyString, account: Schema.Struct({ data: Schema.Union(Bytes, Parsed) }) })
  )
})

/** `getAccountInfo`: null if the account does not exist; the content depends on the owning program. */
export const Account = Schema.Struct({ value: Schema.NullOr(Schema.Struct({ data: Schema.Unknown })) })

const Mint = Schema.Struct({
  parsed: Schema.Struct({
    type: Schema.Literal("mint"),
    info: Schema.Struct({ decimals: Schema.Int.pipe(Schema.between(0, 255)) })
  })
})

/** Native balances in the order of the addresses; zero for an address without an account. */
export const lamports = ({ value }: typeof Accounts.Type): ReadonlyArray<bigint> =>
  value.map((account) => BigInt(account?.lamports ?? 0))

/**
 * The balance of each mint over all of its accounts; empty accounts are skipped. None if a displayed amount is not a
 * number, or an account is listed with different values.
 */
export const amounts = (
  answers: ReadonlyArray<typeof TokenAccounts.Type>
): ReadonlyMap<string, Option.Option<bigint>> => {
  const sums = new Map<string, Option.Option<bigint>>()
  const listed = answers
    .flatMap(({ value }) => value)
    .map(({ account: { data }, pubkey }) => ({
      pubkey,
      ...("parsed" in data ? fromParsed(data.parsed.info) : fromBytes(data[0]))
    }))
  // An account may be listed twice.
  const accounts = byKey(listed.map((row) => [row.pubkey, row]))
  const known = [...accounts.values()].filter((row) => row !== undefined)
  const unknown = listed.filter(({ pubkey }) => accounts.get(pubkey) === undefined)
  for (const { amount, mint } of [...known, ...unknown.map(({ mint }) => ({ mint, amount: Option.none() }))]) {
    if (Option.contains(amount, 0n)) continue
    const before = sums.get(mint) ?? Option.some(0n)
    sums.set(
      mint,
      Option.zipWith(before, amount, (a, b) => a + b)
    )
  }
  return sums
}

const fromBytes = (data: Uint8Array) => ({
  mint: base58.encode(data.subarray(0, 32)),
  amount: Option.some(Buffer.from(data).readBigUInt64LE(64))
})

const fromParsed = ({ mint, tokenAmount }: (typeof Parsed.Type)["parsed"]["info"]) => ({
  mint,
  amount: shown(tokenAmount)
})

/**
 * Base units as wallets display them: a mint with scaled amounts (a share after a split) or with interest defines how
 * many units the stored ones represent, and prices are for those.
 */
const shown = ({ amount, decimals, uiAmountString }: typeof TokenAmount.Type): Option.Option<bigint> => {
  const stored = BigInt(amount)
  if (uiAmountString === undefined || uiAmountString === formatUnits(stored, decimals)) return Option.some(stored)
  const [, whole, fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(uiAmountString) ?? []
  return whole === undefined
    ? Option.none()
    : Option.some(BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, "0")))
}

const isMint = Schema.is(Mint)

/** The decimals of a mint; none if the account is not a mint, or does not exist. */
export const decimals = ({ value }: typeof Account.Type): Option.Option<number> =>
  isMint(value?.data) ? Option.some(value.data.parsed.info.decimals) : Option.none()

/** Wrapped SOL is a token in addition to the native coin, not the same amount counted twice. */
export const toHoldings = (
  native: bigint,
  balances: ReadonlyMap<string, Option.Option<bigint>>,
  tokenList: Option.Option<TokenList>
): ReadonlyArray<Holding> => [
  { asset: "native", amount: Either.right(native) },
  ...Array.from(balances).flatMap(([mint, amount]): ReadonlyArray<Holding> => {
    const asset = Option.getOrUndefined(tokenList)?.byAddress.get(mint)
    return asset === undefined ? [] : [{ asset, amount: Either.fromOption(amount, () => noNumber) }]
  })
]

const noNumber: ReadFailure = { reason: "bad_answer", message: "the balance of this mint is not a number" }
