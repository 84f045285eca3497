import * as Option from "effect/Option"
import { hexToBytes } from "viem/utils"

/** Maximum length of a name or symbol, bytes; a longer text is rejected. */
const maxBytes = 256

/** Hex digits of a word. */
const word = 64

/**
 * The text that a function returned: a string, or 32 bytes as old tokens return it, without the zeros that fill it. None
 * for `0x`, for a number, and for a text of more than 256 bytes. Bytes that are no UTF-8 become U+FFFD.
 */
export const decodeText = (hex: string): Option.Option<string> => {
  const digits = hex.slice(2)
  if (digits.length === word) return shortText(digits)
  const offset = numberAt(digits, 0)
  const size = offset === undefined ? undefined : numberAt(digits, 2 * offset)
  if (offset === undefined || size === undefined || size > maxBytes) return Option.none()
  const text = digits.slice(2 * offset + word, 2 * offset + word + 2 * size)
  return text.length === 2 * size ? textOf(text) : Option.none()
}

/** A word that starts with a zero and is not zero is a number. */
const shortText = (digits: string) => {
  const [text = ""] = /^(?:(?!00)..)*/.exec(digits) ?? []
  return text === "" && !/^0+$/.test(digits) ? Option.none<string>() : textOf(text)
}

/** The number in a word; undefined if the data is shorter, or the number larger than any position in it. */
const numberAt = (digits: string, from: number): number | undefined => {
  const value = Number(`0x${digits.slice(from, from + word)}`)
  return digits.length >= from + word && value <= digits.length ? value : undefined
}

/** Keeps a byte order mark, which is one of the characters without width. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const textOf = (digits: string): Option.Option<string> =>
  Option.map(Option.liftPredicate(digits, isBytes), (bytes) =>
    decoder.decode(hexToBytes(`0x${bytes}`)).replace(/\0+$/, "")
  )

const isBytes = (digits: string) => /^(?:[0-9a-f]{2})*$/i.test(digits)
