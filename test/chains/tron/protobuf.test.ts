import { assert, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { fieldsOf, numberOf } from "../../../src/chains/tron/TronTransaction.ts"

it("a Protocol Buffers number has at most 64 bits", () => {
  const read = (last: number) =>
    Option.map(fieldsOf(Uint8Array.of(8, ...new Array<number>(9).fill(0xff), last)), (fields) => numberOf(fields, 1))
  assert.strictEqual(Option.getOrUndefined(read(1)), 2n ** 64n - 1n)
  for (const last of [2, 3, 0x7f, 0x80, 0xff]) assert.isTrue(Option.isNone(read(last)), String(last))
})
