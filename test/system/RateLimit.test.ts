import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RateLimit from "../../src/system/RateLimit.ts"

it.effect("remembers no more clients than its bound, and forgets the one not seen for longest", () =>
  Effect.gen(function* () {
    const { take } = RateLimit.make(1, 2)
    assert.strictEqual(yield* take("a"), 0)
    assert.strictEqual(yield* take("b"), 0)
    assert.strictEqual(yield* take("a"), 60)
    assert.strictEqual(yield* take("c"), 0)
    assert.strictEqual(yield* take("a"), 60)
    assert.strictEqual(yield* take("b"), 0)
  })
)
