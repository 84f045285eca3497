import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Amount from "./Amount.ts"
import type { Millis } from "./units.ts"

/**
 * How many displayed units a stored unit of a token represents, as an exact positive fraction. Contracts move stored
 * units; wallets display the product. An issuer changes the multiplier for a split or a dividend.
 */
export interface Multiplier {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** The multiplier in force, and the announced next one. */
export interface Scaling {
  readonly multiplier: Multiplier
  readonly change?: { readonly multiplier: Multiplier; readonly at: Millis }
}

/** Largest multiplier and largest inverse that are accepted; no known token is near. */
const max = 10n ** 24n

/** None if it is not positive, or beyond any real multiplier. */
export const make = (numerator: bigint, denominator: bigint): Option.Option<Multiplier> =>
  numerator > 0n && denominator > 0n && numerator <= denominator * max && denominator <= numerator * max
    ? Option.some({ numerator, denominator })
    : Option.none()

/** Reads a plain decimal such as `1.0057`. */
export const fromDecimal = (text: string): Option.Option<Multiplier> => {
  const [, whole, fraction = ""] = /^(\d{1,40})(?:\.(\d{1,60}))?$/.exec(text) ?? []
  return whole === undefined ? Option.none() : make(BigInt(whole + fraction), 10n ** BigInt(fraction.length))
}

export const fromNumber = (value: number): Option.Option<Multiplier> =>
  Option.flatMap(BigDecimal.safeFromNumber(value), (decimal) => fromDecimal(Amount.plain(decimal)))

export const isUnit = ({ denominator, numerator }: Multiplier): boolean => numerator === denominator

export const isEqual = (a: Multiplier, b: Multiplier): boolean =>
  a.numerator * b.denominator === b.numerator * a.denominator

/** The scaling of these multipliers. Undefined if stored amounts are displayed, and no change is announced. */
export const scalingOf = (multiplier: Multiplier, change?: Scaling["change"]): Scaling | undefined => {
  if (change !== undefined && !isEqual(multiplier, change.multiplier)) return { multiplier, change }
  return isUnit(multiplier) ? undefined : { multiplier }
}

/** The multiplier of a scaling; undefined if stored amounts are displayed. */
export const inForce = (scaling: Scaling | undefined): Multiplier | undefined =>
  scaling === undefined || isUnit(scaling.multiplier) ? undefined : scaling.multiplier

/** Stored base units as displayed base units, cut, never rounded up: a wallet never shows more than there is. */
export const displayed = (stored: bigint, multiplier: Multiplier | undefined): bigint =>
  multiplier === undefined ? stored : (stored * multiplier.numerator) / multiplier.denominator

/** The nearest double, for comparisons. */
export const toNumber = (multiplier: Multiplier): number => Number(format(multiplier))

/** Significant digits of a multiplier as text; a double has at most 17. */
const digits = 18

/** A plain decimal, cut to {@link digits} significant digits. */
export const format = ({ denominator, numerator }: Multiplier): string => {
  // The quotient has one digit more or less than the difference of the lengths.
  const scale = digits + String(denominator).length - String(numerator).length
  const shift = 10n ** BigInt(Math.abs(scale))
  const quotient = scale < 0 ? numerator / (denominator * shift) : (numerator * shift) / denominator
  const excess = String(quotient).length - digits
  return Amount.plain(
    excess > 0 ? BigDecimal.make(quotient / 10n ** BigInt(excess), scale - excess) : BigDecimal.make(quotient, scale)
  )
}
