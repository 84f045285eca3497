import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Activity from "../../src/upstream/Activity.ts"
import * as CallTime from "../../src/upstream/CallTime.ts"
import * as CircuitBreaker from "../../src/upstream/CircuitBreaker.ts"
import { assert, describe, it } from "../support/vitest.ts"

describe("a call without an outcome that was slow", () => {
  for (const [why, isOurs, state] of [
    ["its caller left", false, "open"],
    ["a limit of the service ended it", true, "closed"]
  ] as const)
    it(`leaves the circuit ${state} if ${why}`, function* () {
      const circuit = CircuitBreaker.make(CircuitBreaker.block(), 5_000)
      const time = CallTime.make(yield* Effect.clock)
      const call = circuit.begun(time, Activity.begun(yield* Clock.currentTimeMillis, undefined))
      time.run()
      yield* TestClock.adjust(2_000)
      const now = yield* Clock.currentTimeMillis
      assert.isTrue(circuit.isOverdue(now))
      circuit.left(call, now, isOurs)
      assert.strictEqual(circuit.state(now), state)
      assert.isFalse(circuit.isOverdue(now))
    })
})
