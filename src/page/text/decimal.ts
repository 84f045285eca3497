// Exact decimals in the format of the service: digits, an optional minus and fraction, no exponent.

/** More fraction digits than any value of the service has. */
const scale = 80

export const isDecimal = (text: string): boolean => /^-?\d{1,100}(\.\d{1,80})?$/.test(text)

const parse = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.replace("-", "").split(".")
  const units = BigInt(whole + fraction.padEnd(scale, "0"))
  return text.startsWith("-") ? -units : units
}

const write = (units: bigint): string => {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0")
  const fraction = digits.slice(-scale).replace(/0+$/, "")
  return `${units < 0n ? "-" : ""}${digits.slice(0, -scale)}${fraction === "" ? "" : `.${fraction}`}`
}

/** The exact sum of the valid decimals among the values. */
export const sum = (values: Iterable<string>): string => {
  let total = 0n
  for (const value of values) if (isDecimal(value)) total += parse(value)
  return write(total)
}

/** Converts an amount in base units to a decimal in coins; undefined if an argument is invalid. */
export const scaled = (baseUnits: string, decimals: number): string | undefined => {
  if (!/^-?\d{1,100}$/.test(baseUnits) || !Number.isInteger(decimals) || decimals < 0 || decimals > scale)
    return undefined
  return write(BigInt(baseUnits) * 10n ** BigInt(scale - decimals))
}

/** Base units times a decimal, cut to whole base units; undefined if an argument is invalid. */
export const multiplied = (baseUnits: string, factor: string): string | undefined =>
  /^-?\d{1,100}$/.test(baseUnits) && isDecimal(factor)
    ? String((BigInt(baseUnits) * parse(factor)) / 10n ** BigInt(scale))
    : undefined

/** A number as a decimal text without an exponent. */
export const plain = (value: number): string => {
  const [, sign = "", whole = "", fraction = "", exponent] =
    /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value)) ?? []
  if (exponent === undefined) return String(value)
  const places = Number(exponent) - fraction.length
  const digits = whole + fraction
  if (places >= 0) return sign + digits + "0".repeat(places)
  return scaled(sign + digits, -places) ?? String(value)
}
