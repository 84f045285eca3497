import { isDecimal } from "./decimal.ts"
import { isText, locale, type TextKey, t } from "./language.ts"

// Formats everything that the page displays. Decimals of the service are strings and stay exact: NumberFormat rounds a
// string by its digits.

type Exact = Parameters<Intl.NumberFormat["format"]>[0]

const formats = new Map<string, Intl.NumberFormat>()

const formatOf = (options: Intl.NumberFormatOptions): Intl.NumberFormat => {
  const name = JSON.stringify(options)
  const format = formats.get(name) ?? new Intl.NumberFormat(locale, options)
  formats.set(name, format)
  return format
}

const formatted = (text: string, options: Intl.NumberFormatOptions): string => formatOf(options).format(text as Exact)

/** Shown instead of an invalid value, which is never treated as zero. */
const unreadable = () => t("notANumber")

const national = new Set(Intl.supportedValuesOf("currency"))

/** Ounces of metal are formatted like coins: two decimals would be too few. */
const metals = new Set(["XAG", "XAU"])

const isNational = (currency: string): boolean => national.has(currency) && !metals.has(currency)

/** How to write an amount of money. US dollars are `$` in every region; other dollars are not. */
const styleOf = (currency: string): Intl.NumberFormatOptions => ({
  style: "currency",
  currency,
  currencyDisplay: currency === "USD" ? "narrowSymbol" : "symbol"
})

/** With the sign of a national currency, or with the code and more digits. */
const inCurrency = (text: string, currency: string, options: Intl.NumberFormatOptions): string =>
  isNational(currency)
    ? formatted(text, { ...styleOf(currency), ...options })
    : `${formatted(text, { maximumSignificantDigits: 6, ...options })} ${currency}`

const between = (text: string, low: number) => {
  const value = Math.abs(Number(text))
  return value > 0 && value < low
}

/** An amount of money: `$1,234.56`, or `< $0.01` for a positive amount that rounds to zero. */
export const money = (text: string, currency: string): string => {
  if (!isDecimal(text)) return unreadable()
  if (!isNational(currency)) return `${amount(text)} ${currency}`
  const options = styleOf(currency)
  // The fraction digits of the currency: two for dollars, none for yen.
  const least = 10 ** -(formatOf(options).resolvedOptions().maximumFractionDigits ?? 2)
  return between(text, least / 2) && !text.startsWith("-")
    ? `< ${formatted(String(least), options)}`
    : formatted(text, options)
}

/** From this amount on, numbers of a list have a short form; from the next, one with an exponent. */
const [short, scientific] = [1e9, 1e15]

/** An amount of money in a list: a large one in short form, so that it leaves room for its neighbours. */
export const listedMoney = (text: string, currency: string): string => {
  const size = Math.abs(Number(text))
  if (!isDecimal(text) || size < short) return money(text, currency)
  const notation = size < scientific ? "compact" : "scientific"
  return inCurrency(text, currency, { notation, maximumSignificantDigits: 4 })
}

/** The price of one unit, with more digits for smaller prices; `most` is the number of digits after the point from one on. */
export const price = (text: string, currency: string, most = 4): string => {
  if (!isDecimal(text)) return unreadable()
  const digits = between(text, 0.99995)
    ? { minimumSignificantDigits: 4, maximumSignificantDigits: 4 }
    : { minimumFractionDigits: 2, maximumFractionDigits: between(text, 10) ? most : 2 }
  return inCurrency(text, currency, isNational(currency) ? digits : {})
}

/** A price in a list: prices from one on have two digits after the point. */
export const listedPrice = (text: string, currency: string): string => price(text, currency, 2)

/** The digits after the point of small amounts of money in a column. */
const columnDigits = 4

/** A small amount of money in a column, such as a fee: `$0.0304`, `< $0.0001`. */
export const smallMoney = (text: string, currency: string): string => {
  if (!isDecimal(text) || !isNational(currency)) return price(text, currency)
  const options = { minimumFractionDigits: columnDigits, maximumFractionDigits: columnDigits }
  const least = 10 ** -columnDigits
  return between(text, least / 2)
    ? `< ${inCurrency(String(least), currency, options)}`
    : inCurrency(text, currency, options)
}

/** An amount of a coin is cut, as rounding may show more than there is. */
const cut = (text: string, options: Intl.NumberFormatOptions): string =>
  formatted(text, { ...options, roundingMode: "trunc" })

/** An amount of a coin, with up to eight fraction digits. */
export const amount = (text: string): string => {
  if (!isDecimal(text)) return unreadable()
  return between(text, 1e-8) ? "< 0.00000001" : cut(text, { maximumFractionDigits: 8 })
}

/** An amount in a list: fewer digits for larger amounts, such as `353.7M`. */
export const roughAmount = (text: string): string => {
  if (!isDecimal(text)) return unreadable()
  const size = Math.abs(Number(text))
  if (between(text, 1e-8)) return amount(text)
  if (between(text, 0.001)) return cut(text, { maximumSignificantDigits: 3 })
  if (size >= 1e6)
    return cut(text, { notation: size < scientific ? "compact" : "scientific", maximumSignificantDigits: 4 })
  return cut(text, { maximumFractionDigits: size >= 1000 ? 2 : size >= 1 ? 4 : 6 })
}

/** A number with three significant digits, such as a fee: `1.25`. */
export const rough = (text: string): string =>
  isDecimal(text) ? formatted(text, { maximumSignificantDigits: 3 }) : unreadable()

/** The most fraction digits of amounts in a column. */
const maxAligned = 6

/** Amounts of one coin in a column, with equal decimals: as many as the smallest needs for three significant digits. */
export const alignedAmounts = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const sizes = texts.filter(isDecimal).map((text) => Math.abs(Number(text)))
  if (sizes.some((size) => size >= 1e6)) return texts.map(roughAmount)
  const least = Math.min(...sizes.filter((size) => size > 0))
  const needed = Number.isFinite(least) ? Math.max(0, 2 - Math.floor(Math.log10(least))) : 0
  const longest = Math.max(0, ...texts.map((text) => (isDecimal(text) ? (text.split(".")[1]?.length ?? 0) : 0)))
  const digits = Math.min(needed, longest, maxAligned)
  return texts.map((text) =>
    !isDecimal(text) || between(text, 10 ** -digits)
      ? amount(text)
      : cut(text, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  )
}

/** A received or sent amount with its sign: `+1.5`, `−0.2`. */
export const signedAmount = (text: string): string =>
  isDecimal(text) && Number(text) !== 0
    ? roughAmount(text).replace(/^(< )?-?/, `$1${Number(text) > 0 ? "+" : "−"}`)
    : roughAmount(text)

/** A change with its sign: `+1.25%`. */
export const percent = (value: number): string =>
  formatted(String(value / 100), {
    style: "percent",
    signDisplay: "exceptZero",
    minimumFractionDigits: 2,
    maximumFractionDigits: 2
  })

/** The class of a change in percent: rising or falling, once it is rounded as {@link percent} shows it. */
export const direction = (value: number | null | undefined): string => {
  const rounded = Math.round(100 * (value ?? 0))
  return rounded > 0 ? "up" : rounded < 0 ? "down" : ""
}

/** A part of a whole from 0 to 1, in percent: `12.5%`. */
export const share = (value: number): string =>
  value > 0 && value < 0.001
    ? `< ${formatted("0.001", { style: "percent", maximumFractionDigits: 1 })}`
    : formatted(String(value), { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** A change of money with its sign: `+$12.50`. */
export const moneyChange = (value: number, currency: string): string =>
  inCurrency(String(value), currency, { signDisplay: "exceptZero" })

/** A number with separators: `1,234`. */
export const count = (value: number): string => formatted(String(value), {})

/** A large amount of money in short form: `$1.2T`. */
export const roughMoney = (value: number, currency: string): string =>
  inCurrency(String(value), currency, { notation: "compact", maximumSignificantDigits: 4 })

/** A number with its noun: `1 row`, `2 rows`. The key is of a text with two forms. */
export const counted = (value: number, key: TextKey): string => t(key, { count: value })

/** The first names of a list, and the number of the others. */
export const listed = (names: ReadonlyArray<string>, max: number): string =>
  names.slice(0, max).join(", ") + (names.length > max ? ` ${t("andMore", { count: names.length - max })}` : "")

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1]
] as const

/** Created at the first use: it takes long. */
const relative: { [numeric in Intl.RelativeTimeFormatNumeric]?: Intl.RelativeTimeFormat } = {}

/** The age of a time, both in ms: `3 hours ago`, `now`; never `yesterday`, as 47 hours can be two days. */
export const age = (at: number, now: number): string => {
  const seconds = Math.max(0, Math.round((now - at) / 1000))
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ["second", 1]
  const numeric = unit === "second" ? "auto" : "always"
  relative[numeric] ??= new Intl.RelativeTimeFormat(locale, { numeric })
  return relative[numeric].format(-Math.floor(seconds / size), unit)
}

/** A duration given in seconds: `12 sec`, `1.2 sec`, `20 minutes`, `1 hour`, `1.5 hours`. */
export const duration = (seconds: number): string => {
  const [unit, size] = seconds < 120 ? ["second", 1] : seconds < 3_570 ? ["minute", 60] : ["hour", 3_600]
  const value = size === 60 ? Math.round(seconds / size) : seconds / Number(size)
  const unitDisplay = size === 1 ? "short" : "long"
  return formatted(String(value), { style: "unit", unit: String(unit), unitDisplay, maximumFractionDigits: 1 })
}

/** The day of a UNIX time in seconds: `March 3, 2026`. */
export const day = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleDateString(locale, { day: "numeric", month: "long", year: "numeric" })

/** A UNIX time in seconds as local time: `Mar 3, 2026, 2:05 PM`. */
export const time = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" })

/** The time of day of a UNIX time in seconds: `2:05 PM`. */
export const clock = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleTimeString(locale, { timeStyle: "short" })

// Invisible characters and those that change the text direction: token names use them to imitate others.
const deceptive = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu

/** Sanitizes untrusted text, such as a token name: removes invisible characters and limits the length. */
export const sanitized = (text: string, max = 40): string => {
  const clean = text
    .slice(0, 10 * max)
    .replace(deceptive, "")
    .trim()
  return clean.length <= max ? clean : `${clean.slice(0, max)}…`
}

/** Text of a word of the service. Returns an unknown word unchanged. */
export const wordText = (prefix: string, word: string, values?: Readonly<Record<string, string | number>>): string => {
  const key = prefix + word
  return isText(key) ? t(key, values) : sanitized(word)
}

const ends = (untrusted: string, first: number, last: number): string => {
  const text = sanitized(untrusted, 300)
  return text.length <= first + last + 2 ? text : `${text.slice(0, first)}…${text.slice(-last)}`
}

/** The start and the end of an untrusted address: `0xd8dA6B…A96045`. */
export const shortened = (address: string): string => ends(address, 8, 6)

/** A shorter form for lists: `0xd8dA…6045`. */
export const abbreviated = (address: string): string => ends(address, 6, 4)
