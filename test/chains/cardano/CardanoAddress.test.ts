import { crc32 } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { base58, bech32 } from "@scure/base"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { isStake, parse } from "../../../src/chains/cardano/CardanoAddress.ts"
import * as CardanoAsset from "../../../src/chains/cardano/CardanoAsset.ts"

const left = (text: string) => Either.getOrThrow(Either.flip(parse(text)))
const written = (prefix: string, bytes: ReadonlyArray<number>) =>
  bech32.encode(prefix, bech32.toWords(new Uint8Array(bytes)), 1023)
const hash = (byte: number) => Array.from({ length: 28 }, () => byte)

/** The vectors of CIP-19 for the main network. */
const vectors = [
  "addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x",
  "addr1z8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gten0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgs9yc0hh",
  "addr1yx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerkr0vd4msrxnuwnccdxlhdjar77j6lg0wypcc9uar5d2shs2z78ve",
  "addr1x8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gt7r0vd4msrxnuwnccdxlhdjar77j6lg0wypcc9uar5d2shskhj42g",
  "addr1gx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer5pnz75xxcrzqf96k",
  "addr128phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtupnz75xxcrtw79hu",
  "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8",
  "addr1w8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtcyjy7wx",
  "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw",
  "stake178phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtcccycj5"
]

const byron = [
  "Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAi",
  "DdzFFzCqrhstmqBkaU98vdHu6PdqjqotmgudToWYEeRmQKDrn4cAgGv9EZKtu1DevLrMA1pdVazufUCK4zhFkUcQZ5Gm88mVHnrwmXvT"
]

describe("a Cardano address", () => {
  it("is accepted in every form of CIP-19, in either case", () => {
    for (const text of vectors) {
      assert.deepStrictEqual(parse(text), Either.right(text))
      assert.deepStrictEqual(parse(text.toUpperCase()), Either.right(text))
      assert.strictEqual(isStake(text), text.startsWith("stake"))
      assert.match(left(text.slice(0, 12) + text.slice(12).toUpperCase()), /checksum/)
    }
  })

  it("of the Byron era is accepted unchanged", () => {
    for (const text of byron) {
      assert.deepStrictEqual(parse(text), Either.right(text))
      assert.match(left(text.toLowerCase()), /\S/)
    }
  })

  it.prop(
    "is refused if a character is changed or missing",
    [FastCheck.constantFrom(...vectors, ...byron), FastCheck.nat(200)],
    ([text, place]) => {
      const at = place % text.length
      const other = text[at] === "q" ? "p" : "q"
      assert.match(left(text.slice(0, at) + other + text.slice(at + 1)), /\S/)
      assert.match(left(text.slice(0, at) + text.slice(at + 1)), /\S/)
    }
  )

  it("of a test network is rejected in any form", () => {
    assert.match(left("addr_test1vz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerspjrlsz"), /test network/)
    assert.match(left("stake_test1uqehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gssrtvn"), /test network/)
    assert.match(left(written("addr", [0x60, ...hash(7)])), /test network/)
    assert.match(
      left(
        "37btjrVyb4KEB2STADSsj3MYSAdj52X5FrFWpw2r7Wmj2GDzXjFRsHWuZqrw7zSkwopv8Ci3VWeg6bisU9dgJxW5hb2MZYeduNKbQJrqz3zVBsu9nT"
      ),
      /test network/
    )
  })

  it("is refused if its content is invalid, even with a valid checksum", () => {
    for (const [prefix, bytes] of [
      ["addr", []],
      ["addr", [0x61]],
      ["addr", [0x61, ...hash(7), 7]],
      ["addr", [0x01, ...hash(7)]],
      ["addr", [0x01, ...hash(7), ...hash(7), 7]],
      ["addr", [0x41, ...hash(7)]],
      ["addr", [0x41, ...hash(7), 1, 2]],
      ["addr", [0x41, ...hash(7), 1, 2, 0x83]],
      ["addr", [0x41, ...hash(7), 1, 2, 3, 4]],
      ["addr", [0x81, ...hash(7)]],
      ["addr", [0xe1, ...hash(7)]],
      ["stake", [0x61, ...hash(7)]],
      ["stake", [0xe1, ...hash(7), 7]],
      ["pool", hash(7)]
    ] as const)
      assert.match(left(written(prefix, bytes)), /\S/)
    assert.deepStrictEqual(Either.isRight(parse(written("addr", [0x41, ...hash(7), 0x81, 2, 3, 4]))), true)
  })

  it("of the Byron era is refused if its checksum or its content is wrong", () => {
    const payload = base58.decode(byron[0] ?? "").subarray(5, 5 + 33)
    const text = (bytes: ReadonlyArray<number>, checksum = crc32(new Uint8Array(bytes))) => {
      const sum = Buffer.alloc(4)
      sum.writeUInt32BE(checksum)
      return base58.encode(new Uint8Array([0x82, 0xd8, 0x18, 0x58, bytes.length, ...bytes, 0x1a, ...sum]))
    }
    assert.deepStrictEqual(parse(text([...payload])), Either.right(byron[0] ?? ""))
    assert.match(left(text([...payload], 0xfffffffe)), /CRC32/)
    // The same address in a longer CBOR encoding would be a second spelling.
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(payload))
    const longer = [0x82, 0xd8, 0x18, 0x59, 0, payload.length, ...payload, 0x1a, ...sum]
    assert.match(left(base58.encode(new Uint8Array(longer))), /Byron/)
    for (const wrong of [[], [0x83], [...payload.subarray(0, -1)], [...payload, 0], [0x82, ...payload.subarray(1)]])
      assert.match(left(text(wrong)), /Byron/)
    for (const wrong of ["", " ", "1", "$handle", "0x00", "1".repeat(100_000), "addr"]) assert.match(left(wrong), /\S/)
  })
})

describe("a native asset", () => {
  const policy = "29d222ce763455e3d7a09a665ce554f00ac89d2e99a1a83d267170c6"

  it("has one canonical form of its policy and its name, however both are written", () => {
    for (const text of [`${policy}4d494e`, `${policy}.4D494E`, `${policy.toUpperCase()}4d494E`])
      assert.deepStrictEqual(CardanoAsset.parse(text), Option.some(`${policy}4d494e`))
    assert.deepStrictEqual(CardanoAsset.parse(policy), Option.some(policy))
    assert.strictEqual(
      CardanoAsset.policyOf(`${policy}4d494e`) + CardanoAsset.nameOf(`${policy}4d494e`),
      `${policy}4d494e`
    )
  })

  it("is refused in any other form", () => {
    for (const text of ["", "lovelace", policy.slice(1), `${policy}4`, `${policy}.`, `${policy}${"00".repeat(33)}`])
      assert.deepStrictEqual(CardanoAsset.parse(text), Option.none(), text)
  })
})
