import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import { formatUnits } from "viem/utils"

/**
 * Base units as an exact plain decimal string: no exponent, no trailing zeros (`1500000000000000000n` with 18 decimals
 * is `"1.5"`, zero is `"0"`).
 */
export const format = (baseUnits: bigint, decimals: number): string => formatUnits(baseUnits, decimals)

/** A decimal as a plain string without exponent and trailing zeros; `BigDecimal.format` writes `1e-18`. */
export const plain = (decimal: BigDecimal.BigDecimal): string => {
  const { scale, value } = BigDecimal.normalize(decimal)
  return scale <= 0 ? String(value * 10n ** BigInt(-scale)) : formatUnits(value, scale)
}

/** A finite positive number of US dollars as an exact decimal; none if the number cannot be a price. */
export const price = (usd: number): Option.Option<BigDecimal.BigDecimal> =>
  usd > 0 ? BigDecimal.safeFromNumber(usd) : Option.none()

/** The exact value of base units at a price, without rounding. */
export const value = (baseUnits: bigint, decimals: number, usd: BigDecimal.BigDecimal): BigDecimal.BigDecimal =>
  BigDecimal.multiply(BigDecimal.make(baseUnits, decimals), usd)

/** Rounds a positive decimal half up to this number of significant digits. */
export const significant = (decimal: BigDecimal.BigDecimal, digits: number): BigDecimal.BigDecimal => {
  const { scale, value } = BigDecimal.normalize(decimal)
  const excess = String(value).length - digits
  if (excess <= 0) return decimal
  const unit = 10n ** BigInt(excess)
  return BigDecimal.make((value + unit / 2n) / unit, scale - excess)
}
