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

describe("a task that continues if it is cancelled", () => {
  const first = Task.ended(Exit.succeed(1))
  const ways: Readonly<Record<string, (task: Task.Task<number>) => Task.Task<number>>> = {
    "at once": (task) => task,
    "as a second step": (task) => Task.flatMap(first, () => task),
    "as a first step": (task) => Task.flatMap(task, () => first),
    "with a mapped outcome": (task) => Task.mapExit(task, (exit) => exit),
    "within a limit": (task) =>
      Task.limited(
        () => () => {},
        task,
        () => Exit.succeed(0)
      )
  }

  /** A task with a function that ends it; `seen` lists what happens. */
  const started = (within: (task: Task.Task<number>) => Task.Task<number>) => {
    const seen: Array<string> = []
    let end = () => {}
    const task = Task.lasting<number, never>((done) => {
      end = () => done(Exit.succeed(1))
      return () => seen.push("cancelled")
    })
    const cancel = within(task)(() => seen.push("reported"))
    const hold = () => {
      seen.push("held")
      return () => seen.push("ended")
    }
    return { cancel: () => cancel(hold), end: () => end(), seen }
  }

  for (const [name, within] of Object.entries(ways)) {
    it(`tells who cancels it when it ends, ${name}`, () => {
      const { cancel, end, seen } = started(within)
      cancel()
      cancel()
      assert.deepStrictEqual(seen, ["held"])
      end()
      assert.deepStrictEqual(seen, ["held", "ended"])
    })

    it(`holds nothing after its outcome, ${name}`, () => {
      const { cancel, end, seen } = started(within)
      end()
      cancel()
      assert.deepStrictEqual(seen, ["reported"])
    })
  }
})
