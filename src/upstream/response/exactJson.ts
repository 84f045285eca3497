import { endOfString, quote } from "../../kernel/jsonText.ts"

/** Found wherever a number has the 16 digits that the least integer beyond 2^53 has. */
const mayBeUnsafe = /(?:^|[:,[\s])-?\d{16}/

/** Begins a text that stands for an integer; no language has the character (private use). */
const mark = "\ue000"
const mayHaveMark = /\ue000|\\u[eE]000/

/** Long integers that one answer has at most: reading more of them takes longer than anything else may hold the event loop. */
const maxIntegers = 100_000

/** The reviver takes longer still; only what means harm has the character of the mark in it. */
const maxRevived = 1_000_000

/**
 * As JSON.parse, but integers beyond 2^53 keep all their digits: they are bigint. Where there are any, they are read as
 * texts and made integers afterwards, which takes less than half of the time that a reviver does. Undefined where they are
 * more than may be.
 */
export const parseExact = (text: string): unknown => {
  if (!mayBeUnsafe.test(text)) return JSON.parse(text)
  if (mayHaveMark.test(text)) return text.length > maxRevived ? undefined : JSON.parse(text, keepDigits)
  const readable = marked(text)
  return readable === undefined ? undefined : withIntegers(JSON.parse(readable))
}

const minus = 45
const isNumeric = (code: number) => (code >= 48 && code <= 57) || code === minus

/** All that a number may consist of. */
const number = /[-+.\w]+/y
const integer = /^-?(?:0|[1-9]\d*)$/

/** The text with marked texts in the place of integers that a number cannot hold; undefined where there are too many. */
const marked = (text: string): string | undefined => {
  let found = ""
  let count = 0
  let taken = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = endOfString(text, at) - 1
      if (at < 0) break
    } else if (isNumeric(code)) {
      number.lastIndex = at
      const [token = ""] = number.exec(text) ?? []
      if (isUnsafe(token)) {
        if (++count > maxIntegers) return undefined
        found += `${text.slice(taken, at)}"${mark}${token}"`
        taken = at + token.length
      }
      at += Math.max(token.length, 1) - 1
    }
  }
  return taken === 0 ? text : found + text.slice(taken)
}

const isUnsafe = (token: string) => token.length >= 16 && integer.test(token) && !Number.isSafeInteger(Number(token))

/** What is marked becomes an integer, where it stands. */
const withIntegers = (value: unknown): unknown => {
  if (typeof value === "string") return value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = withIntegers(value[index])
  } else if (typeof value === "object" && value !== null)
    for (const [name, item] of Object.entries(value)) {
      const read = withIntegers(item)
      // Not an assignment: a member may have the name `__proto__`.
      if (read !== item)
        Object.defineProperty(value, name, { value: read, configurable: true, enumerable: true, writable: true })
    }
  return value
}

const keepDigits = function (this: unknown, _key: string, value: unknown, context?: { readonly source: string }) {
  return typeof value === "number" && context !== undefined && isUnsafe(context.source) ? BigInt(context.source) : value
} as (key: string, value: unknown) => unknown
