import * as Encoding from "effect/Encoding"

const mark = "{apiKey}"

/**
 * Replaces secrets in texts in every spelling: literal, percent-encoded (also twice), with JSON escapes, or in base64;
 * escapes may be mixed and their digits in either case. Build it once for many texts.
 */
export const concealing = (secrets: ReadonlyArray<string>): ((text: string) => string) => {
  const patterns = [...new Set(secrets.filter((secret) => secret !== ""))]
    .flatMap(forms)
    // The longest first: a secret may be a part of another.
    .sort((a, b) => b.text.length - a.text.length)
    .map(({ padding, text }) => `${Array.from(text, spellings).join("")}(?:${spellings("=")}){0,${padding}}`)
  if (patterns.length === 0) return (text) => text
  const secret = new RegExp(patterns.join("|"), "g")
  return (text) => text.replace(secret, mark)
}

/** The secret, and its base64 in both alphabets, with optional padding. */
const forms = (secret: string) => {
  const padded = Encoding.encodeBase64(secret)
  const text = padded.replace(/=+$/, "")
  const padding = padded.length - text.length
  return [
    { text: secret, padding: 0 },
    { text, padding },
    { text: text.replaceAll("+", "-").replaceAll("/", "_"), padding }
  ]
}

/** A pattern for all spellings of one character. */
const spellings = (character: string): string => {
  const percent = Array.from(Buffer.from(character), (byte) => `%(?:25)*${hex(byte, 2)}`).join("")
  const unicode = character
    .split("")
    .map((unit) => `\\\\{1,3}u${hex(unit.charCodeAt(0), 4)}`)
    .join("")
  const own = `${escapedInJson.test(character) ? "\\\\{0,3}" : ""}${RegExp.escape(character)}`
  // The character itself comes last, because a percent sign starts its own escape.
  return `(?:${percent}|${unicode}|${character === " " ? "\\+|" : ""}${own})`
}

const escapedInJson = /["\\/]/

/** Hexadecimal digits in either case. */
const hex = (value: number, digits: number): string =>
  value
    .toString(16)
    .padStart(digits, "0")
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
