import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Sending from "../../../src/chains/tron/sending.ts"
import { assert, describe, it } from "../../support/vitest.ts"

// Messages that a node of Tron reads otherwise than they look, and memos.

const notSent = () => Effect.die("not sent here")
const main = Sending.signed({ send: notSent })

const varint = (value: bigint): Buffer =>
  value < 128n ? Buffer.of(Number(value)) : Buffer.concat([Buffer.of(Number(value & 127n) | 128), varint(value >> 7n)])
const number = (field: number, value: bigint) => Buffer.concat([varint(BigInt(field << 3)), varint(value)])
const bytes = (field: number, value: Uint8Array) =>
  Buffer.concat([varint(BigInt((field << 3) | 2)), varint(BigInt(value.length)), value])
const addressOf = (byte: string) => Buffer.from(`41${byte.repeat(20)}`, "hex")

const url = (name: string) => bytes(1, Buffer.from(`type.googleapis.com/protocol.${name}`))
const wrapped = (name: string) => (parameter: Buffer) => Buffer.concat([url(name), bytes(2, parameter)])
const [coins, call] = [wrapped("TransferContract"), wrapped("TriggerSmartContract")]

const signed = (type: bigint, any: Buffer, extra: Uint8Array = Buffer.alloc(0)) => {
  const raw = Buffer.concat([
    bytes(1, Buffer.of(1, 2)),
    bytes(4, Buffer.alloc(8, 3)),
    number(8, 2_000_000_000_000n),
    bytes(11, Buffer.concat([number(1, type), bytes(2, any)])),
    number(14, 5n),
    number(18, 77n),
    extra
  ])
  return Buffer.concat([bytes(1, raw), bytes(2, Buffer.alloc(65, 1))]).toString("hex")
}

const transfer = Buffer.concat([bytes(1, addressOf("a1")), bytes(2, addressOf("b2")), number(3, 5_000_000_000n)])
const token = Buffer.from(`a9059cbb${"0".repeat(24)}${"c3".repeat(20)}${"7".padStart(64, "0")}`, "hex")
const called = Buffer.concat([bytes(1, addressOf("a1")), bytes(2, addressOf("b2")), number(3, 9n), bytes(4, token)])
const contentOf = (text: string) => Either.getOrThrow(main(text)).content()

describe("a message of tron", () => {
  it("is refused if a field occurs twice, is negative, or has another wire type, which nodes skip", function* () {
    const empty = Buffer.alloc(0)
    const joined = (parameter: Buffer, ...more: ReadonlyArray<Buffer>) => Buffer.concat([parameter, ...more])
    const refused: Readonly<Record<string, string>> = {
      amount: signed(1n, coins(joined(transfer, bytes(3, empty)))),
      "amount twice": signed(1n, coins(joined(transfer, number(3, 1n)))),
      "negative amount": signed(1n, coins(joined(transfer.subarray(0, 46), number(3, 2n ** 63n)))),
      recipient: signed(1n, coins(joined(transfer, number(2, 1n)))),
      "recipient twice": signed(1n, coins(joined(transfer, bytes(2, addressOf("c3"))))),
      parameter: signed(1n, joined(url("TransferContract"), bytes(2, empty), bytes(2, transfer))),
      "no message": signed(1n, coins(Buffer.of(7))),
      expiration: signed(1n, coins(transfer), bytes(8, empty)),
      "block hash": signed(1n, coins(transfer), Buffer.concat([varint(33n), Buffer.alloc(8)])),
      value: signed(31n, call(joined(called, bytes(3, empty)))),
      "value of a token": signed(31n, call(joined(called, number(5, 1_000n), number(6, 1_002_000n), bytes(5, empty))))
    }
    for (const [name, text] of Object.entries(refused)) {
      const problem = Either.match(main(text), { onLeft: (message) => message, onRight: () => "none" })
      assert.include(problem, "nodes would read something else", name)
    }
    assert.deepInclude(contentOf(signed(1n, coins(transfer))).payments[0], { amount: 5_000_000_000n })
    assert.notProperty(contentOf(signed(1n, coins(transfer))).unknown, "amounts")
    yield* Effect.void
  })

  it("is incomplete without a recipient, or with fields that are not read", function* () {
    const nobody = Buffer.concat([bytes(1, addressOf("a1")), number(3, 5n)])
    for (const text of [signed(1n, coins(nobody)), signed(31n, call(nobody))])
      assert.include(contentOf(text).unknown.amounts, "its recipient is not an address")
    for (const text of [
      signed(1n, coins(Buffer.concat([transfer, number(9, 1n)]))),
      signed(1n, coins(transfer), number(30, 1n))
    ])
      assert.strictEqual(contentOf(text).unknown.amounts, "it has fields that are not read")
    yield* Effect.void
  })

  it("has its memo as the tag of its payments, if it is text", function* () {
    const memo = bytes(10, Buffer.from("104523"))
    assert.deepInclude(contentOf(signed(1n, coins(transfer), memo)).payments[0], { tag: "104523" })
    const tokens = Buffer.concat([bytes(1, addressOf("a1")), bytes(2, addressOf("b2")), bytes(4, token)])
    const { payments, unknown } = contentOf(signed(31n, call(tokens), memo))
    assert.deepStrictEqual(
      payments.map(({ amount, tag }) => [amount, tag]),
      [[7n, "104523"]]
    )
    assert.notProperty(unknown, "amounts")
    for (const data of [Buffer.of(0xff, 1), Buffer.alloc(1_001, 65)]) {
      const other = contentOf(signed(1n, coins(transfer), bytes(10, data)))
      assert.notProperty(other.payments[0], "tag")
      assert.include(other.unknown.amounts, "its memo is not shown")
    }
    yield* Effect.void
  })
})
