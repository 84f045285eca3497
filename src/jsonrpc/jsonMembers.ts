import * as Either from "effect/Either"
import { closeBrace, closeBracket, comma, endOfString, openBrace, openBracket, quote } from "../kernel/text/jsonText.ts"

// Splits JSON (RFC 8259) into parts and preserves their text: digits, spaces and escapes. Checks that brackets and
// quotation marks are closed, but not the text between them.

const colon = 58

const isBlank = (code: number) => code === 32 || code === 10 || code === 13 || code === 9

const skipBlanks = (text: string, from: number): number => {
  let at = from
  while (isBlank(text.charCodeAt(at))) at++
  return at
}

/** Maximum depth of nested arrays and objects; each level takes memory. */
const maxDepth = 1_000_000

/** End of an array or object; -1 if it is not closed or nested too deeply. */
const endOfNested = (text: string, from: number): number => {
  const open: Array<number> = []
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = endOfString(text, at) - 1
      if (at < 0) return -1
    } else if (code === openBrace || code === openBracket) {
      if (open.push(code === openBrace ? closeBrace : closeBracket) > maxDepth) return -1
    } else if (code === closeBrace || code === closeBracket) {
      if (open.pop() !== code) return -1
      if (open.length === 0) return at + 1
    }
  }
  return -1
}

const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=[\s,\]}]|$)/y

const endOfScalar = (text: string, from: number): number => {
  scalar.lastIndex = from
  return scalar.test(text) ? scalar.lastIndex : -1
}

const endOfValue = (text: string, from: number): number => {
  const code = text.charCodeAt(from)
  if (code === quote) return endOfString(text, from)
  return code === openBrace || code === openBracket ? endOfNested(text, from) : endOfScalar(text, from)
}

/** Reads the parts between two brackets; `part` returns the end of the part at a position, or -1. */
const parts = (text: string, open: number, close: number, part: (from: number) => number): boolean => {
  let at = skipBlanks(text, 0)
  if (text.charCodeAt(at) !== open) return false
  at = skipBlanks(text, at + 1)
  if (text.charCodeAt(at) === close) return skipBlanks(text, at + 1) === text.length
  while (true) {
    at = part(at)
    if (at === -1) return false
    at = skipBlanks(text, at)
    const code = text.charCodeAt(at)
    if (code === close) return skipBlanks(text, at + 1) === text.length
    if (code !== comma) return false
    at = skipBlanks(text, at + 1)
  }
}

/** An object with more members is not a message of JSON-RPC. */
const maxMembers = 1_000

export type Members = Readonly<Record<string, string | undefined>>

/**
 * Members of an object, each as its text; undefined for other values, and for more than {@link maxMembers}. If a name
 * occurs several times, the last member counts.
 */
export const members = (text: string): Members | undefined => {
  const found: Record<string, string | undefined> = Object.create(null)
  let count = 0
  const whole = parts(text, openBrace, closeBrace, (from) => {
    if (text.charCodeAt(from) !== quote || ++count > maxMembers) return -1
    const nameEnd = endOfString(text, from)
    if (nameEnd === -1) return -1
    const at = skipBlanks(text, nameEnd)
    if (text.charCodeAt(at) !== colon) return -1
    const start = skipBlanks(text, at + 1)
    const end = endOfValue(text, start)
    const name = end === -1 ? undefined : nameIn(text.slice(from, nameEnd))
    if (name === undefined) return -1
    found[name] = text.slice(start, end)
    return end
  })
  return whole ? found : undefined
}

/** A name without its escapes: `"\u0069d"` is `id`. Undefined if an escape is invalid. */
const nameIn = (quoted: string): string | undefined =>
  quoted.includes("\\") ? Either.getOrUndefined(Either.try(() => JSON.parse(quoted) as string)) : quoted.slice(1, -1)

/** Elements of an array, each as its text; undefined for other values, and for more than `max`. */
export const elements = (text: string, max = Number.POSITIVE_INFINITY): ReadonlyArray<string> | undefined => {
  const found: Array<string> = []
  const whole = parts(text, openBracket, closeBracket, (from) => {
    if (found.length === max) return -1
    const end = endOfValue(text, from)
    if (end !== -1) found.push(text.slice(from, end))
    return end
  })
  return whole ? found : undefined
}
