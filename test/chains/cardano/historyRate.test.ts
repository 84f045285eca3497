import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { CurrentPriority, priorities } from "../../../src/upstream/Priority.ts"
import { network, pathOf, stake } from "../../support/cardano.ts"
import { hash, historyOf, koiosOf, paid } from "../../support/cardanoHistory.ts"
import type { Reply, SentRequest } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** Results of many concurrent histories, and the times of the calls to Koios by endpoint. */
const concurrent = Effect.fnUntraced(function* (accounts: number, count: number, limit: number) {
  const times = new Map<string, Array<number>>()
  const all = paid(count)
  const host = (request: SentRequest): Reply =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const path = pathOf(request)
      times.set(path, [...(times.get(path) ?? []), now])
      return koiosOf(request.url.searchParams.get("_stake_address") ?? "", all)(request)
    })
  const built = yield* network({ "koios.test": host })
  const parts = yield* settled(
    Effect.forEach(
      Array.from({ length: accounts }, (_, index) => stake(index + 1)),
      (address) => Effect.either(historyOf(built, { address, limit })),
      { concurrency: "unbounded" }
    ).pipe(Effect.provideService(CurrentPriority, priorities.history)),
    "1 second"
  )
  return { parts, times }
})

/** Maximum number of calls within ten seconds. */
const max = (times: ReadonlyArray<number>) =>
  Math.max(...times.map((start) => times.filter((time) => time >= start && time < start + 10_000).length))

describe("histories of many accounts at once", () => {
  it("are complete for 20 accounts", function* () {
    const { parts, times } = yield* concurrent(20, 60, 50)
    for (const part of parts) {
      const { missing, more, transactions } = Either.getOrThrow(part)
      assert.deepStrictEqual({ missing, more }, { missing: [], more: true })
      assert.deepStrictEqual(
        transactions.map((transaction) => transaction.hash),
        Array.from({ length: 50 }, (_, index) => hash(60 - index))
      )
    }
    assert.strictEqual(times.get("/tx_info")?.length, 80)
  })

  it("call no endpoint more than 100 times in ten seconds, and report what is missing", function* () {
    for (const [accounts, count, limit] of [
      [5, 700, 500],
      [200, 5, 5]
    ] as const) {
      const { parts, times } = yield* concurrent(accounts, count, limit)
      for (const [path, all] of times) assert.isAtMost(max(all), 100, path)
      for (const part of parts) {
        if (Either.isLeft(part)) {
          assert.deepInclude(part.left as object, { reason: "rate_limited" })
          continue
        }
        const { missing, transactions } = part.right
        assert.deepStrictEqual(
          transactions.map((transaction) => transaction.hash),
          Array.from({ length: transactions.length }, (_, index) => hash(count - index))
        )
        assert.deepStrictEqual(
          missing,
          transactions.length === limit ? [] : ["older transactions: koios: too many calls are queued"]
        )
      }
      assert.isTrue(parts.some(Either.isRight))
    }
  }, 60_000) // Each of the hundreds of waits takes real time, so that all fibers can continue.
})
