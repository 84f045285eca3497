import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import { requireCurrent } from "../../src/chains/currentHead.ts"
import { NetworkId } from "../../src/domain/NetworkId.ts"
import { seconds } from "../../src/domain/units.ts"
import { type Fault, UpstreamError } from "../../src/upstream/UpstreamError.ts"
import { samples } from "../support/samples.ts"
import { assert, describe, it } from "../support/vitest.ts"

const source = { fault: (fault: Fault) => new UpstreamError({ upstream: "nodes", ...fault }) }
const now = 1_000_000

const ageOf = (id: string) => Effect.map(samples("network_head_age_seconds"), (ages) => ages[`network="${id}"`])

describe("the newest block of a source", () => {
  it("is measured: the age is that of the newest block of any source", function* () {
    const facts = { id: NetworkId.make("heads-a"), blockTime: 12_000 }
    yield* TestClock.setTime(now * 1000)
    assert.strictEqual(yield* ageOf("heads-a"), undefined)
    const outcome = (timestamp: number) =>
      Effect.map(Effect.either(requireCurrent(source, facts, seconds(timestamp))), Either.isRight)
    assert.isTrue(yield* outcome(now - 20))
    assert.strictEqual(yield* ageOf("heads-a"), 20)
    // A node that is behind does not hide a node that follows the network.
    assert.isFalse(yield* outcome(now - 4_000))
    assert.strictEqual(yield* ageOf("heads-a"), 20)
    yield* TestClock.adjust("1 hour")
    assert.isFalse(yield* outcome(now - 20))
    assert.strictEqual(yield* ageOf("heads-a"), 3_620)
    assert.strictEqual((yield* samples("network_head_age_limit_seconds"))['network="heads-a"'], 300)
    assert.isFalse(yield* outcome(now + 9_000))
    assert.strictEqual(yield* ageOf("heads-a"), 3_620)
  })

  it("is not measured if the network was shut down", function* () {
    yield* TestClock.setTime(now * 1000)
    yield* requireCurrent(source, { id: NetworkId.make("heads-b"), sunset: "2001-01-01" }, seconds(1))
    assert.strictEqual(yield* ageOf("heads-b"), undefined)
  })
})
