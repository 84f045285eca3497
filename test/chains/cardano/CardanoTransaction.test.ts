import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { parse, parseId } from "../../../src/chains/cardano/CardanoTransaction.ts"

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))
const problem = (hex: string) => Either.match(parse(hex), { onLeft: (message) => message, onRight: () => "" })
const idOf = (hex: string) => Either.getOrThrow(parse(hex)).id

/** Example from Blockfrost's documentation. The hash was computed by another program. */
const documented =
  "84a40081825820203e5b61e0949ffc8fe594727cf7ed73c7396cc2bd212af9a680c9423b5880eb00018282583900f0c60254ecb0addd4c7e40c28fd05b65014ab4c8ecece06c7dcee5a0724bf93336a8225e7ef152b41aea955173be91af19250edea1ddafab1a000f42408258390014beadb876d0a2a593fe2f1b539389e00731290910170e9a1be78e847d2ccdc7af469706878018739bcfde9ae23f009c4ae38aee0a4b4f3a1b0000000253fa0f93021a0002922d031a0303c827a100818258207d3ae39f9a1c916ac7c13f10c7d67c70b870c286a1af71485455c5022a3f391d5840e2f481acd1601a3f39fa976317bba685ddd774621a92611edaaa3df9f48a3b13d8b25ecb2f28b031c1602512418efed3033e463a0dcd22a856c808033cc9e00ff5f6"

/** Prepends a short name to each case, because the hexadecimal text may be long. */
const brief = (cases: ReadonlyArray<readonly [hex: string, expected: string]>) =>
  cases.map(
    ([hex, expected]) => [hex.length > 40 ? `${hex.slice(0, 40)}… (${hex.length})` : hex, hex, expected] as const
  )

const ids: ReadonlyArray<readonly [hex: string, id: string]> = [
  [documented, "eadcfeb38de327a0def9ab03f11ca37ca050c7318e96c9bfcc7c51406a584eec"],
  ["83a0a0f6", "d36a2619a672494604e11bb447cbcf5231e9f2ba25c2169177edc941bd50ad6c"],
  ["84a0a0f5f6", "d36a2619a672494604e11bb447cbcf5231e9f2ba25c2169177edc941bd50ad6c"],
  ["84bf00ffa0f5f6", ""],
  ["84a3008001800200a0f5f6", "36fdff68dfe3660f1ceea60f018a0fd7a83da13def229108794c397a879b0436"],
  ["9fa10381f6bfffF5f6ff", "ea4c65e7eea1f3975ebe9d2905b144f3047bc0c2f32d9b1df613b015fe0fd9db"]
]

/** Random CBOR items that mix definite and indefinite lengths, and all kinds of strings. */
const { item } = FastCheck.letrec<{ readonly item: Uint8Array }>((tie) => {
  const head = (major: number, value: number) =>
    value < 24
      ? [(major << 5) | value]
      : value < 256
        ? [(major << 5) | 24, value]
        : [(major << 5) | 25, value >> 8, value & 255]
  const join = (...parts: ReadonlyArray<ArrayLike<number>>) =>
    Uint8Array.from(parts.flatMap((part) => Array.from(part)))
  const strings = FastCheck.tuple(
    FastCheck.constantFrom(2, 3),
    FastCheck.array(FastCheck.uint8Array({ maxLength: 300 }), { maxLength: 3 }),
    FastCheck.boolean()
  ).map(([major, pieces, open]) => {
    // Bytes of a text are ASCII, so that they are valid UTF-8.
    const valid = pieces.map((piece) => (major === 3 ? piece.map((byte) => byte & 127) : piece))
    const all = valid.map((piece) => join(head(major, piece.length), piece))
    return open ? join([(major << 5) | 31], ...all, [0xff]) : (all[0] ?? join(head(major, 0)))
  })
  const list = FastCheck.tuple(FastCheck.array(tie("item"), { maxLength: 4 }), FastCheck.boolean()).map(
    ([items, open]) => (open ? join([0x9f], ...items, [0xff]) : join(head(4, items.length), ...items))
  )
  const table = FastCheck.tuple(
    FastCheck.array(FastCheck.tuple(tie("item"), tie("item")), { maxLength: 3 }),
    FastCheck.boolean()
  ).map(([pairs, open]) =>
    open ? join([0xbf], ...pairs.flat(), [0xff]) : join(head(5, pairs.length), ...pairs.flat())
  )
  const plain = FastCheck.oneof(
    FastCheck.tuple(FastCheck.constantFrom(0, 1), FastCheck.integer({ min: 0, max: 65_535 })).map(([major, value]) =>
      join(head(major, value))
    ),
    FastCheck.constantFrom(...["f4", "f5", "f6", "f97e00", "fa47c35000", "fb3ff199999999999a", "f8ff"].map(bytes))
  )
  const tagged = tie("item").map((uint8Array) => join([0xd8, 121], uint8Array))
  return { item: FastCheck.oneof({ maxDepth: 4, withCrossShrink: true }, plain, strings, list, table, tagged) }
})

const independent = (body: Uint8Array) => new Bun.CryptoHasher("blake2b256").update(body).digest("hex")

describe("a Cardano transaction", () => {
  it.each(brief(ids.filter(([, id]) => id !== "")))("has the hash of its body as its id: %s", (_, hex, id) => {
    assert.strictEqual(idOf(hex), id)
    assert.strictEqual(idOf(hex.toUpperCase()), id)
  })

  it.prop("is refused if a part of it is missing, or more bytes follow it", [item], ([rest]) => {
    const whole = Buffer.concat([bytes("83a0a0"), rest])
    assert.strictEqual(problem(whole.toString("hex")), "")
    assert.include(problem(`${whole.toString("hex")}00`), "more bytes follow")
    for (let length = 1; length < Math.min(whole.length, 40); length++)
      assert.include(problem(whole.toString("hex", 0, length)), "part of it is missing")
  })

  it.prop("has the hash of exactly the bytes of its body as its id, for any body", [item, item, item], (parts) => {
    const [key, value, rest] = parts
    const body = Uint8Array.from([0xa1, ...key, ...value])
    for (const hex of [
      Buffer.concat([bytes("84"), body, bytes("a0f5"), rest]),
      Buffer.concat([bytes("83"), body, bytes("a0"), rest]),
      Buffer.concat([bytes("9f"), body, bytes("a0f5"), rest, bytes("ff")])
    ])
      assert.strictEqual(idOf(hex.toString("hex")), independent(body))
  })

  it.prop(
    "is parsed without an exception, even from random bytes",
    [FastCheck.uint8Array({ maxLength: 200 })],
    ([any]) => {
      assert.isTrue(Either.isEither(parse(Buffer.from(any).toString("hex") || "0")))
    }
  )

  const refused: ReadonlyArray<readonly [hex: string, reason: string]> = [
    ["", "hexadecimal"],
    ["0x84a0a0f5f6", "hexadecimal"],
    [" 84a0a0f5f6", "hexadecimal"],
    ["84a0a0f5f", "odd"],
    ["00".repeat(32_769), "at most 32768 bytes"],
    ["84a0a0f5", "part of it is missing"],
    [documented.slice(0, -2), "part of it is missing"],
    ["84a0a0f5f600", "more bytes follow"],
    ["84bf00ffa0f5f6", "not valid CBOR"],
    ["ff", "not valid CBOR"],
    ["1c", "not valid CBOR"],
    ["f818", "not valid CBOR"],
    ["1f", "not valid CBOR"],
    ["df00", "not valid CBOR"],
    ["5f6100ff", "not valid CBOR"],
    ["5f5f4100ffff", "not valid CBOR"],
    ["83a0a0ff", "not valid CBOR"],
    ["9b7fffffffffffffff00", "not valid CBOR"],
    ["81".repeat(30_000), "not valid CBOR"],
    ["9f".repeat(16_000) + "ff".repeat(16_000), "not valid CBOR"],
    ["00", "not a signed transaction"],
    ["82a0a0", "not a signed transaction"],
    ["85a0a0f5f6f6", "not a signed transaction"],
    ["9fa0a0ff", "not a signed transaction"],
    ["9fa0a0f5f6f6f6ff", "not a signed transaction"],
    ["8480a0f5f6", "not a signed transaction"],
    ["84a080f5f6", "not a signed transaction"],
    ["a0", "not a signed transaction"]
  ]
  it.each(brief(refused))("is refused with a reason: %s", (_, hex, reason) => {
    assert.include(problem(hex), reason)
  })

  it("has an id of 64 hexadecimal digits", () => {
    const [[, id] = ["", ""]] = ids
    assert.deepStrictEqual(parseId(id.toUpperCase()), Either.right(id))
    for (const wrong of ["", `0x${id}`, id.slice(1), `${id}0`, `g${id.slice(1)}`, ` ${id.slice(1)}`])
      assert.isTrue(Either.isLeft(parseId(wrong)), wrong)
  })
})
