import type { Hex } from "viem"
import type { fromRlp } from "viem/utils"
import { incomplete, type SignedContent, type SignedPayment, tokenTransferIn } from "../../kit/sending/content.ts"

// The effects of a signed transaction by its fields.

export type Field = ReturnType<typeof fromRlp>

export const isBytes = (field: Field | undefined): field is Hex => typeof field === "string"

/** A number of up to 32 bytes without leading zeros. */
export const numberOf = (field: Field | undefined): bigint | undefined =>
  isBytes(field) && field.length <= 66 && !field.startsWith("0x00") ? (field === "0x" ? 0n : BigInt(field)) : undefined

/** The call of a transaction, and the most that it pays for its gas. */
export interface SignedCall {
  /** Undefined if it creates a contract. */
  readonly to: Hex | undefined
  readonly value: bigint
  readonly data: Hex
  readonly maxFee: bigint
  /** Contracts to which accounts delegate (EIP-7702). */
  readonly delegates: ReadonlyArray<Hex>
}

/** The place of the gas price among the fields, which is followed by gas, recipient, value and data. */
const pricePlaces: Readonly<Record<string, number>> = { legacy: 1, "0x01": 2, "0x02": 3, "0x03": 3, "0x04": 3 }

/** The gas of a blob (EIP-4844). */
const blobGas = 131_072n

/** The place of the price of blobs, before their hashes; and of the authorizations. */
const [blobPrice, authorizations] = [9, 9]

const isAddress = (field: Field | undefined): field is Hex => isBytes(field) && field.length === 42

const delegatesIn = (list: Field | undefined): ReadonlyArray<Hex> | undefined => {
  if (!Array.isArray(list)) return undefined
  const delegates = list.flatMap((authorization: Field) => {
    const [, address] = Array.isArray(authorization) ? authorization : []
    return isAddress(address) ? [address] : []
  })
  return delegates.length === list.length ? delegates : undefined
}

/** Reads the call of a transaction of a type; undefined if a field has another form. */
export const callIn = (type: string, fields: ReadonlyArray<Field>): SignedCall | undefined => {
  const place = pricePlaces[type] ?? 0
  const [price, gas] = fields.slice(place, place + 2).map(numberOf)
  const [to, amount, data] = fields.slice(place + 2, place + 5)
  const value = numberOf(amount)
  const hashes = type === "0x03" ? fields[blobPrice + 1] : []
  const perBlobGas = type === "0x03" ? numberOf(fields[blobPrice]) : 0n
  const delegates = type === "0x04" ? delegatesIn(fields[authorizations]) : []
  if (price === undefined || gas === undefined || value === undefined || perBlobGas === undefined) return undefined
  if (!(to === "0x" || isAddress(to)) || !isBytes(data) || !Array.isArray(hashes) || delegates === undefined)
    return undefined
  const maxFee = gas * price + blobGas * BigInt(hashes.length) * perBlobGas
  return { to: isAddress(to) ? to : undefined, value, data, maxFee, delegates }
}

/** What a call does with amounts. The recipient of coins may be a contract, which does more. */
const paymentsOf = ({ data, to, value }: SignedCall): ReadonlyArray<SignedPayment> => {
  if (value > 0n || data === "0x") return [{ ...(to === undefined ? {} : { to }), amount: value }]
  const transfer = tokenTransferIn(data)
  return transfer === undefined || to === undefined
    ? []
    : [{ to: `0x${transfer.to}`, token: to, amount: transfer.amount }]
}

/** What a transaction does. `isGasAll`: the network charges nothing besides gas. */
export const contentOf = (
  call: SignedCall,
  isGasAll: boolean
): Pick<SignedContent, "payments" | "calls" | "assumed" | "fee" | "unknown"> => {
  const { data, delegates, maxFee, to } = call
  const payments = paymentsOf(call)
  const assumed = payments.flatMap(({ token }) => token ?? [])
  const isCall = data !== "0x" && assumed.length === 0
  return {
    payments,
    calls: [...(isCall && to !== undefined ? [to] : []), ...delegates],
    ...(assumed.length === 0 ? {} : { assumed }),
    ...(isGasAll ? { fee: { amount: maxFee, isMaximum: true } } : {}),
    unknown: {
      ...incomplete([
        to === undefined && "it creates a contract",
        isCall && to !== undefined && "it calls a contract, which may move more",
        delegates.length > 0 && "it lets accounts delegate to contracts"
      ]),
      ...(isGasAll
        ? {}
        : { fee: `gas costs at most ${maxFee} base units; the network adds a fee for data that depends on the time` })
    }
  }
}
