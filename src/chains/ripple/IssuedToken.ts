import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { ripple } from "../../catalogue/ripple.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"
import * as RippleAddress from "./RippleAddress.ts"

/**
 * Default decimals, enough for usual amounts. The ledger has no decimals: an amount has up to 16 digits and an
 * exponent; a smaller amount gets more decimals, so that no precision is lost.
 */
export const usualDecimals = 15

// Currency codes: xrpl.org/docs/references/protocol/data-types/currency-formats.

/** A token of the ledger: a currency and its issuer. */
export interface IssuedCurrency {
  readonly issuer: string
  /** As nodes write it: a standard code of three characters, or 40 hexadecimal digits in upper case. */
  readonly currency: string
}

const standard = /^[A-Za-z0-9?!@#$%^&*<>(){}[\]|]{3}$/

/** Codes that could be confused with the native coin. */
const isXrp = (code: string) => code.toUpperCase() === "XRP"

/** The standard code in its 40-digit form: twelve zero bytes, the code, five zero bytes. */
const short = (hex: string): string | undefined => {
  const [, digits] = /^0{24}([0-9A-F]{6})0{10}$/.exec(hex) ?? []
  const code = digits === undefined ? "" : Buffer.from(digits, "hex").toString("latin1")
  return standard.test(code) ? code : undefined
}

/** Returns the canonical form of a currency code; a name of more than three characters becomes padded hex. */
export const currencyOf = (text: string): Either.Either<string, string> => {
  if (/^[0-9a-f]{40}$/i.test(text)) {
    const hex = text.toUpperCase()
    const code = short(hex) ?? (hex.startsWith("00") ? "" : hex)
    return code === "" || isXrp(code) ? Either.left(noCurrency) : Either.right(code)
  }
  if (standard.test(text)) return isXrp(text) ? Either.left(noCurrency) : Either.right(text)
  return /^[\x21-\x7e]{4,20}$/.test(text)
    ? Either.right(Buffer.from(text, "latin1").toString("hex").toUpperCase().padEnd(40, "0"))
    : Either.left(noCurrency)
}

/** `issuer.currency`: the id of a token in this service. */
export const keyOf = ({ currency, issuer }: IssuedCurrency): string => `${issuer}.${currency}`

const separator = "[.:+/_-]"
const issuerFirst = new RegExp(`^(r[1-9A-HJ-NP-Za-km-z]{24,34})${separator}(.+)$`)
const issuerLast = new RegExp(`^(.+)${separator}(r[1-9A-HJ-NP-Za-km-z]{24,34})$`)

/** Parses a token in any spelling: issuer and currency in either order, the currency as a code, as hex or as a name. */
export const parse = (text: string): Either.Either<IssuedCurrency, string> => {
  const [, last, issuerThere] = issuerLast.exec(text) ?? []
  const [, issuerHere, first] = issuerFirst.exec(text) ?? []
  const [issuer, currency] = issuerThere === undefined ? [issuerHere, first] : [issuerThere, last]
  if (issuer === undefined || currency === undefined)
    return Either.left("a token is its issuer's address, a dot and its currency code")
  return Either.all({
    issuer: Either.mapLeft(RippleAddress.parse(issuer), (problem) => `the issuer: ${problem}`),
    currency: currencyOf(currency)
  })
}

/** The display name of a currency: its code, or the name that its hexadecimal digits encode. */
export const symbolOf = (currency: string): string => {
  if (currency.length !== 40) return currency
  const name = Buffer.from(currency.replace(/(00)+$/, ""), "hex").toString("latin1")
  return /^[\x20-\x7e]+$/.test(name) ? name : currency
}

/** The name in the digits of a code, also of other scripts than Latin, so that it can be compared with others. */
export const nameOf = (currency: string): string => {
  const symbol = symbolOf(currency)
  if (symbol.length !== 40) return symbol
  const text = Buffer.from(symbol.replace(/(00)+$/, ""), "hex").toString("utf8")
  return /\ufffd|\0/.test(text) || text === "" ? symbol : text
}

const noCurrency = "a currency code is three characters (but not XRP), 40 hexadecimal digits, or a name of up to 20"

/** How the token list of the XRP Ledger is built. */
export const tokens: PlatformFacts = {
  platform: ripple.platform,
  canonical: (address) => Option.map(Either.getRight(parse(address)), keyOf),
  unlisted: { decimals: usualDecimals }
}
