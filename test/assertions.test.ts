import { assert, describe, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as HashMap from "effect/HashMap"
import * as HashSet from "effect/HashSet"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { eventCame } from "./support/assertions.ts"

class One extends Data.Class<{ readonly a: unknown }> {}
class Other extends Data.Class<{ readonly a: unknown }> {}
class Failure extends Data.TaggedError("Failure")<{ readonly a: unknown }> {}

/** Two different values, and a third that equals the first. */
const values: Readonly<Record<string, readonly [unknown, unknown, unknown]>> = {
  "some and none": [Option.some(1), Option.none(), Option.some(1)],
  "options of objects": [Option.some({ a: [1] }), Option.some({ a: [2] }), Option.some({ a: [1] })],
  "options of bytes": [Option.some(Buffer.of(1)), Option.some(Buffer.of(2)), Option.some(Buffer.of(1))],
  "options of options": [
    Option.some([Option.some({ a: 1 })]),
    Option.some([Option.some({ a: 2 })]),
    Option.some([Option.some({ a: 1 })])
  ],
  "left and right": [Either.left(1), Either.right(1), Either.left(1)],
  exits: [Exit.succeed({ a: 1 }), Exit.succeed({ a: 2 }), Exit.succeed({ a: 1 })],
  "failures and defects": [Exit.fail(1), Exit.die(1), Exit.fail(1)],
  causes: [Cause.fail({ a: 1 }), Cause.fail({ a: 2 }), Cause.fail({ a: 1 })],
  chunks: [Chunk.make(1, 2), Chunk.make(1, 3), Chunk.append(Chunk.make(1), 2)],
  maps: [HashMap.make(["a", { b: 1 }]), HashMap.make(["a", { b: 2 }]), HashMap.make(["a", { b: 1 }])],
  sets: [HashSet.make(1, 2), HashSet.make(1, 3), HashSet.make(2, 1)],
  durations: [Duration.seconds(1), Duration.seconds(2), Duration.millis(1000)],
  times: [DateTime.unsafeMake(1), DateTime.unsafeMake(2), DateTime.unsafeMake(1)],
  decimals: [BigDecimal.make(10n, 1), BigDecimal.make(10n, 0), BigDecimal.make(1n, 0)],
  secrets: [{ a: Redacted.make("a") }, { a: Redacted.make("b") }, { a: Redacted.make("a") }],
  classes: [new One({ a: 1 }), new Other({ a: 1 }), new One({ a: 1 })],
  "a class and an object": [new One({ a: [1] }), { a: [1] }, new One({ a: [1] })],
  errors: [new Failure({ a: 1 }), new Failure({ a: 2 }), new Failure({ a: 1 })]
}

describe("a test", () => {
  it.fails("fails if it executes no assertion", () => {})

  it("passes if it declares that its event occurred", () => eventCame())
})

describe("deep comparisons", () => {
  for (const [what, [first, different, equal]] of Object.entries(values))
    it(`distinguish ${what}`, () => {
      assert.notDeepEqual(first, different)
      assert.notDeepEqual(different, first)
      assert.deepStrictEqual(first, equal)
      assert.notDeepInclude([{ first }], { first: different })
      assert.deepInclude([{ first }], { first: equal })
      assert.sameDeepMembers([first, different], [different, equal])
      assert.throws(() => assert.deepStrictEqual(first, different))
    })
})
