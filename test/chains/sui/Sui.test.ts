import { inspect } from "node:util"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { Token } from "../../../src/domain/Token.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { faultyHosts } from "../../support/faults.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import {
  answering,
  coin,
  hosting,
  isOfMetadata,
  keysOf,
  long,
  metadataOf,
  network,
  owners,
  page,
  type Query,
  token
} from "./hosts.ts"

const [alice = "", bob = ""] = owners(2)
const sui = `${long("2")}::sui::SUI`
const usdc = token(`${long("dba3")}::usdc::USDC`, "usd-coin")
const cetus = token(`${long("6864a6")}::cetus::CETUS`, "cetus-protocol", 9)
const registry = [usdc, cetus, token(sui, "sui", 9)]

const amountOf = (asset: Token | "native", amount: bigint) => ({ asset, amount: Either.right(amount) })
const natives = (...amounts: ReadonlyArray<bigint>) =>
  amounts.map((amount) => Either.right([amountOf("native", amount)]))

const failed = (code: string, path?: ReadonlyArray<string | number>) => ({
  message: "secret words of the host",
  ...(path === undefined ? {} : { path }),
  extensions: { code }
})

describe("Sui holdings", () => {
  it("contain the native coin, even at zero, and the registered tokens with a balance", function* () {
    const host = hosting({
      [alice]: [
        coin("0x6864a6::cetus::CETUS", "18446744073709551615"),
        coin("0x2::sui::SUI", "7"),
        coin(usdc.address, "0"),
        coin("0x99::spam::SPAM", "5")
      ]
    })
    const { holdings, missing } = yield* network(host, registry)
    assert.deepStrictEqual((yield* settled(holdings([bob, alice]))) as unknown, [
      ...natives(0n),
      Either.right([amountOf("native", 7n), amountOf(cetus, 2n ** 64n - 1n)])
    ])
    assert.isUndefined(yield* settled(missing([alice])))
  })

  it("have the decimals of the coins' metadata, which are read once for each type, and not those of the list", function* () {
    const listed = [token(usdc.address, "usd-coin", 9), token(cetus.address, "cetus-protocol", 0)]
    const requests: Array<Query> = []
    const host = hosting({ [alice]: [coin(usdc.address, "5")], [bob]: [coin(cetus.address, "7")] }, requests)
    const { confirmed, holdings } = yield* network(host, listed)
    for (const held of [[alice], [alice, bob], [alice, bob]]) {
      const [read] = (yield* settled(holdings(held))) as ReadonlyArray<unknown>
      assert.deepStrictEqual(read, Either.right([amountOf("native", 0n), amountOf(usdc, 5n)]))
    }
    const types = requests.filter(isOfMetadata).map(({ variables }) => Object.values(variables))
    assert.deepStrictEqual(types, [[usdc.address], [cetus.address]])
    assert.deepStrictEqual(yield* confirmed([usdc.address, cetus.address]), [6, 9])
  })

  it("have no amount of a coin whose decimals cannot be read, with the reason", function* () {
    const held = page([coin(usdc.address, "5"), coin(sui, "7")])
    const old = { checkpoint: { timestamp: "1970-01-01T00:00:00Z" } }
    yield* TestClock.adjust("1 day")
    for (const [metadata, message] of [
      [{ t0: null }, "sui-graphql: there is no coin of this type, or its decimals are unknown"],
      [{ t0: { decimals: 6 }, ...old }, "sui-graphql: the node is behind the network"]
    ] as const) {
      const host = answering((query) => ({
        data: isOfMetadata(query) ? metadata : { multiGetAddresses: keysOf(query).map(() => held) }
      }))
      const { confirmed, holdings } = yield* network(host, registry)
      assert.deepStrictEqual<unknown>(yield* settled(holdings([alice])), [
        Either.right([amountOf("native", 7n), { asset: usdc, amount: Either.left({ reason: "bad_answer", message }) }])
      ])
      assert.deepStrictEqual(yield* confirmed([usdc.address]), [undefined])
    }
  })

  it("contain only the native coin if the token list is unavailable", function* () {
    const { holdings, missing } = yield* network(
      hosting({ [alice]: [coin(sui, "7"), coin(usdc.address, "5")] }),
      undefined
    )
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, natives(7n))
    assert.match((yield* settled(missing([alice]))) ?? "", /native coins only/)
  })

  it("take one query per 20 addresses, within the size that hosts accept", function* () {
    const cost: Record<number, number> = {}
    for (const count of [1, 5, 50]) {
      const requests: Array<Query> = []
      const { holdings, seen } = yield* network(hosting({}, requests), registry)
      assert.deepStrictEqual(
        (yield* settled(holdings(owners(count)))) as unknown,
        natives(...owners(count).map(() => 0n))
      )
      cost[count] = seen.length
      for (const query of requests) assert.isBelow(JSON.stringify(query).length, 5_000)
    }
    assert.deepStrictEqual(cost, { 1: 1, 5: 1, 50: 3 })
  })

  it("are read page by page from the host that returned the first page, with several addresses per query", function* () {
    const requests: Array<Query> = []
    const cursor = "c".repeat(250)
    const host = answering((query) => {
      const keys = keysOf(query)
      if (isOfMetadata(query)) return { data: metadataOf(query) }
      if (keys.length > 0)
        return {
          data: { multiGetAddresses: keys.map((key) => page([coin(sui, "1")], key === bob ? null : `${cursor}1`)) }
        }
      const count = Object.keys(query.variables).length / 2
      return {
        data: Object.fromEntries(
          Array.from({ length: count }, (_, index) => {
            assert.include(query.query, `p${index}: address(address: $key${index})`)
            const second = query.variables[`after${index}`] === `${cursor}1`
            return [
              `p${index}`,
              second ? page([coin(cetus.address, "2")], `${cursor}2`) : page([coin(usdc.address, "3")], "x", false)
            ]
          })
        )
      }
    }, requests)
    const { holdings, seen } = yield* network(host, registry)
    const all = [amountOf("native", 1n), amountOf(cetus, 2n), amountOf(usdc, 3n)]
    assert.deepStrictEqual(
      (yield* settled(holdings(owners(9)))) as unknown,
      owners(9).map((text) => Either.right(text === bob ? all.slice(0, 1) : all))
    )
    assert.deepStrictEqual(
      // The last is for the decimals of the two coins.
      seen.map(({ host }) => host),
      Array.from({ length: 6 }, () => "one.test")
    )
    for (const query of requests) assert.isBelow(JSON.stringify(query).length, 5_000)
  })

  it("fail with `bad_answer` if the pages never end", function* () {
    const endless = answering((query) =>
      keysOf(query).length > 0
        ? { data: { multiGetAddresses: [page([], "again")] } }
        : { data: { p0: page([], "again") } }
    )
    const { holdings } = yield* network(endless, registry)
    const unread = Either.left({ reason: "bad_answer", message: "sui-graphql: returned pages without an end" })
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, [unread])
  })

  it("have no amount of a coin that is listed twice or cannot be read, beside the others", function* () {
    const message = "sui-graphql: returned coins in an unexpected format, or with amounts that contradict each other"
    const noAmount = { reason: "bad_answer", message: "the host returned no usable balance of this coin" }
    const lists = {
      twice: [coin("0x2::sui::SUI", "1"), coin(sui, "2"), coin(usdc.address, "5")],
      "in another format": [coin(sui, "-1"), coin(usdc.address, "5")],
      "of a coin": [coin(sui, "7"), coin(usdc.address, "1e3")],
      "of unknown type": [coin(sui, "7"), coin(usdc.address, "5"), coin("spam", "1")]
    }
    const native = (name: string) =>
      /^of/.test(name)
        ? amountOf("native", 7n)
        : { asset: "native", amount: Either.left({ reason: "bad_answer", message }) }
    for (const [name, list] of Object.entries(lists)) {
      const { holdings, unreadTokens } = yield* network(hosting({ [alice]: list }), registry)
      const dollars = name === "of a coin" ? { asset: usdc, amount: Either.left(noAmount) } : amountOf(usdc, 5n)
      assert.deepStrictEqual<unknown>(yield* settled(holdings([alice])), [Either.right([native(name), dollars])], name)
      const [unread] = yield* settled(unreadTokens([alice]))
      assert.deepStrictEqual(unread?.message, name === "of unknown type" ? message : undefined, name)
    }
  })

  it("fail only for the addresses whose pages never end or break off on every host", function* () {
    const whole = page([coin(sui, "7")])
    const firstOf = (query: Query, read: string) => ({
      multiGetAddresses: keysOf(query).map((key) => (key === read ? whole : page([coin(sui, "1")], "again")))
    })
    const endless = answering((query) => ({
      data: keysOf(query).length > 0 ? firstOf(query, alice) : { p0: page([], "again") }
    }))
    const brokenFor = (read: string) =>
      answering((query) =>
        keysOf(query).length > 0
          ? { data: firstOf(query, read) }
          : { data: null, errors: [failed("RESOURCE_EXHAUSTED")] }
      )
    const broken = brokenFor(alice)
    for (const [host, second, reason] of [
      [endless, endless, "bad_answer"],
      [broken, broken, "upstream_error"],
      [broken, EvmNodes.down, "upstream_error"]
    ] as const) {
      const { holdings } = yield* network(host, registry, second)
      const [fine, unread] = yield* settled(holdings([alice, bob]))
      assert.deepStrictEqual([fine] as unknown, natives(7n))
      assert.deepInclude(Either.getOrThrow(Either.flip(unread ?? Either.right([]))), { reason })
    }
    // The second host fails for an address that the first host has read: the result of the first host is used.
    const both = yield* network(broken, registry, brokenFor(bob))
    assert.deepStrictEqual((yield* settled(both.holdings([alice, bob]))) as unknown, natives(7n, 7n))
    const { holdings } = yield* network(broken, registry, hosting({ [alice]: [coin(sui, "8")] }))
    assert.deepStrictEqual((yield* settled(holdings([alice, bob]))) as unknown, natives(7n, 0n))
  })

  it("are not taken from a host of another network", function* () {
    const address = { balance: { totalBalance: "0" } }
    const testnet = answering(() => ({
      data: { chainIdentifier: "4c78adac", multiGetAddresses: [page([])], address }
    }))
    const main = answering(() => ({
      data: {
        chainIdentifier: "35834a8a",
        multiGetAddresses: [page([coin(sui, "7")])],
        address: { balance: { totalBalance: "7" } }
      }
    }))
    const { holding, holdings } = yield* network(testnet, registry, main)
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, natives(7n))
    assert.deepStrictEqual((yield* settled(holding(alice, Option.none()))) as unknown, amountOf("native", 7n))
    const alone = yield* network(testnet, registry)
    assert.deepStrictEqual((yield* settled(alone.holdings([alice]))) as unknown, [
      Either.left({ reason: "bad_answer", message: "sui-graphql: serves another network" })
    ])
  })

  it("are read even if a received coin has a very long type name", function* () {
    const name = "X".repeat(128)
    const spam = Array.from({ length: 12 }).reduce<string>(
      (inner) => `${long("9")}::${name}::${name}<${inner}>`,
      `${long("9")}::${name}::${name}`
    )
    assert.isAbove(spam.length, 4_000)
    const { holdings } = yield* network(hosting({ [alice]: [coin(spam, "1"), coin(sui, "7")] }), registry)
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, natives(7n))
  })

  it("fail only for the address that an error names", function* () {
    const whole = page([coin(sui, "7")])
    for (const lost of [null, { balances: null }]) {
      const host = answering((query) => {
        const keys = keysOf(query)
        const errors = keys.includes(bob)
          ? [failed("INTERNAL_SERVER_ERROR", ["multiGetAddresses", keys.indexOf(bob), "balances"])]
          : []
        return { data: { multiGetAddresses: keys.map((key) => (key === bob ? lost : whole)) }, errors }
      })
      const { holdings, seen } = yield* network(host, registry)
      const unread = {
        reason: "upstream_error",
        message: "sui-graphql: returned an error (INTERNAL_SERVER_ERROR)"
      }
      const [first, last] = natives(7n, 7n)
      const requests = [alice, bob, long("b")]
      assert.deepStrictEqual((yield* settled(holdings(requests))) as unknown, [first, Either.left(unread), last])
      // Both hosts are called for the list, and then for SUI alone.
      assert.lengthOf(seen, 4)
    }
  })

  it("come from the next host for the address that one host cannot read", function* () {
    const lost = answering((query) => ({
      data: { multiGetAddresses: keysOf(query).map((key) => (key === alice ? null : page([coin(sui, "8")]))) }
    }))
    const requests: Array<Query> = []
    const { holdings } = yield* network(lost, registry, hosting({ [alice]: [coin(sui, "7")] }, requests))
    assert.deepStrictEqual((yield* settled(holdings([alice, bob]))) as unknown, natives(7n, 8n))
    assert.deepStrictEqual(requests.map(keysOf), [[alice]])
  })

  it("contain SUI alone, with the reason, if the list of the address cannot be read", function* () {
    const host = answering((query) => ({
      data: {
        multiGetAddresses: keysOf(query).map(() => ({ balances: null })),
        address: { balance: { totalBalance: "7" } }
      }
    }))
    const { holdings, unreadTokens } = yield* network(host, registry)
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, natives(7n))
    assert.deepInclude((yield* settled(unreadTokens([alice])))[0], { reason: "bad_answer" })
  })

  it("are not read from a host whose newest checkpoint is old", function* () {
    yield* TestClock.adjust("1 day")
    const at = (hours: number, amount: string) =>
      answering(() => ({
        data: {
          checkpoint: { timestamp: new Date(hours * 3_600_000).toISOString() },
          multiGetAddresses: [page([coin(sui, amount)])],
          address: { balance: { totalBalance: amount } }
        }
      }))
    const { holding, holdings } = yield* network(at(1, "6"), registry, at(24, "7"))
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, natives(7n))
    assert.deepStrictEqual((yield* settled(holding(alice, Option.none()))) as unknown, amountOf("native", 7n))
    const stalled = yield* network(at(1, "6"), registry)
    const behind = { reason: "bad_answer", message: "sui-graphql: the node is behind the network" } as const
    assert.deepStrictEqual((yield* settled(stalled.holdings([alice]))) as unknown, [Either.left(behind)])
  })

  it("are matched by the address that a row states, not by its index", function* () {
    const [first, second] = [page([coin(sui, "1")]), page([coin(sui, "2")])]
    const rows = (all: ReadonlyArray<object>) => settledOn(answering(() => ({ data: { multiGetAddresses: all } })))
    const settledOn = Effect.fnUntraced(function* (host: EvmNodes.SimulatedHost) {
      const { holdings } = yield* network(host, registry)
      return (yield* settled(holdings([alice, bob]))) as unknown
    })
    const another = Either.left({
      reason: "bad_answer",
      message: "sui-graphql: returned the coins of another address"
    })
    const [ofAlice, ofBob] = [
      { address: alice, ...first },
      { address: bob, ...second }
    ]
    assert.deepStrictEqual(yield* rows([ofBob, ofAlice]), natives(1n, 2n))
    assert.deepStrictEqual(yield* rows([ofAlice, ofAlice, ofBob]), [natives(1n)[0], another])
    assert.deepStrictEqual(yield* rows([ofAlice, { ...ofAlice, ...second }]), [another, another])
    assert.deepStrictEqual(yield* rows([ofAlice, { ...ofBob, address: long("b") }]), [natives(1n)[0], another])
    assert.deepStrictEqual(yield* rows([ofAlice, { ...ofBob, address: undefined }]), [natives(1n)[0], another])
  })

  it("come from the next host if the first fails or returns invalid data", function* () {
    const whole = { multiGetAddresses: [page([coin(sui, "9")]), page([])] }
    const failing: Readonly<Record<string, EvmNodes.SimulatedHost>> = {
      down: EvmNodes.down,
      html: EvmNodes.always("<html>bad gateway</html>", { status: 502 }),
      "a page that is not found": EvmNodes.always("not found", { status: 404 }),
      "a bad request": EvmNodes.always("<html></html>", { status: 400 }),
      limited: EvmNodes.always('{"error":"slow down"}', { status: 429, headers: { "retry-after": "5" } }),
      "an error without a path": answering(() => ({ data: whole, errors: [failed("INTERNAL_SERVER_ERROR")] })),
      "an error for all addresses": answering(() => ({ data: whole, errors: [failed("X", ["multiGetAddresses"])] })),
      "no data": answering(() => ({ data: null, errors: [failed("RESOURCE_EXHAUSTED", ["multiGetAddresses", 0])] })),
      "an error with HTTP 400": EvmNodes.always(JSON.stringify({ errors: [failed("BAD_USER_INPUT")] }), {
        status: 400
      }),
      "too few addresses": answering(() => ({ data: { multiGetAddresses: [] } })),
      "no pages": answering(() => ({ data: { multiGetAddresses: [{}, {}] } })),
      "numbers as numbers": answering(() => ({
        data: { multiGetAddresses: [page([{ coinType: { repr: sui }, totalBalance: 9 }]), null] }
      })),
      "negative amounts": answering(() => ({ data: { multiGetAddresses: [page([coin(sui, "-9")]), null] } })),
      "an invalid type": answering(() => ({ data: { multiGetAddresses: [page([coin("sui", "9")]), null] } }))
    }
    for (const [name, first] of Object.entries(failing)) {
      const { holdings } = yield* network(first, registry, hosting({ [alice]: [coin(sui, "7")] }))
      assert.deepStrictEqual((yield* settled(holdings([alice, bob]))) as unknown, natives(7n, 0n), name)
    }
  })

  it("fail with the service's own reason and message if no host returns them", function* () {
    const reasons: Readonly<Record<string, readonly [EvmNodes.SimulatedHost, string]>> = {
      ...faultyHosts,
      empty: [EvmNodes.always("{}"), "bad_answer"],
      "limited with HTTP 200": [answering(() => ({ errors: [{ message: "Too many requests" }] })), "rate_limited"],
      slow: [answering(() => ({ data: null, errors: [failed("REQUEST_TIMEOUT")] })), "timeout"],
      refusing: [answering(() => ({ data: null, errors: [failed("FEATURE_UNAVAILABLE")] })), "upstream_error"]
    }
    for (const [name, [host, reason]] of Object.entries(reasons)) {
      const { holding, holdings } = yield* network(host, registry)
      const [read] = yield* settled(holdings([alice]))
      const unread = Option.getOrThrow(Option.flatMap(Option.fromNullable(read), Either.getLeft))
      assert.strictEqual(unread.reason, reason, name)
      assert.notInclude(unread.message, "secret")
      assert.strictEqual((yield* settled(Effect.flip(holding(alice, Option.none())))).reason, reason, name)
    }
  })
})

describe("a single Sui holding", () => {
  const host = (totalBalance: string | null, coinMetadata: unknown, requests: Array<Query> = []) =>
    answering(
      () => ({ data: { address: { balance: totalBalance === null ? null : { totalBalance } }, coinMetadata } }),
      requests
    )

  it("is read for the native coin, however its type is written", function* () {
    for (const text of [undefined, "0x2::sui::SUI", sui]) {
      const requests: Array<Query> = []
      const { holding } = yield* network(host("7", null, requests), registry)
      const read = yield* settled(holding(alice, Option.fromNullable(text)))
      assert.deepStrictEqual(read as unknown, amountOf("native", 7n))
      assert.deepStrictEqual(
        requests.map(({ variables }) => variables),
        [{ owner: alice, type: sui }]
      )
    }
  })

  it("is read for a registered token whose type is in short or long form", function* () {
    const { holding } = yield* network(host("5", { decimals: 9 }), registry)
    for (const text of ["0x6864a6::cetus::CETUS", "0x6864A6::cetus::CETUS", cetus.address])
      assert.deepStrictEqual((yield* settled(holding(alice, Option.some(text)))) as unknown, amountOf(cetus, 5n))
  })

  it("has the decimals of its metadata, which are read once, and not those of the list", function* () {
    const requests: Array<Query> = []
    const { confirmed, holding } = yield* network(host("5", { decimals: 2 }, requests), registry)
    for (const _ of [1, 2])
      assert.deepStrictEqual<unknown>(
        yield* settled(holding(alice, Option.some(usdc.address))),
        amountOf({ ...usdc, decimals: 2 }, 5n)
      )
    assert.deepStrictEqual(
      requests.map(({ query }) => query.includes("coinMetadata")),
      [true, false]
    )
    assert.deepStrictEqual(yield* confirmed([usdc.address, cetus.address]), [2, undefined])
  })

  it("is read for an unregistered coin, with the decimals of its metadata", function* () {
    const { holding, seen } = yield* network(host("0", { decimals: 255 }), registry)
    assert.deepStrictEqual((yield* settled(holding(alice, Option.some("0x9::real::REAL")))) as unknown, {
      asset: { address: `${long("9")}::real::REAL`, decimals: 255, name: "", symbol: "", thumbnail: "" },
      amount: Either.right(0n)
    })
    assert.lengthOf(seen, 1)
  })

  it("fails with `bad_answer` if the decimals or the balance are missing", function* () {
    const some = Option.some("0x9::real::REAL")
    for (const metadata of [null, { decimals: null }]) {
      const { holding, seen } = yield* network(host("5", metadata), registry)
      assert.deepStrictEqual(yield* settled(Effect.flip(holding(alice, some))), {
        reason: "bad_answer",
        message: "sui-graphql: there is no coin of this type, or its decimals are unknown"
      })
      assert.lengthOf(seen, 1)
    }
    const { holding } = yield* network(host(null, { decimals: 6 }), registry)
    assert.strictEqual((yield* settled(Effect.flip(holding(alice, some)))).reason, "bad_answer")
  })

  it("is refused without a request if the type is malformed", function* () {
    const { holding, seen } = yield* network(EvmNodes.down, registry)
    for (const text of ["invalid_coin_type", "0x2", "0x2::sui", "", long("2")])
      assert.strictEqual((yield* Effect.flip(holding(alice, Option.some(text)))).reason, "invalid_address")
    assert.deepStrictEqual(seen, [])
  })
})

describe("impossible amounts on Sui", () => {
  for (const [name, type, amount] of [
    ["more SUI than the total supply", sui, "10000000000000000001"],
    ["more of a coin than 64 bits can hold", usdc.address, "18446744073709551616"]
  ] as const)
    it(`are rejected, and the next host is called: ${name}`, function* () {
      const wrong = hosting({ [alice]: [coin(type, amount)] })
      const { holdings } = yield* network(wrong, registry, hosting({ [alice]: [coin(sui, "7")] }))
      assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, [...natives(7n)])
      const alone = yield* network(wrong, registry)
      assert.include(inspect(yield* settled(alone.holdings([alice])), { depth: 9 }), "bad_answer")
    })
})
