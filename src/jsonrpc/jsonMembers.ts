import * as Either from "effect/Either"
import { closeBrace, closeBracket, comma, endOfString, openBrace, openBracket, quote } from "../kernel/jsonText.ts"

// JSON (RFC 8259) read as far as needed to hand its parts on as they were written: digits, spaces, escapes and all. That
// brackets and quotation marks close is checked, what is between them is not.

const colon = 58

const isBlank = (code: number) => code === 32 || code === 10 || code === 13 || code === 9

const skipBlanks = (text: string, from: number): number => {
  let at = from
  while (isBlank(text.charCodeAt(at))) at++
  return at
}

/** Lists and objects in one another: nothing is said so deep, and to remember more of them would cost memory. */
const maxDepth = 1_000_000

/** Behind the bracket that closes the one here; -1 where it does not close, or they are too deep. */
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

/** Reads the parts between two brackets; `part` gives the end of one, or -1. */
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

/** An object with more members than this is no message of JSON-RPC. */
const maxMembers = 1_000

export type Members = Readonly<Record<string, string | undefined>>

/**
 * The members of an object, each as its text; undefined for anything else, and for more than {@link maxMembers}. Of equal
 * names the last one holds.
 */
export const members = (text: string): Members | undefined => {
  const found: Record<string, string | undefined> = Object.create(null)
  let count = 0
  const whole = parts(text, openBrace, closeBrace, (from) => {
    if (text.charCodeAt(from) !== quote || ++count > maxMembers) return -1
    const end = endOfString(text, from)
    if (end === -1) return -1
    const at = skipBlanks(text, end)
    if (text.charCodeAt(at) !== colon) return -1
    const start = skipBlanks(text, at + 1)
    const behind = endOfValue(text, start)
    const name = behind === -1 ? undefined : nameIn(text.slice(from, end))
    if (name === undefined) return -1
    found[name] = text.slice(start, behind)
    return behind
  })
  return whole ? found : undefined
}

/** What a name means: `"\u0069d"` is `id`, for whoever reads it as JSON. Undefined where it means nothing. */
const nameIn = (quoted: string): string | undefined =>
  quoted.includes("\\") ? Either.getOrUndefined(Either.try(() => JSON.parse(quoted) as string)) : quoted.slice(1, -1)

/** The elements of an array, each as its text; undefined for anything else, and for more than `most`. */
export const elements = (text: string, most = Number.POSITIVE_INFINITY): ReadonlyArray<string> | undefined => {
  const found: Array<string> = []
  const whole = parts(text, openBracket, closeBracket, (from) => {
    if (found.length === most) return -1
    const behind = endOfValue(text, from)
    if (behind !== -1) found.push(text.slice(from, behind))
    return behind
  })
  return whole ? found : undefined
}
