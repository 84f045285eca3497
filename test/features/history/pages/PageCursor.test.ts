import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "@noble/hashes/sha2"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { height, position } from "../../../../src/domain/units.ts"
import * as PageCursor from "../../../../src/features/history/pages/PageCursor.ts"

const owner = { network: "bitcoin", address: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" }

const hash = FastCheck.array(FastCheck.integer({ min: 0, max: 15 }), { minLength: 64, maxLength: 64 }).map((digits) =>
  digits.map((digit) => digit.toString(16)).join("")
)
const digests = FastCheck.array(hash.map(PageCursor.digest), { maxLength: 20 }).map((all) => new Set(all))

const cursors: FastCheck.Arbitrary<PageCursor.PageCursor> = FastCheck.record(
  {
    height: FastCheck.option(FastCheck.nat().map(position), { nil: null }),
    last: hash,
    above: hash,
    returned: FastCheck.integer({ min: 1, max: 1_000_000 }),
    blocks: FastCheck.record(
      { hub: FastCheck.nat().map(height), relay: FastCheck.nat().map(height) },
      { requiredKeys: [] }
    ),
    seenDigests: digests,
    pendingDigests: digests,
    accounts: FastCheck.array(hash, { maxLength: 3 }),
    ended: FastCheck.constant(["tokentx", "txlistinternal"])
  },
  { requiredKeys: ["height", "last", "returned", "seenDigests", "pendingDigests", "accounts"] }
)

const cursor: PageCursor.PageCursor = {
  height: position(840_000),
  last: "ab".repeat(32),
  above: "cd".repeat(32),
  returned: 50,
  seenDigests: new Set([PageCursor.digest("ab".repeat(32))]),
  pendingDigests: new Set(),
  accounts: []
}

const refusal = (text: string, of: PageCursor.CursorOwner | undefined = owner) =>
  Either.getOrThrow(Either.flip(PageCursor.fromText(of, text)))

describe("the cursor of a page", () => {
  it.prop(
    "is read back unchanged, and needs no escaping in a query",
    [cursors],
    ([given]) => {
      const text = PageCursor.toText(owner, given)
      assert.match(text, /^[A-Za-z0-9_-]+$/)
      assert.deepStrictEqual(Either.getOrThrow(PageCursor.fromText(owner, text)), given)
    },
    { fastCheck: { numRuns: 20 } }
  )

  it("is accepted at its maximum length", () => {
    const many = new Set(Array.from({ length: PageCursor.maxDigests }, (_, index) => PageCursor.digest(String(index))))
    const longest = { ...cursor, seenDigests: many, accounts: Array.from({ length: 256 }, () => "a".repeat(128)) }
    assert.deepStrictEqual(
      Either.getOrUndefined(PageCursor.fromText(owner, PageCursor.toText(owner, longest))),
      longest
    )
  })

  it("is rejected for another network or address, and without an address", () => {
    const text = PageCursor.toText(owner, cursor)
    for (const other of [{ ...owner, network: "litecoin" }, { ...owner, address: "bc1q" }, undefined])
      assert.match(Either.getOrThrow(Either.flip(PageCursor.fromText(other, text))), /another network or address/)
  })

  it("is rejected if a single character differs", () => {
    const text = PageCursor.toText(owner, cursor)
    for (let index = 1; index < text.length - 1; index++) {
      const other = text[index] === "A" ? "B" : "A"
      assert.notStrictEqual(refusal(`${text.slice(0, index)}${other}${text.slice(index + 1)}`), "", String(index))
    }
  })

  it.prop("is rejected with a message if it is any other text", [FastCheck.string()], ([text]) =>
    assert.match(refusal(text), /^is (not a cursor|a cursor of another version)/)
  )

  it("is rejected if it is too long, has another version, or has invalid content with valid checksums", () => {
    const text = PageCursor.toText(owner, cursor)
    assert.match(refusal(`2${"A".repeat(PageCursor.maxLength)}`), /not a cursor/)
    assert.match(refusal(`1${text.slice(1)}`), /another version/)
    assert.match(refusal(PageCursor.toText(owner, { ...cursor, returned: 0 })), /not a cursor/)
    const many = new Set(Array.from({ length: PageCursor.maxDigests + 1 }, (_, index) => PageCursor.digest(`${index}`)))
    assert.match(refusal(PageCursor.toText(owner, { ...cursor, seenDigests: many })), /not a cursor/)
    assert.match(refusal(PageCursor.toText(owner, { ...cursor, last: "x".repeat(200) })), /not a cursor/)
  })

  it("is rejected with an additional character, or in another spelling of the same values", () => {
    const text = PageCursor.toText(owner, cursor)
    for (const more of ["A", "a", "_", "AA", "AAAA"]) assert.match(refusal(`${text}${more}`), /not a cursor/, more)
    const forged = (content: string) => {
      const sum = (given: string, length: number) => sha256(given).subarray(0, length)
      const owned = sum([owner.network, owner.address, content].join("\n"), 9)
      return `2${Buffer.concat([sum(content, 6), owned, Buffer.from(content)]).toString("base64url")}`
    }
    const plain = '{"h":1,"l":"ab","n":1,"s":"","w":"","c":[]}'
    assert.isTrue(Either.isRight(PageCursor.fromText(owner, forged(plain))))
    for (const other of [` ${plain}`, plain.replace('"h":1', '"h":1.0'), plain.replace('"n"', '"x":1,"n"')])
      assert.match(refusal(forged(other)), /not a cursor/, other)
  })

  it("is rejected with values that lead to another path, and above the maximum height of the network", () => {
    const hostile = [
      "../../EVIL",
      "ab/cd",
      "ab?x=1",
      "ab#x",
      "ab%2fcd",
      "ab\0",
      "@evil",
      "a@b",
      ".",
      "..",
      "",
      "\u00e9"
    ]
    for (const value of hostile)
      for (const over of [{ last: value }, { above: value }, { accounts: [value] }])
        assert.match(refusal(PageCursor.toText(owner, { ...cursor, ...over })), /not a cursor/, value)
    const text = PageCursor.toText(owner, cursor)
    assert.isTrue(Either.isRight(PageCursor.fromText(owner, text, position(840_000))))
    assert.match(Either.getOrThrow(Either.flip(PageCursor.fromText(owner, text, position(839_999)))), /not a cursor/)
    for (const height of [-1, 1.5, 2 ** 60].map(position))
      assert.match(refusal(PageCursor.toText(owner, { ...cursor, height })), /not a cursor/)
    for (const hub of [-1, 1.5, 2 ** 32].map(height))
      assert.match(refusal(PageCursor.toText(owner, { ...cursor, blocks: { hub } })), /not a cursor/)
  })

  it("is rejected quickly if its digests are long and invalid", () => {
    const content = JSON.stringify({ h: 1, l: "ab", n: 1, s: `${"A".repeat(40_000)}!`, w: "", c: [] })
    const sum = (text: string, length: number) => sha256(text).subarray(0, length)
    const owned = sum([owner.network, owner.address, content].join("\n"), 9)
    const bytes = Buffer.concat([sum(content, 6), owned, Buffer.from(content)])
    assert.match(refusal(`2${bytes.toString("base64url")}`), /not a cursor/)
  })
})
