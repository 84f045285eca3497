import * as Effect from "effect/Effect"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import { tenderly } from "../../../src/sandbox/evm/tenderly.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import type { SimulatedRequest } from "../../../src/sandbox/world/wire.ts"
import { holder } from "../../support/sandbox.ts"
import { assert, describe, it } from "../../support/vitest.ts"

describe("the simulated Tenderly", () => {
  it("reports a transaction that reverts as failed, with the reason", function* () {
    const answer = tenderly([ethereum])
    const [token] = World.contractsOn(ethereum.platform)
    const simulated = (input: string) =>
      Effect.promise(async () => {
        const body = JSON.stringify({ network_id: "1", from: holder(1), to: token?.address, input })
        const response = answer({ method: "POST", path: "/simulate", body, now: 0 } as SimulatedRequest)
        return (await response.json()) as Readonly<
          Record<"transaction" | "simulation", Readonly<Record<string, unknown>>>
        >
      })
    // name() and a function that no token has.
    const done = yield* simulated("0x06fdde03")
    assert.deepStrictEqual([done.transaction.status, done.simulation.status], [true, true])
    assert.notProperty(done.transaction, "error_message")
    const { simulation, transaction } = yield* simulated("0x12345678")
    const failed = { status: false, error_message: "execution reverted" }
    assert.deepInclude(simulation, failed)
    assert.deepInclude(transaction, {
      ...failed,
      error_info: { error_message: "execution reverted", address: token?.address }
    })
  })

  it("keeps the last thousand simulations", function* () {
    const answer = tenderly([])
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
