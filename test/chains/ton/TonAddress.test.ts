import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { friendly, parse } from "../../../src/chains/ton/TonAddress.ts"

const raw = "0:33a14a5a9406979d59b9328898591660b8b1736342b11632efdcc911ab9057cf"
const bounceable = "EQAzoUpalAaXnVm5MoiYWRZguLFzY0KxFjLv3MkRq5BXzyiQ"
const nonBounceable = "UQAzoUpalAaXnVm5MoiYWRZguLFzY0KxFjLv3MkRq5BXz3VV"
const usdt = "EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs"

const Account = Schema.Uint8ArrayFromSelf.pipe(Schema.filter(({ length }) => length === 32))
const account = Account.annotations({ arbitrary: () => (fc) => fc.uint8Array({ minLength: 32, maxLength: 32 }) })
const workchain = Schema.Literal(0, -1)

const problem = (text: string) => Either.getOrThrow(Either.flip(parse(text)))

/** Independent encoder of the user-friendly form, which computes the CRC by polynomial long division. */
const spelled = (kind: number, chain: number, hash: Uint8Array, alphabet: "base64" | "base64url") => {
  const bytes = Buffer.from([kind, chain & 0xff, ...hash])
  let rest = BigInt(`0x${bytes.toString("hex")}0000`)
  for (let bit = BigInt(8 * bytes.length - 1); bit >= 0n; bit--) if ((rest >> (bit + 16n)) & 1n) rest ^= 0x11021n << bit
  return Buffer.concat([bytes, Buffer.from(rest.toString(16).padStart(4, "0"), "hex")]).toString(alphabet)
}

describe("a TON address", () => {
  it("is accepted in every form that wallets show", () => {
    for (const text of [raw, raw.toUpperCase(), bounceable, nonBounceable])
      assert.deepStrictEqual(parse(text), Either.right(raw))
    assert.deepStrictEqual(parse(usdt), parse(usdt.replaceAll("_", "/")))
    assert.deepStrictEqual(
      parse("Ef8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM0vF"),
      Either.right(`-1:${"3".repeat(64)}`)
    )
  })

  it("is refused with the reason if it is malformed", () => {
    const wrong = /48 characters/
    for (const text of [
      "",
      raw.slice(0, -1),
      `${raw}0`,
      ` ${raw}`,
      `1${raw.slice(1)}`,
      raw.slice(2),
      raw.replace("a", "g"),
      bounceable.slice(0, -1),
      `${bounceable}A`,
      `${bounceable}=`,
      `${bounceable} `,
      "wallet.ton"
    ])
      assert.match(problem(text), wrong, text)
    assert.match(problem(`${bounceable.slice(0, -1)}R`), /checksum/)
    assert.match(problem(bounceable.toLowerCase()), /checksum|kind/)
  })

  it("of the test network is refused, and the error says so", () => {
    const hash = Buffer.from(raw.slice(2), "hex")
    const texts = [spelled(0x91, 0, hash, "base64url"), spelled(0xd1, 0, hash, "base64")]
    assert.deepStrictEqual(
      texts.map((text) => text.slice(0, 2)),
      ["kQ", "0Q"]
    )
    for (const text of texts) assert.match(problem(text), /test network/)
  })

  it("is refused if its kind or workchain is unknown", () => {
    const hash = Buffer.from(raw.slice(2), "hex")
    for (const text of [spelled(0x12, 0, hash, "base64"), spelled(0x11, 7, hash, "base64")])
      assert.match(problem(text), /is unknown/)
  })

  it.prop("has one canonical form for every spelling", [account, workchain], ([hash, chain]) => {
    const expected = `${chain}:${Buffer.from(hash).toString("hex")}`
    for (const kind of [0x11, 0x51])
      for (const alphabet of ["base64", "base64url"] as const)
        assert.deepStrictEqual(parse(spelled(kind, chain, hash, alphabet)), Either.right(expected))
    assert.deepStrictEqual(parse(expected.toUpperCase()), Either.right(expected))
    assert.strictEqual(friendly(expected), spelled(0x11, chain, hash, "base64url"))
  })

  const place = Schema.Int.pipe(Schema.between(0, 47))
  const letter = Schema.Int.pipe(Schema.between(0, 63))
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

  it.prop("is refused if one character is mistyped", [account, place, letter], ([hash, at, other]) => {
    const text = friendly(`0:${Buffer.from(hash).toString("hex")}`)
    const typed = `${text.slice(0, at)}${alphabet[other]}${text.slice(at + 1)}`
    if (typed !== text) assert.isTrue(Either.isLeft(parse(typed)), typed)
  })
})
