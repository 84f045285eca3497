import * as Effect from "effect/Effect"
import * as Admission from "../../../src/http/access/Admission.ts"
import { Lateness } from "../../../src/kernel/Lateness.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const [small, usual] = [200, 500]

/** An admission whose limit is as low as possible, with clients that send requests of any size. */
const late = Effect.gen(function* () {
  const observers: Array<(isLate: boolean) => void> = []
  const admission = yield* Effect.provideService(Admission.make(1_000), Lateness, {
    isLate: () => true,
    wasLate: () => true,
    total: () => 0,
    observe: (observe) => observers.push(observe)
  })
  for (const observe of observers) observe(true)
  const running = new Map<string, Array<Admission.Admitted>>()
  const inProgress = (client: string) => running.get(client)?.length ?? 0
  return {
    inProgress,
    /** Sends a request; true if it is admitted. */
    send: (client: string, bytes: number): boolean => {
      const call: Admission.Admitted = { identity: { client: () => client }, admission: undefined }
      if (!admission.admit(call, bytes, 0)) return false
      admission.started(call, bytes)
      running.set(client, [...(running.get(client) ?? []), call])
      return true
    },
    /** Ends the oldest request of a client. */
    end: (client: string): void => {
      const [first, ...rest] = running.get(client) ?? []
      if (first !== undefined) admission.leave(first)
      running.set(client, rest)
    }
  }
})

describe("the admission of a late process", () => {
  for (const [name, bytes] of [
    ["usual", usual],
    ["small", small]
  ] as const)
    it(`admits a client beside one that repeats ${name} requests at once`, function* () {
      const { end, inProgress, send } = yield* late
      const repeat = () => {
        for (let times = 0; times < 20; times++) send("X", bytes)
      }
      for (let times = 0; times < 3; times++) repeat()
      assert.isTrue(send("Y", usual))
      for (let round = 0; round < 100; round++) {
        end("X")
        repeat()
        send("Y", usual)
        repeat()
      }
      assert.isAtLeast(inProgress("Y"), 4)
      assert.strictEqual(send("Z", small), true)
    })

  it("counts a request by its size, and one of unknown size as a large one", function* () {
    for (const [bytes, most] of [
      [usual, 32],
      [3_000, 10],
      [25_000, 2],
      [10_000_000, 2],
      [Number.NaN, 2]
    ] as const) {
      const { send } = yield* late
      const admitted = Array.from({ length: 40 }, (_, client) => send(String(client), bytes))
      assert.strictEqual(admitted.filter(Boolean).length, most, String(bytes))
    }
  })
})
