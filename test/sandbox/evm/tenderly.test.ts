import * as Effect from "effect/Effect"
import { tenderly } from "../../../src/sandbox/evm/tenderly.ts"
import type { SimulatedRequest } from "../../../src/sandbox/world/wire.ts"
import { assert, describe, it } from "../../support/vitest.ts"

describe("the simulated Tenderly", () => {
  it("keeps the last thousand simulations", function* () {
    const answer = tenderly()
    const send = (path: string, body: string) =>
      Effect.promise(async () => answer({ method: "POST", path, body, now: 0 } as SimulatedRequest))
    const saved = (nth: number) =>
      Effect.gen(function* () {
        const response = yield* send("/simulate", JSON.stringify({ value: String(nth) }))
        const { simulation } = (yield* Effect.promise(() => response.json())) as {
          readonly simulation: { readonly id: string }
        }
        return simulation.id
      })
    const isKept = (id: string) => Effect.map(send(`/simulations/${id}/share`, ""), ({ status }) => status === 204)
    const first = yield* saved(0)
    const second = yield* saved(1)
    for (let nth = 2; nth < 1_000; nth++) yield* saved(nth)
    assert.isTrue(yield* isKept(first))
    yield* saved(1_000)
    assert.deepStrictEqual([yield* isKept(first), yield* isKept(second)], [false, true])
  })
})
