import { isDecimal } from "./decimal.ts"

// Everything that the page writes for people is formatted here. Decimals of the service are texts and stay exact: a
// NumberFormat rounds a text by its digits.

/** The language of the page. */
const locale = "en"

type Exact = Parameters<Intl.NumberFormat["format"]>[0]

const formats = new Map<string, Intl.NumberFormat>()

const formatted = (text: string, options: Intl.NumberFormatOptions): string => {
  const name = JSON.stringify(options)
  const format = formats.get(name) ?? new Intl.NumberFormat(locale, options)
  formats.set(name, format)
  return format.format(text as Exact)
}

/** What stands where a value is unreadable: it is never taken for zero. */
const unreadable = "not a number"

const national = new Set(Intl.supportedValuesOf("currency"))

/** Ounces of metal are counted like coins: a cent of one is much. */
const metals = new Set(["XAG", "XAU"])

const isNational = (currency: string): boolean => national.has(currency) && !metals.has(currency)

const between = (text: string, low: number) => {
  const value = Math.abs(Number(text))
  return value > 0 && value < low
}

/** An amount of money: `$1,234.56`, or `< $0.01` for what is more than nothing. */
export const money = (text: string, currency: string): string => {
  if (!isDecimal(text)) return unreadable
  if (!isNational(currency)) return `${amount(text)} ${currency}`
  const options = { style: "currency", currency } as const
  return between(text, 0.005) && !text.startsWith("-") ? `< ${formatted("0.01", options)}` : formatted(text, options)
}

/** The price of one: with more digits the smaller it is. */
export const price = (text: string, currency: string): string => {
  if (!isDecimal(text)) return unreadable
  const digits = between(text, 1)
    ? { maximumSignificantDigits: 4 }
    : { minimumFractionDigits: 2, maximumFractionDigits: between(text, 100) ? 4 : 2 }
  if (!isNational(currency)) return `${formatted(text, { maximumSignificantDigits: 6 })} ${currency}`
  return formatted(text, { style: "currency", currency, ...digits })
}

/** An amount of a coin: up to eight digits after the point. */
export const amount = (text: string): string => {
  if (!isDecimal(text)) return unreadable
  return between(text, 0.000000005) ? "< 0.00000001" : formatted(text, { maximumFractionDigits: 8 })
}

/** An amount that comes or goes, with its sign: `+1.5`, `−0.2`. */
export const signedAmount = (text: string): string =>
  isDecimal(text) && Number(text) > 0 ? `+${amount(text)}` : amount(text).replace("-", "−")

/** A change with its sign: `+1.25 %`. */
export const percent = (value: number): string =>
  `${formatted(String(value), { signDisplay: "exceptZero", minimumFractionDigits: 2, maximumFractionDigits: 2 })} %`

/** A change of money with its sign: `+$12.50`. */
export const moneyChange = (value: number, currency: string): string =>
  isNational(currency)
    ? formatted(String(value), { style: "currency", currency, signDisplay: "exceptZero" })
    : `${formatted(String(value), { signDisplay: "exceptZero", maximumSignificantDigits: 6 })} ${currency}`

/** `1,234` */
export const count = (value: number): string => formatted(String(value), {})

/** `1 row`, `2 rows`. */
export const counted = (value: number, noun: string, plural = `${noun}s`): string =>
  `${count(value)} ${value === 1 ? noun : plural}`

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1]
] as const

const relative = new Intl.RelativeTimeFormat(locale, { numeric: "always" })

/** How long ago a time was, both in ms: `3 hours ago`. */
export const age = (at: number, now: number): string => {
  const seconds = Math.max(0, Math.round((now - at) / 1000))
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ["second", 1]
  return relative.format(-Math.floor(seconds / size), unit)
}

/** How long something takes, in seconds: `12 s`, `1.2 s`, `20 minutes`, `4 hours`. */
export const duration = (seconds: number): string => {
  if (seconds < 120) return `${count(seconds)} s`
  return seconds < 7_200 ? counted(Math.round(seconds / 60), "minute") : counted(Math.round(seconds / 3_600), "hour")
}

/** A day, of UNIX time in seconds: `3 March 2026`. */
export const day = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" })

/** A time of the reader's clock, of UNIX time in seconds: `3 Mar 2026, 14:05`. */
export const time = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })

/** The beginning and the end of an address: `0xd8dA…6045`. */
export const shortened = (address: string): string =>
  address.length <= 16 ? address : `${address.slice(0, 8)}…${address.slice(-6)}`

// Letters that change the direction of what follows, or are invisible: names of tokens use them to look like others.
const deceptive = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu

/** A text that a stranger has chosen, such as the name of a token: visible characters, and not too many of them. */
export const foreign = (text: string, max = 40): string => {
  const clean = text
    .slice(0, 10 * max)
    .replace(deceptive, "")
    .trim()
  return clean.length <= max ? clean : `${clean.slice(0, max)}…`
}
