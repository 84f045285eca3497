import { endOfString, quote } from "../../kernel/text/jsonText.ts"

/** Matches a number of 16 digits, as the least integer beyond 2^53 has. */
const mayBeUnsafe = /(?:^|[:,[\s])-?\d{16}/

/** The first character of a text that stands for an integer; no language has it (private use). */
const mark = "\ue000"
const mayHaveMark = /\ue000|\\u[eE]000/

/** The largest number of long integers in a response: more of them would block the event loop for too long. */
const maxIntegers = 100_000

/** The reviver is slower still; only a hostile response contains the mark. */
const maxRevived = 1_000_000

/**
 * As JSON.parse, but integers beyond 2^53 become bigint, with all their digits. They are parsed as texts and converted
 * afterwards, which takes less than half of the time of a reviver. Undefined where there are too many of them.
 */
export const parseExact = (text: string): unknown => {
  if (!mayBeUnsafe.test(text)) return JSON.parse(text)
  if (mayHaveMark.test(text)) return text.length > maxRevived ? undefined : JSON.parse(text, keepDigits)
  const readable = marked(text)
  return readable === undefined ? undefined : withIntegers(JSON.parse(readable))
}

const minus = 45
const isNumeric = (code: number) => (code >= 48 && code <= 57) || code === minus

/** All characters of a number. */
const number = /[-+.\w]+/y
const integer = /^-?(?:0|[1-9]\d*)$/

/** The text with unsafe integers replaced by marked texts; undefined where there are too many. */
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

/** Replaces marked texts by integers, in place. */
const withIntegers = (value: unknown): unknown => {
  if (typeof value === "string") return value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = withIntegers(value[index])
  } else if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value)) {
      const read = withIntegers(member)
      // Not an assignment: a member may have the name `__proto__`.
      if (read !== member)
        Object.defineProperty(value, name, { value: read, configurable: true, enumerable: true, writable: true })
    }
  return value
}

const keepDigits = function (this: unknown, _key: string, value: unknown, context?: { readonly source: string }) {
  return typeof value === "number" && context !== undefined && isUnsafe(context.source) ? BigInt(context.source) : value
} as (key: string, value: unknown) => unknown
