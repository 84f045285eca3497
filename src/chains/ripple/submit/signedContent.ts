import * as Option from "effect/Option"
import { incomplete, type SignedContent, type SignedPayment, unknownToken } from "../../kit/sending/content.ts"
import { baseUnits, decimal, zero } from "../amount.ts"
import { tokenOf } from "../BalanceChanges.ts"
import { usualDecimals } from "../IssuedToken.ts"
import { ofAccount } from "../RippleAddress.ts"
import type { SignedFields } from "./signedFields.ts"

// What a signed transaction says that it does (xrpl.org/docs/references/protocol/binary-format, amount fields).

type Paid = Pick<SignedPayment, "amount" | "token" | "decimals">

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex").toUpperCase()

const numberIn = (bytes: Uint8Array) => bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)

/** A sign, eight bits of the exponent and 54 bits of the digits. */
const issued = (bytes: Uint8Array): Paid => {
  const bits = numberIn(bytes.subarray(0, 8))
  const exponent = Number((bits >> 54n) & 255n) - 97
  const value = Option.getOrElse(decimal(`${bits & (2n ** 54n - 1n)}e${exponent}`), () => zero)
  const decimals = Math.max(usualDecimals, value.scale)
  const currency = hexOf(bytes.subarray(8, 28))
  return { token: tokenOf(ofAccount(bytes.subarray(28)), currency), amount: baseUnits(value, decimals), decimals }
}

/** XRP in drops, a multi-purpose token with its id, or a currency with its issuer. */
const paidIn = (bytes: Uint8Array): Paid => {
  if (bytes.length === 48) return issued(bytes)
  if (bytes.length === 33) return { token: hexOf(bytes.subarray(9)), amount: numberIn(bytes.subarray(1, 9)) }
  return { amount: numberIn(bytes) & (2n ** 62n - 1n) }
}

/** All forms have their sign in the same bit. Nodes refuse negative amounts. */
const isNegative = ([first = 0]: Uint8Array): boolean => (first & 0x40) === 0

const payment = 0

/** The flag of a payment that may deliver less. */
const partial = 0x0002_0000

/** Whether a text has the fields of all transactions, also of later amendments. */
export const isTransaction = ({ destination, fee, isRead, sender, type }: SignedFields): boolean =>
  isRead === true &&
  sender !== undefined &&
  fee?.length === 8 &&
  type !== undefined &&
  (type !== payment || destination !== undefined)

/** A payment with `SendMax` or `Paths` may spend another amount than it delivers, also of another token. */
const exchanged = (most: Uint8Array | undefined): string => {
  if (most === undefined) return "it may be exchanged on its way"
  const { amount, token } = paidIn(most)
  const coin = token === undefined ? "" : ` of ${token === unknownToken ? "an unknown token" : token}`
  return `it may be exchanged on its way, and spend up to ${amount} base units${coin}`
}

/** What a transaction does by its fields. */
export const contentOf = (fields: SignedFields): SignedContent => {
  const { amount, destination, fee, flags = 0, most, network, sender, sequence = 0, tag, ticket, type } = fields
  const nonce = sequence === 0 ? ticket : sequence
  const isPayment = type === payment && amount !== undefined
  const paid = isPayment && !isNegative(amount) ? paidIn(amount) : undefined
  const cost = fee === undefined || isNegative(fee) ? undefined : paidIn(fee).amount
  const to = destination === undefined ? {} : { to: destination }
  return {
    ...(sender === undefined ? {} : { from: sender }),
    payments: paid === undefined ? [] : [{ ...to, ...paid, ...(tag === undefined ? {} : { tag: String(tag) }) }],
    ...(cost === undefined ? {} : { fee: { amount: cost, isMaximum: false } }),
    ...(nonce === undefined ? {} : { nonce: BigInt(nonce) }),
    ...(network === undefined ? {} : { chainId: BigInt(network) }),
    unknown: {
      ...(cost === undefined ? { fee: "its fee is negative" } : {}),
      ...incomplete([
        !isPayment && "it is no payment",
        isPayment && paid === undefined && "its amount is negative",
        isPayment && (flags & partial) !== 0 && "it is a partial payment, which may deliver less",
        isPayment && (most !== undefined || fields.hasPaths) && exchanged(most),
        isPayment && fields.hasOthers && "it has fields that are not read",
        paid?.token === unknownToken && "the code of its currency is not valid"
      ])
    }
  }
}
