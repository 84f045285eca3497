import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Task from "../../src/kernel/Task.ts"
import { assert, describe, it } from "../support/vitest.ts"

describe("a task that continues with a second step", () => {
  it("fails with a defect of the second step", function* () {
    const later = Task.fromEffect(Effect.runFork)(Effect.yieldNow())
    const broken = Task.andThen(later, (): Task.Task<number> => {
      throw new Error("second step")
    })
    const exit = yield* Effect.exit(Task.toEffect(broken))
    assert.include(String(Exit.isFailure(exit) && exit.cause), "second step")
  })
})
