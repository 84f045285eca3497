import { assert, describe, it } from "@effect/vitest"
import { blake2b } from "@noble/hashes/blake2"
import { base58 } from "@scure/base"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { bytesToHex } from "viem/utils"
import { parse } from "../../../src/chains/polkadot/PolkadotAddress.ts"

const left = (text: string) => Either.getOrThrow(Either.flip(parse(text)))

const checked = (body: Uint8Array): string => {
  const hash = blake2b(new Uint8Array([...Buffer.from("SS58PRE"), ...body]), { dkLen: 64 })
  return base58.encode(new Uint8Array([...body, ...hash.subarray(0, 2)]))
}

/** Encodes SS58 as its specification defines it. */
const ss58 = (key: Uint8Array, prefix: number): string =>
  checked(
    new Uint8Array([
      ...(prefix < 64 ? [prefix] : [((prefix & 0xfc) >> 2) | 0x40, (prefix >> 8) | ((prefix & 3) << 6)]),
      ...key
    ])
  )

const key = FastCheck.uint8Array({ minLength: 32, maxLength: 32 })
const prefix = FastCheck.integer({ min: 0, max: 16_383 })

describe("a Polkadot address", () => {
  it("is parsed to its public key from every form that wallets show", () => {
    // Key and addresses from recorded responses, with the prefixes of Kusama and Polkadot.
    const known = "0xa6659e4c3f22c2aa97d54a36e31ab57a617af62bd43ec62ed570771492069270"
    for (const text of [
      "GLVeryFRbg5hEKvQZcAnLvXZEXhiYaBjzSDwrXBXrfPF7wj",
      "14mB8stSf1vdP7WzbVr82YPgGGF7cBK9N7KxiVEac9UQgYj7",
      known,
      `0x${known.slice(2).toUpperCase()}`
    ])
      assert.deepStrictEqual(parse(text), Either.right(known))
  })

  it.prop("has the same public key with the prefix of any network", [key, prefix, prefix], ([bytes, value, other]) => {
    assert.deepStrictEqual(parse(ss58(bytes, value)), Either.right(bytesToHex(bytes)))
    assert.deepStrictEqual(parse(ss58(bytes, other)), parse(bytesToHex(bytes)))
  })

  it.prop(
    "is refused if a character is changed or missing",
    [key, prefix, FastCheck.nat(45)],
    ([bytes, prefixed, at]) => {
      const text = ss58(bytes, prefixed)
      const other = text[at] === "2" ? "3" : "2"
      assert.match(left(text.slice(0, at) + other + text.slice(at + 1)), /\S/)
      assert.match(left(text.slice(0, at) + text.slice(at + 1)), /\S/)
    }
  )

  it("is refused if its length is wrong, even with a valid checksum", () => {
    for (const length of [0, 1, 8, 20, 31, 33])
      assert.match(left(checked(new Uint8Array(length + 1))), /32 bytes|base58/)
  })

  it("is refused with an explanation", () => {
    assert.match(left("16EEnWeJZkzBiLgZnz8R5NiE4Zo7S67PGvVyGWD6L538e2bC"), /checksum/)
    assert.match(left("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), /64 hexadecimal digits/)
    assert.match(left("not an address"), /SS58/)
    assert.match(left("1".repeat(100_000)), /SS58/)
    assert.match(left(checked(new Uint8Array([200, 1, ...new Uint8Array(32)]))), /prefix/)
  })
})
