import { closeBrace, closeBracket, comma, endOfString, openBrace, openBracket, quote } from "./jsonText.ts"

/** Characters of a slice: it is parsed in well under a millisecond. */
const sliceLength = 32_768

/** The most characters of an element: a longer one would be parsed at once. */
const maxElement = 65_536

/**
 * A long JSON array as shorter ones with the same elements in the same order, so that parsing it can be done bit by bit.
 * Undefined for a part from which on the text is no array, or has an element that is too long.
 */
export function* jsonSlices(text: string): Generator<string | undefined> {
  let at = text.search(/\S/)
  if (text.charCodeAt(at) !== openBracket) return yield undefined
  let depth = 1
  let from = at + 1
  let begin = from
  for (at = from; at < text.length && depth > 0; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (end === -1) return yield undefined
      at = end - 1
    } else if (code === openBracket || code === openBrace) depth++
    else if (code === closeBracket || code === closeBrace) depth--
    else if (code === comma && depth === 1) {
      if (at - begin > maxElement) return yield undefined
      begin = at + 1
      if (at - from >= sliceLength) {
        yield `[${text.slice(from, at)}]`
        from = at + 1
      }
    }
  }
  if (depth > 0 || text.charCodeAt(at - 1) !== closeBracket || at - begin > maxElement) return yield undefined
  if (text.slice(at).trim() !== "") return yield undefined
  yield `[${text.slice(from, at - 1)}]`
}
