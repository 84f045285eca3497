import { assert, it } from "@effect/vitest"
import * as RateLimit from "../../src/system/RateLimit.ts"

it("remembers no more clients than its bound, and forgets the one not seen for longest", () => {
  const { take } = RateLimit.make(1, 2)
  assert.strictEqual(take("a", 0), 0)
  assert.strictEqual(take("b", 0), 0)
  assert.strictEqual(take("a", 0), 60)
  assert.strictEqual(take("c", 0), 0)
  assert.strictEqual(take("a", 0), 60)
  assert.strictEqual(take("b", 0), 0)
})
