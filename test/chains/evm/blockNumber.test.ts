import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as EvmMethodPolicy from "../../../src/chains/evm/rpc/EvmMethodPolicy.ts"
import { byHost, simulatedClient, text } from "../../support/http.ts"
import { call, type EffectRpc, node, rpcOver } from "../../support/rpc.ts"
import { test } from "../../support/upstream.ts"

const blockTime = 500

/** Pseudo-random numbers from 0 to 1 that depend only on the seed. */
const dice = (seed: number) => {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** A node that lags by up to three blocks, sometimes fails, and answers with a delay. */
const unsteady = (roll: () => number) => {
  let lag = 0
  return (request: Parameters<ReturnType<typeof node>>[0]) =>
    Effect.flatMap(TestClock.currentTimeMillis, (now) => {
      if (roll() < 0.1) lag = Math.floor(roll() * 4)
      const number = `0x${(100 + Math.floor(now / blockTime) - lag).toString(16)}`
      const answer = node(({ method }) => (method === "eth_blockNumber" ? number : { number, blockNumber: number }))(
        request
      )
      const reply = roll() < 0.05 ? text("down", { status: 500 }) : answer
      return Effect.delay(reply, Math.floor(roll() * roll() * 1_500))
    })
}

const number = call("eth_blockNumber", "[]")

/** Calls that reveal a block to the proxy. Each returns the block number that the client receives, if any. */
const headCalls: ReadonlyArray<(rpc: EffectRpc) => Effect.Effect<string | undefined, unknown>> = [
  (rpc) => Effect.map(rpc.call(number), ({ text }) => text),
  (rpc) => Effect.map(rpc.call(number), ({ text }) => text),
  (rpc) => Effect.as(rpc.call(call("eth_getBlockByNumber", '["latest",false]')), undefined),
  (rpc) =>
    Effect.map(rpc.batch([number, call("eth_getTransactionReceipt", '["0x01"]')]), ([first]) =>
      first === undefined || Either.isLeft(first) ? undefined : first.right.text
    )
]

describe("eth_blockNumber", () => {
  for (const seed of [1, 2])
    test(
      `is never below a number that was returned before the call (seed ${seed})`,
      () => {
        const roll = dice(seed)
        return simulatedClient(byHost({ "one.example": unsteady(roll), "two.example": unsteady(roll) }))
      },
      function* () {
        const roll = dice(seed + 100)
        const rpc = yield* rpcOver(EvmMethodPolicy.make({ chainId: 1, blockTime, finality: 10 }))
        let highest = 0
        const client = Effect.suspend(() => {
          const before = highest
          const way = headCalls[Math.floor(roll() * headCalls.length)]?.(rpc) ?? Effect.succeed(undefined)
          return Effect.map(Effect.option(way), (found) => {
            const text = Option.getOrUndefined(found)
            if (text === undefined) return
            const returned = Number(JSON.parse(text))
            assert.isAtLeast(returned, before)
            highest = Math.max(highest, returned)
          })
        })
        const clients: Array<Fiber.Fiber<void>> = []
        for (let step = 0; step < 100; step++) {
          clients.push(yield* Effect.fork(client))
          yield* TestClock.adjust(Math.floor(roll() * 120))
        }
        yield* TestClock.adjust("20 seconds")
        yield* Fiber.joinAll(clients)
        assert.isAbove(highest, 105)
      }
    )
})
