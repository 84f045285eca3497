import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import type { HistoryQuery } from "../../src/domain/Transaction.ts"
import { seconds, shift } from "../../src/domain/units.ts"
import * as World from "../../src/sandbox/world/World.ts"
import { networkOf, sandboxOf } from "../support/networkInSandbox.ts"
import { settled } from "../support/settled.ts"
import { liveNetworks } from "../support/tier.ts"
import { assert, describe, it } from "../support/vitest.ts"
import { samples } from "./families/samples.ts"

/** The current time in UNIX seconds. */
const now = Date.UTC(2026, 10, 22) / 1000

const hour = 3_600

/** Payments this long ago. */
const [newest, before, late, oldest] = [3 * hour, 20 * hour, 30 * hour, 40 * hour]

/** Families whose sources list only what follows a known transaction. */
const following = ["solana"]

const sources = (family: string): ReadonlyArray<Readonly<Record<string, string>>> => [
  family === "evm" ? { ETHERSCAN_API_KEY: "k" } : { SUBSCAN_API_KEY: "k" },
  ...(family === "cardano" ? [{ BLOCKFROST_PROJECT_ID: "k" }] : [])
]

describe("a transaction that a source lists a day late", () => {
  for (const info of liveNetworks)
    for (const environment of sources(info.family))
      it(`is returned by a refresh on ${info.id} (${Object.keys(environment)}), with as many calls`, function* () {
        yield* TestClock.setTime(now * 1000)
        const world = World.make({ networks: [info] })
        const sandbox = sandboxOf(info, world)
        const network = yield* settled(networkOf(info, sandbox, environment))
        const [text = ""] = samples(info, 1, 78)
        const address = Either.getOrThrow(network.address(text))
        for (const ago of [oldest, late, before, newest])
          world.state.settle(
            info.id,
            { id: ago.toString(16).padStart(64, "0"), to: address, amount: 1_000_000n },
            now - ago
          )
        const read = (more: Omit<HistoryQuery, "address" | "limit">) =>
          settled(network.history?.({ address, limit: 50, ...more }) ?? Effect.dieMessage("no history"))
        const { transactions } = yield* read({})
        const agoOf = new Map(transactions.map(({ hash, timestamp }) => [hash, now - Number(timestamp)]))
        const hashOf = (ago: number) =>
          transactions.find(({ timestamp }) => Math.abs(now - Number(timestamp) - ago) < 60)?.hash ?? ""
        const since = shift(seconds(now), -5 * hour)
        const known = new Set(agoOf.keys())
        const after = { after: hashOf(before) }
        const refresh = (all: ReadonlySet<string>, from = seconds(0)) =>
          Effect.gen(function* () {
            sandbox.calls.clear()
            const part = yield* read({ since, ...after, late: { after: from, known: all } })
            assert.deepStrictEqual([part.more, part.gaps.every(({ isFinal }) => isFinal === true)], [false, true])
            return { hashes: part.transactions.map(({ hash }) => hash).sort(), calls: new Map(sandbox.calls) }
          })
        sandbox.calls.clear()
        const plain = yield* read({ since, ...after })
        const calls = new Map(sandbox.calls)
        const hashes = plain.transactions.map(({ hash }) => hash).sort()
        assert.include(hashes, hashOf(newest))
        assert.notInclude(hashes, hashOf(late))
        assert.deepStrictEqual(yield* refresh(known), { hashes, calls })
        known.delete(hashOf(late))
        const found = following.includes(info.family) ? [] : [hashOf(late)]
        assert.deepStrictEqual(yield* refresh(known), { hashes: [...hashes, ...found].sort(), calls })
        const cut = transactions.find(({ hash }) => hash === hashOf(late))?.timestamp
        assert.deepStrictEqual(yield* refresh(known, cut), { hashes, calls })
      })
})
