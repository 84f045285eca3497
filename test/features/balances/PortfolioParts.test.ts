import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { over, source } from "../prices/pricing.ts"
import { type Fake, holding, holds, network, none, outage, portfolio, reading, summaryOf, token } from "./portfolio.ts"

const [cheap, dear] = [token("cheap", 3), token("dear")]
const prices = { "a-coin": 2, "b-coin": 4, cheap: 1, dear: 1_000 }

describe("a portfolio as a stream", () => {
  const slow = (id: string, seconds: number): Fake => ({
    id,
    holdings: (addresses) =>
      Effect.delay(Effect.succeed(reading(addresses, () => holds(100n, [cheap, 1n], [dear, 1n]))), `${seconds} seconds`)
  })

  it("emits one part per network, fastest first, with the same rows as the complete response", function* () {
    const networks = [network({ ...slow("a", 3), aliases: ["alpha"] }), network(slow("b", 1)), network(slow("c", 2))]
    const { balances, stream } = yield* portfolio(networks, prices)
    const wanted = { a: ["x", "bad", "x"], b: ["y"], nowhere: ["x"], c: ["X", "x"], ALPHA: ["z"] }
    const [skipped, ...parts] = Chunk.toReadonlyArray(yield* settled(Stream.runCollect(stream(wanted))))
    assert.deepStrictEqual(skipped?.rows, [])
    assert.deepStrictEqual(
      skipped?.omissions.map(({ errorCode, network }) => [network, errorCode]),
      [["nowhere", "unknown_network"]]
    )
    assert.deepStrictEqual(
      parts.map(({ rows }) => rows[0]?.blockchain as string),
      ["b", "c", "a"]
    )
    const { rows } = yield* settled(balances(wanted))
    const of = (id: string) => (row: { readonly blockchain: string }) => row.blockchain === id
    const timeless = <A extends { readonly updatedAt?: number }>({ updatedAt: _, ...row }: A) => row
    for (const id of ["a", "b", "c"])
      assert.deepStrictEqual(
        parts.flatMap((part) => part.rows.filter(of(id)).map(timeless)),
        rows.filter(of(id)).map(timeless)
      )
  })

  it("emits each part immediately after its read, and the timeouts before the deadline", function* () {
    const { stream } = yield* portfolio(
      [network({ id: "a", holdings: () => Effect.never }), network(slow("b", 1))],
      prices
    )
    const seen: Array<string> = []
    const fiber = yield* Effect.fork(
      Stream.runForEach(stream({ a: ["x"], b: ["x"] }), ({ rows }) =>
        Effect.sync(() => seen.push(...rows.map(summaryOf)))
      )
    )
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(seen, ["b x B 1 4", "b x DEAR 1 1000", "b x CHEAP 0.001 0.001"])
    yield* TestClock.adjust("12 seconds")
    yield* Fiber.join(fiber)
    assert.deepStrictEqual(seen.slice(3), ["a x A   timeout"])
  })

  it("emits the rows of the other networks when one network fails with a defect", function* () {
    const { stream } = yield* portfolio(
      [network({ id: "a", holdings: () => Effect.die("ours") }), network(holding("b", 100n))],
      prices
    )
    const parts = yield* settled(Stream.runCollect(stream({ a: ["x"], b: ["x"] })))
    assert.deepStrictEqual(
      Chunk.toReadonlyArray(parts)
        .flatMap(({ rows }) => rows.map(summaryOf))
        .sort(),
      ["a x A   upstream_error", "b x B 1 4"]
    )
  })

  it("emits the omissions of a network with its rows", function* () {
    const noList = { reason: "upstream_error", message: "native coins only" } as const
    const listless: Fake = {
      id: "a",
      holdings: (addresses) => Effect.succeed(reading(addresses, () => holds(100n), noList))
    }
    const { stream } = yield* portfolio([network(listless), network(holding("b", 100n))], prices)
    const parts = yield* settled(Stream.runCollect(stream({ a: ["x"], b: ["x"] })))
    assert.sameDeepMembers(
      Chunk.toReadonlyArray(parts).map(({ omissions, rows }) => [rows[0]?.blockchain as string, omissions]),
      [
        ["a", [{ network: "a", message: noList.message, errorCode: noList.reason }]],
        ["b", []]
      ]
    )
  })
})

describe("the balance of one asset", () => {
  const { coinId: _, ...stranger } = token("odd", 1)
  const fake: Fake = {
    id: "a",
    aliases: ["alpha"],
    holding: (address, contract) => {
      if (Option.isNone(contract)) return Effect.succeed({ asset: "native", amount: Either.right(150n) })
      const known = [cheap, stranger].find((listed) => listed.address === contract.value)
      if (known !== undefined && address === "x") return Effect.succeed({ asset: known, amount: Either.right(25n) })
      return Effect.fail({ reason: "invalid_address", message: "tokenAddress: not an address" })
    }
  }
  const requestAsset = (element: Fake = fake) =>
    Effect.map(
      portfolio([network(element)], prices),
      ({ token }) =>
        (name: string, address: string, contract?: string) =>
          settled(token(name, address, Option.fromNullable(contract)))
    )

  it("is that of the native coin if no token is given", function* () {
    const query = yield* requestAsset()
    for (const name of ["a", "ALPHA"])
      assert.deepStrictEqual(yield* query(name, "X"), Option.some({ balance: "1.5", balanceUsd: "3", price: "2" }))
  })

  it("is that of the native coin for a token address that means the native coin, even if the read fails", function* () {
    const meansNative = (text: string) => text === "zero"
    const query = yield* requestAsset({ ...fake, meansNative })
    assert.deepStrictEqual(yield* query("a", "x", "zero"), yield* query("a", "x"))
    const failing = yield* requestAsset({ id: "a", meansNative, holding: () => Effect.fail(outage) })
    assert.deepInclude(Option.getOrThrow(yield* failing("a", "x", "zero")), { balance: null, price: "2" })
    assert.deepInclude(Option.getOrThrow(yield* failing("a", "x", "other")), { balance: null, price: null })
  })

  it("includes the value of a token", function* () {
    const query = yield* requestAsset()
    assert.deepStrictEqual(
      yield* query("a", "x", "0xcheap"),
      Option.some({ balance: "0.025", balanceUsd: "0.025", price: "1" })
    )
  })

  it("has no price if the token is in no registry", function* () {
    const query = yield* requestAsset()
    assert.deepStrictEqual(
      yield* query("a", "x", "0xodd"),
      Option.some({
        balance: "2.5",

        balanceUsd: null,
        price: null,
        error: "no source has a current price",
        errorCode: "no_price" as const
      })
    )
  })

  it("has a reason if the address or the token is malformed", function* () {
    const query = yield* requestAsset()
    const invalid = { balance: null, balanceUsd: null, errorCode: "invalid_address" as const }
    assert.deepStrictEqual(
      yield* query("a", "bad"),
      Option.some({ ...invalid, price: "2", error: "an address does not begin with bad" })
    )
    assert.deepStrictEqual(
      yield* query("a", "x", "?"),
      Option.some({ ...invalid, price: null, error: "tokenAddress: not an address" })
    )
  })

  it("is `Option.none` for an unsupported network", function* () {
    const query = yield* requestAsset()
    assert.isTrue(Option.isNone(yield* query("nowhere", "x")))
  })

  it("has the reason when the network fails, hangs or throws", function* () {
    const failures = [
      [Effect.fail(outage), "upstream_error"],
      [Effect.never, "timeout"],
      [Effect.die(new Error("ours")), "upstream_error"]
    ] as const
    for (const [fate, errorCode] of failures) {
      const query = yield* requestAsset({ id: "a", holding: () => fate })
      const row = Option.getOrThrow(yield* query("a", "x"))
      assert.deepInclude(row, { balance: null, balanceUsd: null, price: "2", errorCode })
      assert.match(row.error ?? "", /\S/)
    }
  })

  it("is returned before the deadline without a value when the price sources hang", function* () {
    const hanging = source("s")
    hanging.state.pause = Effect.never
    const { token } = yield* portfolio([network(fake)], Layer.orDie(over(hanging)), { REQUEST_DEADLINE_MS: "1000" })
    const fiber = yield* Effect.fork(token("a", "x", none))
    yield* TestClock.adjust("950 millis")
    assert.deepStrictEqual(
      yield* Fiber.join(fiber),
      Option.some({
        balance: "1.5",

        balanceUsd: null,
        price: null,
        error: "the price sources timed out",
        errorCode: "timeout" as const
      })
    )
  })
})
