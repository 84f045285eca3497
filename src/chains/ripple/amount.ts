import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ripple } from "../../catalogue/ripple.ts"

/** Drops in decimal digits, at most the total supply. */
export const Drops = Schema.String.pipe(
  Schema.pattern(/^\d{1,18}$/),
  Schema.filter((text) => BigInt(text) <= ripple.supply)
)

/** The fee of a transaction in drops: more than zero, and at most `maxTransferFee`, which no transfer ever costs. */
export const FeeDrops = Drops.pipe(Schema.filter((text) => BigInt(text) > 0n && BigInt(text) <= ripple.maxTransferFee))

/** An amount of the ledger: a decimal number of any scale. */
export interface Decimal {
  readonly digits: bigint
  /** The number of digits after the decimal point; never negative. */
  readonly scale: number
}

const number = /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i

/** Parses text with or without an exponent exactly; the result has no trailing zeros. */
export const decimal = (text: string): Option.Option<Decimal> => {
  const [, sign, whole = "", fraction = "", exponent = "0"] = number.exec(text) ?? []
  if (sign === undefined) return Option.none()
  const written = `${whole}${fraction}`.replace(/^0+(?=\d)/, "")
  if (/^0+$/.test(written)) return Option.some({ digits: 0n, scale: 0 })
  const digits = written.replace(/0+$/, "")
  const scale = fraction.length - Number(exponent) - (written.length - digits.length)
  const magnitude = BigInt(digits) * 10n ** BigInt(Math.max(-scale, 0))
  return Option.some({ digits: sign === "-" ? -magnitude : magnitude, scale: Math.max(scale, 0) })
}

export const zero: Decimal = { digits: 0n, scale: 0 }

export const plus = (a: Decimal, b: Decimal): Decimal => {
  const scale = Math.max(a.scale, b.scale)
  return { digits: a.digits * 10n ** BigInt(scale - a.scale) + b.digits * 10n ** BigInt(scale - b.scale), scale }
}

export const negated = ({ digits, scale }: Decimal): Decimal => ({ digits: -digits, scale })

/** In base units; smaller fractions are truncated. */
export const baseUnits = ({ digits, scale }: Decimal, decimals: number): bigint =>
  scale <= decimals ? digits * 10n ** BigInt(decimals - scale) : digits / 10n ** BigInt(scale - decimals)
