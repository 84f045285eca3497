import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { bytesToHex, hexToBytes } from "viem/utils"
import { decodeCashAddr as decode, encodeCashAddr as encode } from "../../../src/chains/utxo/UtxoAddress.ts"

// The test vectors of the specification: 20, 24 and 64 bytes, and types that no network uses.
const published = [
  ["bitcoincash:qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2", 0, "f5bf48b397dae70be82b3cca4793f8eb2b6cdac9"],
  ["bchtest:pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t", 1, "f5bf48b397dae70be82b3cca4793f8eb2b6cdac9"],
  ["pref:pr6m7j9njldwwzlg9v7v53unlr4jkmx6ey65nvtks5", 1, "f5bf48b397dae70be82b3cca4793f8eb2b6cdac9"],
  ["prefix:0r6m7j9njldwwzlg9v7v53unlr4jkmx6ey3qnjwsrf", 15, "f5bf48b397dae70be82b3cca4793f8eb2b6cdac9"],
  [
    "bitcoincash:q9adhakpwzztepkpwp5z0dq62m6u5v5xtyj7j3h2ws4mr9g0",
    0,
    "7adbf6c17084bc86c1706827b41a56f5ca32865925e946ea"
  ],
  [
    "bitcoincash:qlg0x333p4238k0qrc5ej7rzfw5g8e4a4r6vvzyrcy8j3s5k0en7calvclhw46hudk5flttj6ydvjc0pv3nchp52amk97tqa5zygg96mtky5sv5w",
    0,
    "d0f346310d5513d9e01e299978624ba883e6bda8f4c60883c10f28c2967e67ec77ecc7eeeaeafc6da89fad72d11ac961e164678b868aeeec5f2c1da08884175b"
  ]
] as const

const address = FastCheck.record({
  prefix: FastCheck.constantFrom("bitcoincash", "bchtest", "pref"),
  type: FastCheck.nat(15),
  hash: FastCheck.constantFrom(20, 24, 28, 32, 40, 48, 56, 64).chain((length) =>
    FastCheck.uint8Array({ minLength: length, maxLength: length })
  )
})

const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

describe("CashAddr", () => {
  for (const [text, type, hash] of published)
    it(`encodes and decodes the published vector ${text.slice(0, 30)}…`, () => {
      const { hash: bytes, ...decoded } = Either.getOrThrow(decode(text, "bitcoincash"))
      assert.deepStrictEqual(decoded, { prefix: text.slice(0, text.indexOf(":")), type })
      assert.strictEqual(bytesToHex(bytes), `0x${hash}`)
      assert.strictEqual(encode({ ...decoded, hash: hexToBytes(`0x${hash}`) }), text)
    })

  it.prop("decodes its own encoding, in lower case, in upper case and without the prefix", [address], ([decoded]) => {
    const text = encode(decoded)
    for (const spelling of [text, text.toUpperCase(), text.slice(text.indexOf(":") + 1)])
      assert.deepStrictEqual(decode(spelling, decoded.prefix), Either.right(decoded))
  })

  it.prop(
    "refuses any other character at any position",
    [address, FastCheck.nat(), FastCheck.nat(31)],
    ([decoded, at, to]) => {
      const text = encode(decoded)
      const start = decoded.prefix.length + 1
      const index = start + (at % (text.length - start))
      const wrong = `${text.slice(0, index)}${alphabet.charAt(to)}${text.slice(index + 1)}`
      assert.strictEqual(Either.isRight(decode(wrong, decoded.prefix)), wrong === text)
    }
  )

  it.prop(
    "refuses a cut-off text, mixed case and the prefix of another network",
    [address, FastCheck.nat()],
    ([decoded, at]) => {
      const text = encode(decoded)
      assert.isTrue(Either.isLeft(decode(text.slice(0, at % text.length), decoded.prefix)))
      assert.isTrue(
        Either.isLeft(decode(`${decoded.prefix.toUpperCase()}${text.slice(decoded.prefix.length)}`, decoded.prefix))
      )
      const payload = text.slice(text.indexOf(":") + 1)
      assert.isTrue(Either.isLeft(decode(`bchreg:${payload}`, decoded.prefix)))
      assert.isTrue(Either.isLeft(decode(payload, "bchreg")))
    }
  )

  it("refuses an invalid version byte or length", () => {
    for (const hash of [0, 19, 21, 33, 65]) {
      const text = encode({ prefix: "bitcoincash", type: 0, hash: new Uint8Array(hash) })
      assert.isTrue(Either.isLeft(decode(text, "bitcoincash")), String(hash))
    }
    assert.isTrue(Either.isLeft(decode(encode({ prefix: "p", type: 16, hash: new Uint8Array(20) }), "p")))
  })
})
