import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "@noble/hashes/sha2"
import { base58xrp } from "@scure/base"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as RippleAddress from "../../../src/chains/ripple/RippleAddress.ts"

const Account = Schema.Uint8ArrayFromSelf.annotations({
  arbitrary: () => (fc) => fc.uint8Array({ minLength: 20, maxLength: 20 })
})
const Tag = Schema.Int.pipe(Schema.between(0, 2 ** 32 - 1))

const checked = (payload: Uint8Array) =>
  base58xrp.encode(Uint8Array.of(...payload, ...sha256(sha256(payload)).slice(0, 4)))
const classic = (account: Uint8Array) => checked(Uint8Array.of(0, ...account))
const tagged = (prefix: ReadonlyArray<number>, account: Uint8Array, flag: number, tag: ReadonlyArray<number>) =>
  checked(Uint8Array.of(...prefix, ...account, flag, ...tag, ...new Uint8Array(8 - tag.length)))

const main = [0x05, 0x44]
const test = [0x04, 0x93]
const problem = (text: string) => Either.getOrThrow(Either.flip(RippleAddress.parse(text)))

describe("an XRP Ledger address", () => {
  it("is also accepted as an X-address, with and without a tag", () => {
    for (const [text, account] of [
      ["X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ", "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59"],
      ["X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu", "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59"],
      ["XV5sbjUmgPpvXv4ixFWZ5ptAYZ6PD2q1qM6owqNbug8W6KV", "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"],
      ["rrrrrrrrrrrrrrrrrrrrrhoLvTp", "rrrrrrrrrrrrrrrrrrrrrhoLvTp"]
    ] as const)
      assert.deepStrictEqual(RippleAddress.parse(text), Either.right(account))
  })

  it.prop("has one canonical form for every spelling", [Account, Tag], ([account, tag]) => {
    const expected = Either.right(classic(account))
    const bytes = [tag & 255, (tag >>> 8) & 255, (tag >>> 16) & 255, tag >>> 24]
    for (const text of [classic(account), tagged(main, account, 0, []), tagged(main, account, 1, bytes)])
      assert.deepStrictEqual(RippleAddress.parse(text), expected)
  })

  it.prop("is refused with one letter changed, missing or added", [Account], ([account]) => {
    for (const text of [classic(account), tagged(main, account, 0, [])])
      for (let at = 0; at < text.length; at++)
        for (const put of [text.charAt(at) === "p" ? "s" : "p", "", `${text.charAt(at)}p`])
          assert.isTrue(Either.isLeft(RippleAddress.parse(`${text.slice(0, at)}${put}${text.slice(at + 1)}`)))
  })

  it.prop("of a test network is refused", [Account], ([account]) => {
    assert.match(problem(tagged(test, account, 0, [])), /test network/)
    assert.match(problem(tagged(test, account, 1, [1])), /test network/)
  })

  it("is refused if its tag or its length is invalid", () => {
    const account = new Uint8Array(20).fill(7)
    assert.match(problem(tagged(main, account, 0, [1])), /tag/)
    assert.match(problem(tagged(main, account, 1, [1, 2, 3, 4, 5])), /tag/)
    assert.match(problem(tagged(main, account, 2, [1])), /tag/)
    for (const payload of [Uint8Array.of(0, ...account, 0), Uint8Array.of(0, ...account.subarray(1))])
      assert.match(problem(checked(payload)), /account/)
  })

  it("is refused with an explanation", () => {
    assert.match(problem("r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk58"), /checksum/)
    for (const text of ["", "r", "0x12", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", " r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59"])
      assert.match(problem(text), /an address is r/)
    // A seed is a secret that people paste by mistake.
    assert.match(problem("sn259rEFXrQrWyx3Q7XneWcwV6dfL"), /an address is r/)
  })
})
