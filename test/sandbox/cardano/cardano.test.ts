import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { cardano } from "../../../src/catalogue/cardano.ts"
import { Chain } from "../../../src/chains/Chain.ts"
import * as Cardano from "../../../src/chains/cardano/Cardano.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { withBlockfrostKey } from "../../support/cardano.ts"
import { responseTo } from "../../support/rawTransactions.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const network = (environment: Readonly<Record<string, string>>) =>
  Layer.provide(
    Cardano.layer,
    Layer.mergeAll(
      Sandbox.layer([cardano]),
      TokenRegistry.layerTest({}),
      Layer.fresh(Upstreams.layer),
      Memory.layer()
    ).pipe(Layer.provideMerge(Settings.layer(environment)))
  )

const transaction = "84a3008001800200a0f5f6"
const id = "36fdff68dfe3660f1ceea60f018a0fd7a83da13def229108794c397a879b0436"

/** The protocol parameters and the newest block from an upstream. */
const read = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { protocolParameters } = yield* Chain
    const { block, current } = protocolParameters ?? assert.fail("no parameters")
    return { parameters: JSON.parse((yield* current).json), block: JSON.parse((yield* block).json) }
  }).pipe(Effect.provide(network(environment)))

describe("the simulated Cardano", () => {
  for (const [name, environment] of [
    ["Koios", {}],
    ["Blockfrost", withBlockfrostKey]
  ] as const)
    it.effect(`accepts a transaction of unknown outputs repeatedly, and finds it only after it was sent: ${name}`, () =>
      Effect.gen(function* () {
        const { rawTransactions } = yield* Chain
        const { prepareLookup, prepareSend } = rawTransactions ?? assert.fail("no raw transactions")
        const send = (hex: string) => responseTo(Either.getOrThrow(prepareSend?.(hex) ?? Either.left("cannot send")))
        assert.strictEqual((yield* Either.getOrThrow(prepareLookup(id))).verdict, "unknown")
        const sent = { verdict: "done", body: `"${id}"`, contentType: "application/json" }
        assert.deepStrictEqual(yield* send(transaction), sent as never)
        assert.deepStrictEqual(yield* send(transaction), sent as never)
        const found = yield* Either.getOrThrow(prepareLookup(id))
        assert.deepStrictEqual([found.verdict, found.body.includes(transaction)], ["done", true])
        assert.isTrue(Either.isRight(prepareSend?.(transaction) ?? Either.left("")))
      }).pipe(Effect.provide(network(environment)))
    )

  it("returns the same parameters and newest block from both upstreams at any time", function* () {
    for (const at of [1_790_000_000_000, 1_790_000_019_999, 1_795_305_600_000]) {
      yield* TestClock.setTime(at)
      const [koios, blockfrost] = [yield* read({}), yield* read(withBlockfrostKey)]
      // Koios does not name the parameters of the cost models.
      assert.deepStrictEqual(koios, { ...blockfrost, parameters: { ...blockfrost.parameters, cost_models: null } })
      assert.isTrue(at / 1000 - koios.block.time < 20 && koios.block.time <= at / 1000)
      assert.strictEqual(koios.parameters.epoch, koios.block.epoch)
      assert.isNull(koios.block.next_block)
    }
  })
})
