import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import type { NetworkFacts } from "../../../src/catalogue/NetworkFacts.ts"
import { heightsOf } from "../../../src/chains/kit/history/heights.ts"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import {
  distance,
  millis,
  numberOf,
  type Seconds,
  seconds,
  shift,
  toMillis,
  toSeconds
} from "../../../src/domain/units.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { networkOf, sandboxOf } from "../../support/networkInSandbox.ts"
import { settled } from "../../support/settled.ts"
import { liveNetworks } from "../../support/tier.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { samples } from "../families/samples.ts"

const clock = millis(Date.UTC(2026, 10, 22))

const keys = { SUBSCAN_API_KEY: "k", ETHERSCAN_API_KEY: "k", BLOCKFROST_PROJECT_ID: "k" }

/** The newest transaction of any of a few addresses. */
const newestOf = Effect.fnUntraced(function* (info: NetworkFacts) {
  const network = yield* settled(networkOf(info, sandboxOf(info, World.make({ networks: [info] })), keys))
  const lists = yield* Effect.forEach(samples(info, 8), (text) =>
    settled(network.history?.({ address: Either.getOrThrow(network.address(text)), limit: 50 }) ?? Effect.die(info.id))
  )
  const settledOnes = lists.flatMap(({ transactions }) => transactions.filter(({ status }) => status !== "Pending"))
  const [first, ...others] = settledOnes
  if (first === undefined) return yield* Effect.dieMessage(`no transactions of ${info.id}`)
  const newest = others.reduce((last, next) => (next.timestamp > last.timestamp ? next : last), first)
  return { network, newest }
})

/** Families whose pages are separated by a time, and the position of a transaction at another time. */
const dated: Readonly<Record<string, (transaction: Transaction, time: Seconds) => Transaction>> = {
  ton: (transaction, timestamp) => ({ ...transaction, timestamp }),
  polkadot: (transaction, timestamp) => ({ ...transaction, timestamp }),
  tron: (transaction, timestamp) => ({ ...transaction, timestamp, order: numberOf(toMillis(timestamp)) })
}

describe("the bound of the position of a page", () => {
  for (const info of liveNetworks)
    it(`is in the unit of the positions of ${info.id}: not below its newest block, and not far above`, function* () {
      yield* TestClock.setTime(numberOf(clock))
      const { network, newest } = yield* newestOf(info)
      const { max, of } = heightsOf(network)
      assert.isTrue(of(newest) <= max(clock))
      // Only nodes of the Bitcoin family accept a block that is earlier than the one below it.
      assert.strictEqual(heightsOf(network).disorder, info.family === "utxo" ? 7_200 : undefined)
      const at = dated[info.family]
      const now = toSeconds(clock)
      if (at === undefined) {
        const head = yield* settled(network.newestBlock ?? Effect.dieMessage(`no newest block of ${info.id}`))
        assert.isTrue(numberOf(of(newest)) <= numberOf(head.height))
        // Blocks come at most ten times as fast as on average, counted from 1970 because simulated networks do. Their
        // block times differ from the real ones by at most a factor of ten.
        const ratio = numberOf(max(clock)) / numberOf(head.height)
        assert.isAtLeast(ratio, 1)
        assert.isAtMost(ratio, 100)
        return
      }
      const accepts = (ahead: number) => of(at(newest, shift(now, ahead))) <= max(clock)
      assert.deepStrictEqual([accepts(0), accepts(7_200), accepts(7_260)], [true, true, false])
      assert.isBelow(Math.abs(distance(newest.timestamp, now)), 365 * 86_400)
      // Before the first block of the network, a simulated clock limits nothing.
      assert.isTrue(of(newest) <= max(toMillis(seconds(1))))
    })
})
