import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { getAddress, toHex } from "viem/utils"
import { parse } from "../../../src/chains/evm/EvmAddress.ts"

const lower = FastCheck.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => toHex(bytes))
const checksummed = lower.map((address) => getAddress(address))

const flip = (text: string, index: number) => {
  const digit = text.charAt(index)
  const flipped = digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase()
  return `${text.slice(0, index)}${flipped}${text.slice(index + 1)}`
}

const isMixed = (text: string) => /[a-f]/.test(text.slice(2)) && /[A-F]/.test(text.slice(2))

// The test cases of EIP-55.
const known = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"
]

const parsed = (text: string) => Either.map(parse(text), String)

describe("an EVM address", () => {
  it("is accepted in the spelling of EIP-55", () => {
    for (const address of known) assert.deepStrictEqual(parsed(address), Either.right(address.toLowerCase()))
  })

  it.prop("has one canonical form for its checksummed, lower-case and upper-case spelling", [lower], ([address]) => {
    const spellings = [address, getAddress(address), `0x${address.slice(2).toUpperCase()}`]
    for (const spelling of spellings) assert.deepStrictEqual(parse(spelling), Either.right(address))
  })

  it("is accepted with a short name of its network (EIP-3770), and not with another", () => {
    const address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    const right = Either.right<string>(address.toLowerCase())
    const network = { chainId: 8453, shortNames: ["base"] }
    for (const text of [address, address.replace("0x", "0X"), `base:${address}`, `base:${address.toLowerCase()}`])
      assert.deepStrictEqual(Either.map(parse(text, network), String), right, text)
    for (const text of [
      `eth:${address}`,
      `Base:${address}`,
      `base:base:${address}`,
      `:${address}`,
      `base:${flip(address, 3)}`
    ])
      assert.isTrue(Either.isLeft(parse(text, network)), text)
    assert.isTrue(Either.isLeft(parse(`base:${address}`)))
  })

  it("is accepted with the checksum of its chain (EIP-1191)", () => {
    // The test cases of EIP-1191 for chain 30.
    const address = "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD"
    assert.deepStrictEqual(Either.map(parse(address, { chainId: 30 }), String), Either.right(address.toLowerCase()))
    assert.isTrue(Either.isLeft(parse(address, { chainId: 31 })))
    assert.isTrue(Either.isLeft(parse(address)))
  })

  it.prop("is rejected if the case of any letter is wrong for its checksum", [checksummed], ([address]) => {
    for (let index = 2; index < address.length; index++) {
      const wrong = flip(address, index)
      // An address in a single case has no checksum.
      if (wrong === address || !isMixed(wrong)) continue
      assert.match(Either.getOrThrowWith(Either.flip(parse(wrong)), String), /EIP-55/, wrong)
    }
  })

  it.prop(
    "is rejected if any digit of its checksummed spelling changes, unless the checksum matches by chance",
    [checksummed, FastCheck.integer({ min: 2, max: 41 }), FastCheck.constantFrom(..."0123456789")],
    ([address, index, digit]) => {
      const wrong = `${address.slice(0, index)}${digit}${address.slice(index + 1)}`
      if (wrong === address || !isMixed(wrong)) return
      assert.strictEqual(Either.isRight(parse(wrong)), getAddress(wrong.toLowerCase()) === wrong)
    }
  )

  it.prop("is rejected if it is truncated", [checksummed, FastCheck.nat(41)], ([address, length]) => {
    assert.isTrue(Either.isLeft(parse(address.slice(0, length))))
  })

  it.prop(
    "is rejected with text before or after it",
    [lower, FastCheck.string({ minLength: 1 }), FastCheck.boolean()],
    ([address, more, before]) => {
      assert.isTrue(Either.isLeft(parse(before ? `${more}${address}` : `${address}${more}`)))
    }
  )

  it.prop(
    "is rejected with a prefix other than 0x",
    [lower, FastCheck.constantFrom("", "x", "0", "1x", "xdc", "0x0x", " 0x")],
    ([address, prefix]) => {
      assert.isTrue(Either.isLeft(parse(`${prefix}${address.slice(2)}`)))
    }
  )

  it.prop("is rejected with a digit that is not hexadecimal", [lower, FastCheck.nat(39)], ([address, index]) => {
    for (const digit of "gG٣０ \n")
      assert.isTrue(Either.isLeft(parse(`${address.slice(0, 2 + index)}${digit}${address.slice(3 + index)}`)))
  })

  it.prop("is rejected without an exception if it is any other text", [FastCheck.string()], ([text]) => {
    assert.isTrue(Either.isLeft(parse(text)))
  })
})
