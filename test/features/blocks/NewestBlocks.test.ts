import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { NewestBlock, ReadFailure } from "../../../src/chains/Chain.ts"
import { NetworkBlock } from "../../../src/contract/BlocksApi.ts"
import { height, seconds } from "../../../src/domain/units.ts"
import { NewestBlocks } from "../../../src/features/blocks/NewestBlocks.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import { body, Service } from "../../support/app.ts"
import { type AnyNetwork, chainsOf } from "../../support/chains.ts"
import { holder } from "../../support/sandbox.ts"
import { simulated } from "../../support/simulated.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const block = (number: number): NewestBlock => ({ height: height(number), at: seconds(5) })

const down: ReadFailure = { reason: "upstream_error", message: "could not be reached" }

/** A network with a new block at each read, which takes a time, ms; and the number of reads. */
const network = (facts: object, { fails = false, takes = 0 } = {}) => {
  const reads = { count: 0 }
  const newestBlock: Effect.Effect<NewestBlock, ReadFailure> = Effect.suspend(() => {
    reads.count += 1
    const result = fails && reads.count === 1 ? Effect.fail(down) : Effect.succeed(block(reads.count))
    return Effect.delay(result, takes)
  })
  const built = { facts, newestBlock } as AnyNetwork
  const layer = Layer.fresh(NewestBlocks.layer).pipe(
    Layer.provide([chainsOf([built]), Settings.layer({ REQUEST_DEADLINE_MS: "10000" })])
  )
  const newest = (within = 1_000) => Effect.flatMap(NewestBlocks, (blocks) => blocks.newest(built, within))
  return { layer, newest, reads }
}

const first = block(1)

describe("the newest block of a network", () => {
  it("is read once for concurrent callers, and again after the time between two blocks", function* () {
    for (const [facts, lifetime] of [
      [{ id: "a", blockTime: 3_000 }, 3_000],
      [{ id: "b", proxy: { blockTime: 400 } }, 1_000],
      [{ id: "c", blockTime: 600_000 }, 15_000],
      [{ id: "d" }, 15_000]
    ] as const) {
      const { layer, newest, reads } = network(facts)
      yield* Effect.gen(function* () {
        const all = yield* Effect.all([newest(), newest(), newest()], { concurrency: 3 })
        assert.deepStrictEqual(all, [first, first, first], facts.id)
        yield* TestClock.adjust(lifetime - 1)
        assert.deepStrictEqual(yield* newest(), first, facts.id)
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* newest(), block(2), facts.id)
        assert.strictEqual(reads.count, 2, facts.id)
      }).pipe(Effect.provide(layer))
    }
  })

  it("is read again after its time if the clock was set back", function* () {
    const { layer, newest } = network({ id: "d" })
    const { finish, pass, setBack } = simulated(Date.UTC(2026, 0))
    const read = Effect.flatMap(finish(newest()), ({ outcome }) => outcome)
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* read, first)
      setBack(3_600_000)
      yield* pass(15_000)
      assert.deepStrictEqual(yield* read, block(2))
    }).pipe(Effect.provide(layer))
  })

  it("is undefined if it cannot be read, or not in time; a failure is read again after a second", function* () {
    const failing = network({ id: "a" }, { fails: true })
    yield* Effect.gen(function* () {
      assert.strictEqual(yield* failing.newest(), undefined)
      yield* TestClock.adjust(999)
      assert.strictEqual(yield* failing.newest(), undefined)
      const { message, reason } = yield* Effect.flip(Effect.flatMap(NewestBlocks, (blocks) => blocks.of("a")))
      assert.deepStrictEqual({ message, reason }, down)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* failing.newest(), block(2))
    }).pipe(Effect.provide(failing.layer))
    const slow = network({ id: "b" }, { takes: 500 })
    yield* Effect.gen(function* () {
      const early = yield* Effect.fork(slow.newest(100))
      const patient = yield* Effect.fork(slow.newest(600))
      yield* TestClock.adjust(100)
      assert.strictEqual(yield* Fiber.join(early), undefined)
      yield* TestClock.adjust(400)
      // The read went on for the other caller.
      assert.deepStrictEqual(yield* Fiber.join(patient), first)
    }).pipe(Effect.provide(slow.layer))
    const none = network({ id: "c" })
    const without = Effect.flatMap(NewestBlocks, (blocks) => blocks.newest({ facts: { id: "c" } } as AnyNetwork, 100))
    assert.strictEqual(yield* Effect.provide(without, none.layer), undefined)
  })
})

type Histories = Readonly<
  Record<string, Readonly<Record<string, ReadonlyArray<{ readonly block: number | null; readonly timestamp: number }>>>>
>

describe("GET /utils/block/{network}", () => {
  const read = (name: string) =>
    Effect.flatMap(Service, (service) => service.get(`/utils/block/${name}`)).pipe(
      Effect.flatMap((response) =>
        Effect.map(body<{ readonly detail?: string }>(response), (answer) => ({ answer, status: response.status }))
      )
    )

  it.scopedLive(
    "returns the newest block of every network, in the unit of the blocks of histories; 501 for networks that were shut down, 404 for others",
    () =>
      Effect.gen(function* () {
        for (const { aliases, family, id, sunset } of Catalogue.all) {
          const { answer, status } = yield* read((aliases[0] ?? id).toUpperCase())
          assert.strictEqual(status, sunset === undefined ? 200 : 501, `${id} ${answer.detail}`)
          if (sunset !== undefined) continue
          const { at, height, network, updatedAt } = Schema.decodeUnknownSync(NetworkBlock)(answer)
          assert.strictEqual(network as string, id)
          assert.isAbove(height, 0, id)
          // A Blockbook returns no time.
          if (at === null) assert.strictEqual(family, "utxo", id)
          else assert.isBelow(Math.abs(updatedAt / 1000 - at), family === "utxo" ? 7_200 : 60, id)
        }
        const { answer, status } = yield* read("moon")
        assert.strictEqual(status, 404)
        assert.match(String(answer.detail), /^The network must be one of ethereum, .*; it is "moon"\.$/)
        const families = Catalogue.all.filter(
          ({ family }, index) => Catalogue.all.findIndex((other) => other.family === family) === index
        )
        const { post } = yield* Service
        const networks = Object.fromEntries(
          families.map((facts) => [facts.id, ["sampleAddress" in facts ? facts.sampleAddress : holder(1)]])
        )
        const histories = yield* Effect.flatMap(post("/history", { networks, limit: 20 }), (response) =>
          body<Histories>(response)
        )
        for (const { id } of families) {
          const { answer } = yield* read(id)
          const { height, updatedAt } = Schema.decodeUnknownSync(NetworkBlock)(answer)
          const included = Object.values(histories[id] ?? {})
            .flat()
            .filter(({ block }) => block !== null)
          const periods = included.map(
            ({ block, timestamp }) => (updatedAt / 1000 - timestamp) / (height - Number(block))
          )
          assert.isAbove(periods.length, 1, id)
          assert.approximately(Math.max(...periods) / Math.min(...periods), 1, 0.01, id)
        }
      }).pipe(Effect.provide(Service.layer({ SUBSCAN_API_KEY: "key" })))
  )
})
