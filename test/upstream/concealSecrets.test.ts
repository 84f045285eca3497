import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { concealing } from "../../src/kernel/text/concealSecrets.ts"

const upper = (escape: string) => escape.replace(/[0-9a-f]{2,4}$/i, (digits) => digits.toUpperCase())

const percent = (text: string) =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")

const unicode = (text: string) =>
  text
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

/** Ways to write one character. */
const spellings: ReadonlyArray<(character: string) => string> = [
  (character) => character,
  encodeURIComponent,
  percent,
  (character) => Array.from(percent(character).match(/%../g) ?? [], upper).join(""),
  (character) => encodeURIComponent(percent(character)),
  unicode,
  (character) => Array.from(unicode(character).match(/\\u..../g) ?? [], upper).join(""),
  (character) => JSON.stringify(character).slice(1, -1),
  (character) => JSON.stringify(unicode(character)).slice(1, -1),
  (character) => (character === "/" ? "\\/" : character),
  (character) => (character === " " ? "+" : character)
]

const character = FastCheck.oneof(
  FastCheck.constantFrom(..."abcXYZ0189-_.~+/=:@&?%#\"'\\<> {}[]()|^$*"),
  FastCheck.constantFrom("é", "ß", "中", "😀")
)
const secret = FastCheck.array(character, { minLength: 8, maxLength: 24 }).map((all) => all.join(""))

/** A secret, and one way to write each of its characters. */
const spelt = FastCheck.tuple(secret, FastCheck.infiniteStream(FastCheck.nat({ max: spellings.length - 1 }))).map(
  ([secret, choices]) => ({
    secret,
    written: Array.from(secret, (text) => spellings[choices.next().value ?? 0]?.(text) ?? text).join("")
  })
)

describe("a secret", () => {
  it("is found in every spelling, mixed in any way", () => {
    FastCheck.assert(
      FastCheck.property(spelt, ({ secret, written }) => {
        assert.strictEqual(concealing([secret])(`<${written}>`), "<{apiKey}>")
      }),
      { numRuns: 150 }
    )
  })

  it("is found in base64 of either alphabet, padded or not, escaped or not", () => {
    FastCheck.assert(
      FastCheck.property(secret, (secret) => {
        const padded = Buffer.from(secret).toString("base64")
        const conceal = concealing([secret])
        for (const written of [padded, encodeURIComponent(padded), padded.replaceAll("/", "\\/"), unicode(padded)])
          assert.strictEqual(conceal(`Basic ${written}.`), "Basic {apiKey}.")
        assert.strictEqual(conceal(`<${Buffer.from(secret).toString("base64url")}>`), "<{apiKey}>")
      }),
      { numRuns: 100 }
    )
  })

  it("is found at every position, every time, and longer secrets first", () => {
    const conceal = concealing(["12345678", "0123456789"])
    assert.strictEqual(conceal("0123456789 12345678,012345678"), "{apiKey} {apiKey},0{apiKey}")
  })

  it("is not found in long texts that nearly contain it", () => {
    const conceal = concealing(['"\\/"\\/"\\/', "aaaaaaaaaaaaaaaaaaaaaaaab"])
    for (const part of ["\\", '"', "a", "%25", "%", "\\u00", "aaaaaaaa\\"]) {
      const text = part.repeat(200_000 / part.length)
      assert.strictEqual(conceal(text), text)
    }
  })

  it("changes no text that does not contain it", () => {
    for (const text of ["", "{}", "secret", "%ZZ \\u12"]) {
      assert.strictEqual(concealing([])(text), text)
      assert.strictEqual(concealing(["", "another one"])(text), text)
    }
  })
})
