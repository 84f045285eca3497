import { isDecimal } from "../text/decimal.ts"
import { amount } from "../text/format.ts"
import { locale } from "../text/language.ts"

/** An amount with all its digits. */
export const exact = (text: string): string => {
  if (!isDecimal(text)) return amount(text)
  const [whole = "", fraction] = text.replace("-", "").split(".")
  const point = new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === "decimal")?.value ?? "."
  const digits = new Intl.NumberFormat(locale).format(BigInt(whole))
  return `${text.startsWith("-") ? "-" : ""}${digits}${fraction === undefined ? "" : point + fraction}`
}
