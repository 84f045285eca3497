// Functions that scan JSON text without parsing it.

export const quote = 34
const backslash = 92
export const openBracket = 91
export const closeBracket = 93
export const openBrace = 123
export const closeBrace = 125
export const comma = 44

/** Index after the closing quotation mark of the string that starts at `from`; -1 if it is not closed. */
export const endOfString = (text: string, from: number): number => {
  let at = from
  while (true) {
    at = text.indexOf('"', at + 1)
    if (at === -1) return -1
    let before = at - 1
    while (text.charCodeAt(before) === backslash) before--
    if ((at - before) % 2 === 1) return at + 1
  }
}

/** Copies a part of a text, all of which would stay in memory with it. */
export const copied = (part: string): string => Buffer.from(part).toString()

export interface Measure {
  /** Maximum nesting of arrays and objects. */
  readonly depth: number
  /** Upper bound of the number of values: elements, members, and every array and object. */
  readonly values: number
}

/** Measures the value of a JSON text, which may be malformed. Allocates nothing and stops once a limit is exceeded. */
export const measure = (text: string, limits: Measure): Measure => {
  let depth = 0
  let deepest = 0
  let values = 1
  for (let at = 0; at < text.length && deepest <= limits.depth && values <= limits.values; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (end === -1) break
      at = end - 1
    } else if (code === comma) values++
    else if (code === openBracket || code === openBrace) {
      values++
      depth++
      if (depth > deepest) deepest = depth
    } else if (code === closeBracket || code === closeBrace) depth--
  }
  return { depth: deepest, values }
}
