import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import { encode } from "ripple-binary-codec"
import { formatUnits } from "viem/utils"
import * as IssuedToken from "../../chains/ripple/IssuedToken.ts"
import type { LedgerRow } from "../../chains/ripple/LedgerTransaction.ts"
import { hashOf } from "../../chains/ripple/RippleTransaction.ts"
import type { Move } from "../world/ledger.ts"

type RippleFields = Readonly<Record<string, unknown>> &
  Pick<
    Extract<typeof LedgerRow.Encoded, { readonly tx: unknown }>["tx"],
    "Account" | "Sequence" | "TransactionType"
  > & {
    readonly Fee: string
  }

/** A transaction of the ledger: its fields as nodes write them, and the bytes whose hash identifies it. */
export interface SignedRipple {
  readonly fields: RippleFields
  readonly blob: string
  /** In upper case. */
  readonly hash: string
  /** Result code of a sent transaction; absent for the generated past. */
  readonly code?: string
}

/** Serialises a transaction. */
const serialised = (all: Readonly<Record<string, unknown>>): SignedRipple => {
  const fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  const blob = encode(fields)
  return { fields: fields as RippleFields, blob, hash: hashOf(blob) }
}

/** Fields as nodes return them: payments have their amount twice. */
export const shown = ({ fields, hash }: SignedRipple) => ({
  ...fields,
  ...(fields.TransactionType === "Payment" ? { DeliverMax: fields.Amount } : {}),
  hash
})

/** 64 hexadecimal digits for these words, in upper case. */
export const digest = (...words: ReadonlyArray<string>) =>
  createHash("sha256").update(words.join("|")).digest("hex").toUpperCase()

/** A move between two accounts, from the perspective of the one that signs. */
export interface RippleParties {
  readonly from: string
  readonly to: string
  readonly sequence: number
  /** Ledger that includes the transaction. */
  readonly ledger: number
}

/**
 * The transaction of a move of the past, with more or other fields; one that is undefined is left out. Its signature is
 * invalid, because the sender's key is unknown.
 */
export const signed = (
  move: Move,
  { from, ledger, sequence, to }: RippleParties,
  more: Readonly<Record<string, unknown>>
): SignedRipple => {
  const amount = amountOf(move)
  const { fee, id, received } = move
  return serialised({
    ...(received === undefined
      ? { TransactionType: "Payment", Destination: to, Amount: amount }
      : { TransactionType: "OfferCreate", TakerGets: amount, TakerPays: String(received) }),
    Account: from,
    Fee: String(fee),
    Flags: 0,
    LastLedgerSequence: ledger + 18,
    Sequence: sequence,
    SigningPubKey: `ED${digest("key", from)}`,
    TxnSignature: `${digest("signature", id)}${id.slice(0, 64).toUpperCase()}`,
    ...more
  })
}

/** The issued token of a move; undefined for XRP. */
export const issuedOf = ({ contract }: Move) =>
  contract === undefined ? undefined : Either.getOrUndefined(IssuedToken.parse(contract.address))

/** Amounts of tokens have sixteen significant digits; more are cut off. */
const digits = 16

/** Amount of a token in decimal digits. */
export const tokenValue = (amount: bigint, decimals: number): string => {
  const spare = Math.max(0, String(amount < 0n ? -amount : amount).length - digits)
  return formatUnits(amount - (amount % 10n ** BigInt(spare)), decimals)
}

/** Amount of a move in the format of the ledger. */
export const amountOf = (move: Move) => {
  const { amount, contract } = move
  const issued = issuedOf(move)
  return issued && contract ? { ...issued, value: tokenValue(amount, contract.decimals) } : String(amount)
}
