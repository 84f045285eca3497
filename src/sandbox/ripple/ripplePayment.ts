import { base58xrp } from "@scure/base"
import * as Either from "effect/Either"
import * as IssuedToken from "../../chains/ripple/IssuedToken.ts"
import * as RippleAddress from "../../chains/ripple/RippleAddress.ts"
import { keys, parse, type RippleTransaction } from "../../chains/ripple/RippleTransaction.ts"
import * as World from "../world/World.ts"

// Payments in the binary format (xrpl.org/docs/references/protocol/binary-format).

/** An amount of drops, or of a token's base units. */
export interface PaidAmount {
  readonly amount: bigint
  /** The native coin without it. */
  readonly contract?: World.Contract
}

/** A payment as its sender signed it. */
export interface SignedPayment extends PaidAmount {
  readonly transaction: RippleTransaction
  readonly account: string
  readonly destination: string
  readonly fee: bigint
  readonly sequence: number
  /** The last ledger that may have it. */
  readonly lastLedger: number | undefined
  readonly publicKey: Uint8Array
  readonly signature: Uint8Array
}

const accountBytes = (address: string): Buffer => Buffer.from(base58xrp.decode(address).subarray(1, 21))

/** A standard code is three letters between zeros; others are 20 bytes. */
const currencyBytes = (currency: string): Buffer => {
  const bytes = Buffer.alloc(20)
  if (currency.length === 40) bytes.write(currency, "hex")
  else bytes.write(currency, 12, "latin1")
  return bytes
}

/** Undefined for a token that the world does not have, or for more digits than its base units have. */
const amountOf = (platform: string | undefined, bytes: Uint8Array): PaidAmount | undefined => {
  const view = Buffer.from(bytes)
  const value = view.readBigUInt64BE()
  if (bytes.length === 8) return value >> 62n === 1n ? { amount: value & ((1n << 62n) - 1n) } : undefined
  const contract = World.contractsOn(platform).find(({ address }) => {
    const issued = Either.getOrUndefined(IssuedToken.parse(address))
    return (
      issued !== undefined &&
      Buffer.concat([currencyBytes(issued.currency), accountBytes(issued.issuer)]).equals(view.subarray(8))
    )
  })
  if (bytes.length !== 48 || value >> 62n !== 3n || contract === undefined) return undefined
  const exponent = Number((value >> 54n) & 255n) - 97 + contract.decimals
  const mantissa = value & ((1n << 54n) - 1n)
  const unit = 10n ** BigInt(Math.abs(exponent))
  if (exponent >= 0) return { amount: mantissa * unit, contract }
  return mantissa % unit === 0n ? { amount: mantissa / unit, contract } : undefined
}

const payment = 0

/** Left is what rippled says of a transaction that the simulated ledger does not do. */
export const read = (
  platform: string | undefined,
  text: string
): Either.Either<SignedPayment, "invalid" | "disabled"> =>
  Either.flatMap(
    Either.mapLeft(parse(text), () => "invalid" as const),
    (transaction) => {
      const value = (key: string) => transaction.fields.find((field) => field.key === key)?.value
      const integer = (key: string) => BigInt(`0x${Buffer.from(value(key) ?? []).toString("hex") || "0"}`)
      const number = (key: string) => Number(integer(key))
      const amount = amountOf(platform, value(keys.amount) ?? Buffer.alloc(8))
      const [account, destination] = [value(keys.account), value(keys.destination)]
      if (number(keys.transactionType) !== payment || amount === undefined) return Either.left("disabled" as const)
      if (account === undefined || destination === undefined) return Either.left("invalid" as const)
      return Either.right({
        ...amount,
        transaction,
        account: RippleAddress.ofAccount(account),
        destination: RippleAddress.ofAccount(destination),
        fee: integer(keys.fee) & ((1n << 62n) - 1n),
        sequence: number(keys.sequence),
        lastLedger: value(keys.lastLedgerSequence) === undefined ? undefined : number(keys.lastLedgerSequence),
        publicKey: value(keys.signingPublicKey) ?? new Uint8Array(),
        signature: value(keys.signature) ?? new Uint8Array()
      })
    }
  )
