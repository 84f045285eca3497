import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { BreakdownReader, DetailedBalance, ReadFailure } from "../../../src/chains/Chain.ts"
import { fullySpendable } from "../../../src/chains/kit/holdings/Breakdown.ts"
import { Service } from "../../support/app.ts"
import { sandboxExcept } from "../../support/beside.ts"
import { json, simulatedClient } from "../../support/http.ts"
import { ledger } from "../../support/RippleNodes.ts"
import { run } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { type Fake, holding, network, outage, portfolio, reading, token } from "./portfolio.ts"

type Read = ReturnType<BreakdownReader["read"]>

const coin = token("coin", 3)

/** A network whose breakdown reader returns these results, and the addresses requested from the reader. */
const detailed = (
  read: (address: string) => Either.Either<DetailedBalance, ReadFailure> | "defect" | "never",
  more: Partial<BreakdownReader> = {}
) => {
  const requested: Array<string> = []
  const breakdown: BreakdownReader = {
    parts: ["spendable", "reserved", "staked"],
    read: (addresses): Read => {
      requested.push(...addresses)
      const all = addresses.map(read)
      if (all.includes("never")) return Effect.never
      return all.includes("defect") ? Effect.die("broken") : Effect.succeed(all as never)
    }
  }
  Object.assign(breakdown, more)
  const fake: Fake = {
    ...holding("alpha", 12_345n, [coin, 1_500n]),
    holding: () => Effect.succeed({ asset: "native", amount: Either.right(12_345n) }),
    breakdown
  }
  return { requested, layer: network(fake) }
}

const detail: DetailedBalance = { amount: 12_400n, parts: { spendable: 12_000n, reserved: 400n, staked: 7n } }

const native = Effect.fnUntraced(function* (
  layer: ReturnType<typeof network>,
  options: { readonly detail?: boolean },
  ...texts: Array<string>
) {
  const { balances } = yield* portfolio([layer], { "alpha-coin": 2 })
  const { rows } = Either.getOrThrow(yield* run(balances({ alpha: texts }, options), 1_000))
  return rows.filter(({ tokenType }) => tokenType === "NATIVE")
})

describe("a native balance with a breakdown", () => {
  it("keeps its amount, with null parts and the reason, if a list of parts adds up to another amount", function* () {
    for (const [amount, expected] of [
      [12_345n, { balance: "123.45", errorCode: undefined }],
      [999_999_999n, { balance: "123.45", errorCode: "bad_answer" }]
    ] as const) {
      const { layer } = detailed(() => Either.right({ ...detail, amount }), { isSum: true })
      const [row] = yield* native(layer, { detail: true }, "a")
      assert.deepStrictEqual({ balance: row?.balance, errorCode: row?.breakdown?.errorCode }, expected)
      assert.strictEqual(row?.breakdown?.spendable, expected.errorCode === undefined ? "120" : null)
      const { token: single } = yield* portfolio([layer], { "alpha-coin": 2 })
      const one = yield* run(single("alpha", "a", Option.none(), { detail: true }), 1_000)
      assert.strictEqual(Option.getOrThrow(Either.getOrThrow(one)).balance, "123.45")
    }
  })

  it("is the amount read with its parts, which are read once for all spellings, and only with `detail`", function* () {
    const { requested, layer } = detailed(() => Either.right(detail))
    for (const row of yield* native(layer, { detail: true }, "a", "A", "bad", "a")) {
      if (row.holderAddress === "bad") assert.notProperty(row, "breakdown")
      else {
        assert.strictEqual(row.balance, "124")
        assert.strictEqual(row.balanceUsd, "248")
        assert.deepStrictEqual(row.breakdown, { spendable: "120", reserved: "4", staked: "0.07" })
      }
    }
    assert.deepStrictEqual(requested, ["a"])
    const [plain] = yield* native(layer, {}, "a")
    assert.strictEqual(plain?.balance, "123.45")
    assert.notProperty(plain ?? {}, "breakdown")
    assert.strictEqual(requested.length, 1)
  })

  for (const [what, read, parts, reason] of [
    ["fails", () => Either.left(outage), { spendable: null, reserved: null, staked: null }, "upstream_error"],
    ["breaks", () => "defect" as const, { spendable: null, reserved: null, staked: null }, "upstream_error"],
    ["times out", () => "never" as const, { spendable: null, reserved: null, staked: null }, "timeout"],
    [
      "lacks a part",
      () => Either.right({ amount: 12_345n, parts: { spendable: 12_345n, reserved: 0n }, missing: outage }),
      { spendable: "123.45", reserved: "0", staked: null },
      "upstream_error"
    ]
  ] as const)
    it(`keeps its amount and has null parts with the reason when the read ${what}`, function* () {
      const { layer } = detailed(read)
      const [row] = yield* native(layer, { detail: true }, "a")
      assert.strictEqual(row?.balance, "123.45")
      assert.isUndefined(row?.error)
      assert.deepInclude(row?.breakdown ?? {}, { ...parts, errorCode: reason })
      assert.isString(row?.breakdown?.error)
    })

  it("is fully spendable if the network has no other parts, unless the holding has parts", function* () {
    const simple = network({ ...holding("alpha", 12_345n), breakdown: fullySpendable })
    assert.deepStrictEqual((yield* native(simple, { detail: true }, "a"))[0]?.breakdown, { spendable: "123.45" })
    assert.notProperty((yield* native(simple, {}, "a"))[0] ?? {}, "breakdown")
    const parts = { spendable: 12_000n, rewards: 345n }
    const split = network({
      id: "alpha",
      breakdown: fullySpendable,
      holdings: (addresses) =>
        Effect.succeed(
          reading(addresses, () => Either.right([{ asset: "native", amount: Either.right(12_345n), parts }]))
        )
    })
    for (const options of [{}, { detail: true }])
      assert.deepStrictEqual((yield* native(split, options, "a"))[0]?.breakdown, {
        spendable: "120",
        rewards: "3.45"
      })
    const unknown = network(holding("alpha", 12_345n))
    assert.notProperty((yield* native(unknown, { detail: true }, "a"))[0] ?? {}, "breakdown")
  })

  it("is null and has no parts if the balance could not be read", function* () {
    const failing = network({
      id: "alpha",
      breakdown: { parts: ["spendable"], read: (all) => Effect.succeed(all.map(() => Either.right(detail))) },
      holdings: (addresses) => Effect.succeed(reading(addresses, () => Either.left(outage)))
    })
    const [row] = yield* native(failing, { detail: true }, "a")
    assert.isNull(row?.balance)
    assert.isUndefined(row?.breakdown)
  })

  it("is returned for a single native coin, but not for a token", function* () {
    const { requested, layer } = detailed(() => Either.right(detail))
    const { token } = yield* portfolio([layer], { "alpha-coin": 2 })
    const options = { detail: true }
    const found = Option.getOrThrow(yield* token("alpha", "a", Option.none(), options))
    assert.deepInclude(found, { balance: "124", breakdown: { spendable: "120", reserved: "4", staked: "0.07" } })
    assert.notProperty(Option.getOrThrow(yield* token("alpha", "a", Option.none())), "breakdown")
    assert.notProperty(Option.getOrThrow(yield* token("alpha", "a", Option.some("0xcoin"), options)), "breakdown")
    assert.deepStrictEqual(requested, ["a"])
  })
})

const alice = "rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH"
const bob = "rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe"

describe("a read that two clients wait for", () => {
  it.live("continues for the second client when the first one disconnects", function* () {
    const entered = yield* Deferred.make<void>()
    const joined = yield* Deferred.make<void>()
    const release = yield* Deferred.make<void>()
    const nodes = simulatedClient(({ body }) => {
      const { method, params } = JSON.parse(body)
      const { account } = params[0]
      const reserves = {
        info: { validated_ledger: { age: 2, seq: 98_430_992, reserve_base_xrp: 1, reserve_inc_xrp: 0.2 } }
      }
      const accounts = { account_data: { Account: account, Balance: "2000000", OwnerCount: 2 } }
      const result = method === "server_info" ? reserves : accounts
      const answer = json({ result: { ...result, ...ledger, status: "success" } })
      if (account === bob) return Effect.zipRight(Deferred.succeed(joined, undefined), answer)
      if (method !== "server_info") return answer
      return Deferred.succeed(entered, undefined).pipe(
        Effect.zipRight(Deferred.await(release)),
        Effect.zipRight(answer)
      )
    })
    yield* Effect.gen(function* () {
      const { handler } = yield* Service
      const query = (networks: Readonly<Record<string, ReadonlyArray<string>>>, more: RequestInit = {}) => {
        const body = JSON.stringify({ networks, detail: true })
        const headers = { "content-type": "application/json" }
        const request = new Request("http://wallet.test/balance", { method: "POST", headers, body, ...more })
        return Effect.fork(Effect.promise(() => handler(request)))
      }
      const client = new AbortController()
      const first = yield* query({ ripple: [alice] }, { signal: client.signal })
      yield* Deferred.await(entered)
      const second = yield* query({ ripple: [bob], bitcoin: ["1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"] })
      yield* Deferred.await(joined)
      client.abort()
      assert.strictEqual((yield* Fiber.join(first)).status, 499)
      yield* Deferred.succeed(release, undefined)
      const response = yield* Fiber.join(second)
      assert.strictEqual(response.status, 200)
      const rows = (yield* Effect.promise(() => response.json())) as ReadonlyArray<{
        readonly blockchain: string
        readonly balance: string | null
        readonly breakdown?: unknown
      }>
      const [xrp] = rows
      assert.deepStrictEqual(xrp?.breakdown, { spendable: "0.6", reserved: "1.4" })
      assert.isString(rows.find(({ blockchain }) => blockchain === "bitcoin")?.balance)
    }).pipe(Effect.provide(Service.layer({}, sandboxExcept(/^ripple-/, nodes.layer))))
  })
})
