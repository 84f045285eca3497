import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as TronAddress from "../../../src/chains/tron/TronAddress.ts"
import type { Token } from "../../../src/domain/Token.ts"
import { token } from "../../support/chains.ts"
import { json, neverResponds, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import * as TronNodes from "../../support/TronNodes.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { alice, bob, just, network, usdt, wink } from "./tron.ts"

const amountOf = (asset: Token | "native", amount: bigint) => ({ asset, amount: Either.right(amount) })
const broken = { reason: "bad_answer", message: "the token's contract returned no balance" }

const huge = 123_456_789_012_345_678_901_234n

const ledger: TronNodes.Ledger = {
  trx: { [alice]: 10_000_000_000_000_001n, [bob]: 0n },
  tokens: {
    [usdt.address]: { decimals: 6, balances: { [alice]: 5n } },
    [just.address]: { decimals: 18, balances: { [alice]: huge } },
    [wink.address]: "broken"
  }
}

const pathsOf = (requests: ReadonlyArray<SentRequest>) => requests.map(({ url }) => url.pathname)

const addressOf = (index: number) =>
  Either.getOrThrow(
    TronAddress.parse(
      `41${(0xabcn << 100n).toString(16).slice(0, 36).padStart(36, "0")}${index.toString(16).padStart(4, "0")}`
    )
  )

/** A node that returns this response to every Multicall3 call. */
const withoutMulticall =
  (answer: Reply) =>
  (request: SentRequest): Reply =>
    TronNodes.balancesRequested(request.body) === undefined ? TronNodes.speaking(ledger)(request) : answer

describe("Tron", () => {
  it("returns TRX, then the registered tokens with a balance or with an error, all in one call", function* () {
    const { requests, holdings, missing } = yield* network(TronNodes.speaking(ledger))
    const read = yield* settled(holdings([bob, alice]))
    const unread = { asset: wink, amount: Either.left(broken) }
    assert.deepStrictEqual(read.map(Either.getOrThrow) as unknown, [
      [amountOf("native", 0n), unread],
      [amountOf("native", 10_000_000_000_000_001n), amountOf(usdt, 5n), amountOf(just, huge), unread]
    ])
    // One call for the balances, and one for the decimals of the held tokens.
    assert.deepStrictEqual(
      pathsOf(requests),
      Array.from({ length: 2 }, () => "/wallet/triggerconstantcontract")
    )
    assert.isUndefined(yield* settled(missing([alice])))
  })

  it("returns only TRX without a token list, and reports that tokens are missing", function* () {
    const { holdings, missing } = yield* network(TronNodes.speaking(ledger), [])
    assert.deepStrictEqual((yield* settled(holdings([bob]))) as unknown, [Either.right([amountOf("native", 0n)])])
    assert.match((yield* settled(missing([alice]))) ?? "", /native coins only/)
  })

  it("returns the tokens of an address that was never activated", function* () {
    const tokens = { [usdt.address]: { decimals: 6, balances: { [bob]: 7n } } }
    for (const handler of [
      TronNodes.speaking({ tokens }),
      (request: SentRequest) =>
        TronNodes.balancesRequested(request.body) === undefined
          ? TronNodes.speaking({ tokens })(request)
          : json(TronNodes.reverted)
    ]) {
      const { holdings } = yield* network(handler, [usdt])
      assert.deepStrictEqual((yield* settled(holdings([bob]))) as unknown, [
        Either.right([amountOf("native", 0n), amountOf(usdt, 7n)])
      ])
    }
  })

  it("does not count TRX twice if the token list contains it", function* () {
    const trx = token("T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", "tron", 6)
    const { holdings } = yield* network(TronNodes.speaking(ledger), [trx, usdt])
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, [
      Either.right([amountOf("native", 10_000_000_000_000_001n), amountOf(usdt, 5n)])
    ])
  })

  it("reads 500 balances per call: 1, 5 and 50 addresses, 120 tokens", function* () {
    const tokens = Array.from({ length: 120 }, (_, index) => token(addressOf(index + 1000), `coin-${index}`, 6))
    const contracts = Object.fromEntries(
      tokens.map((registered) => [registered.address, { decimals: 6, balances: {} }])
    )
    for (const [addresses, calls] of [
      [1, 1],
      [5, 2],
      [50, 13]
    ] as const) {
      const { requests, holdings } = yield* network(TronNodes.speaking({ tokens: contracts }), tokens)
      const read = yield* settled(holdings(Array.from({ length: addresses }, (_, index) => addressOf(index))))
      assert.deepStrictEqual(
        read as unknown,
        Array.from({ length: addresses }, () => Either.right([amountOf("native", 0n)]))
      )
      const sizes = requests.map(({ body }) => TronNodes.balancesRequested(body) ?? 0).filter((size) => size > 0)
      assert.deepStrictEqual([sizes.length, Math.max(...sizes) <= 500], [calls, true])
      assert.strictEqual(
        sizes.reduce((sum, size) => sum + size, 0),
        addresses * 121
      )
    }
  })

  it("falls back to the account index if Multicall3 cannot be executed", function* () {
    const failures = [
      TronNodes.reverted,
      TronNodes.returning("0x"),
      { result: { code: "OTHER_ERROR", message: "CPU timeout for 'MSTORE' operation executing" } },
      { result: { code: "CONTRACT_VALIDATE_ERROR", message: "Smart contract is not exist." } }
    ]
    for (const failure of [...failures.map((body) => json(body)), text("too large", { status: 413 })]) {
      const { requests, holdings } = yield* network(withoutMulticall(failure))
      const read = yield* settled(holdings([alice, bob]))
      assert.deepStrictEqual(read.map(Either.getOrThrow) as unknown, [
        [amountOf("native", 10_000_000_000_000_001n), amountOf(usdt, 5n), amountOf(just, huge)],
        [amountOf("native", 0n)]
      ])
      const paths = pathsOf(requests).filter((path) => path !== "/wallet/triggerconstantcontract")
      assert.deepStrictEqual(paths.sort(), [
        `/v1/accounts/${alice}`,
        `/v1/accounts/${bob}`,
        "/wallet/getaccount",
        "/wallet/getblock"
      ])
    }
    // A response in another format is no verdict on the call: the decimals of the tokens are unknown.
    const { holdings } = yield* network(withoutMulticall(json({ unexpected: true })))
    const [own] = yield* settled(holdings([alice]))
    const unread = {
      reason: "bad_answer",
      message: "trongrid: returned a response in an unexpected format (at result)"
    }
    assert.deepStrictEqual(own && (Either.getOrThrow(own) as unknown), [
      amountOf("native", 10_000_000_000_000_001n),
      ...[usdt, just].map((asset) => ({ asset, amount: Either.left(unread) }))
    ])
  })

  it("returns TRX without tokens if a call for tokens fails", function* () {
    const tokens = Array.from({ length: 400 }, (_, index) => token(addressOf(index + 1000), `coin-${index}`, 6))
    const handler = (request: SentRequest): Reply =>
      TronNodes.balancesRequested(request.body) === 302
        ? text("<html>", { status: 401 })
        : TronNodes.speaking({ trx: { [alice]: 7n, [bob]: 8n } })(request)
    const { holdings, unreadTokens } = yield* network(handler, tokens)
    const [first, second] = yield* settled(holdings([alice, bob]))
    assert.strictEqual(first && Either.getOrThrow(first).length, 401)
    assert.deepStrictEqual(second as unknown, Either.right([amountOf("native", 8n)]))
    assert.deepStrictEqual(yield* settled(unreadTokens([alice, bob])), [
      undefined,
      { reason: "upstream_error", message: "trongrid: access denied (HTTP 401)" }
    ])
  })

  it("has the decimals of the contracts, and no amounts of tokens without confirmed ones", function* () {
    const listed = [{ ...usdt, decimals: 18 }, wink]
    const tokens = { [usdt.address]: { decimals: 6, balances: { [alice]: 2_500_000n } } }
    const { holding, holdings } = yield* network(TronNodes.speaking({ trx: { [alice]: 1n }, tokens }), listed)
    const [read] = yield* settled(holdings([alice]))
    assert.deepStrictEqual(read && (Either.getOrThrow(read)[1] as unknown), amountOf(usdt, 2_500_000n))
    const single = yield* settled(holding(alice, Option.some(usdt.address)))
    assert.deepStrictEqual(single as unknown, amountOf(usdt, 2_500_000n))
    const { holdings: without } = yield* network(
      (request) =>
        request.body.includes("313ce567")
          ? json({ result: { code: "OTHER_ERROR", message: "CPU timeout for 'MSTORE' operation executing" } })
          : TronNodes.speaking({ trx: { [alice]: 1n }, tokens })(request),
      listed
    )
    const [unconfirmed] = yield* settled(without([alice]))
    const reason = { reason: "bad_answer", message: "the decimals of the token are not confirmed" }
    assert.deepStrictEqual(unconfirmed && (Either.getOrThrow(unconfirmed)[1]?.amount as unknown), Either.left(reason))
  })

  it("reads decimals alone if a call for many cannot be executed, not if its response cannot be read", function* () {
    const tokens = { [usdt.address]: { decimals: 6, balances: { [alice]: 5n } } }
    const timeout = { result: { code: "OTHER_ERROR", message: "CPU timeout for 'MSTORE' operation executing" } }
    const read = Effect.fnUntraced(function* (reply: Reply) {
      const { requests, holdings } = yield* network((request) => {
        const isOfDecimals = request.body.includes(TronNodes.multicall) && request.body.includes("313ce567")
        return isOfDecimals ? reply : TronNodes.speaking({ trx: { [alice]: 1n }, tokens })(request)
      })
      const [own] = yield* settled(holdings([alice]))
      const alone = requests.filter(({ body }) => body.includes("313ce567") && !body.includes(TronNodes.multicall))
      return { amount: own && (Either.getOrThrow(own)[1]?.amount as unknown), isAlone: alone.length > 0 }
    })
    for (const failed of [json(timeout), json(TronNodes.reverted), text("too large", { status: 413 })])
      assert.deepStrictEqual(yield* read(failed), { amount: Either.right(5n), isAlone: true })
    const unreadable = [
      [text("<!doctype html>"), "a response that is not JSON"],
      [
        json({ result: { result: true }, constant_result: null }),
        "a response in an unexpected format (at constant_result)"
      ]
    ] as const
    for (const [reply, problem] of unreadable)
      assert.deepStrictEqual(yield* read(reply), {
        amount: Either.left({ reason: "bad_answer", message: `trongrid: returned ${problem}` }),
        isAlone: false
      })
  })

  it("does not return zero for an account that only the index does not have", function* () {
    const handler = (request: SentRequest): Reply => {
      if (TronNodes.balancesRequested(request.body) !== undefined) return json(TronNodes.reverted)
      const known = request.url.pathname.startsWith("/v1/") ? {} : { trx: { [alice]: 5_000_000n } }
      return TronNodes.speaking(known)(request)
    }
    const { holdings, unreadTokens } = yield* network(handler)
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, [
      Either.right([amountOf("native", 5_000_000n)])
    ])
    assert.deepStrictEqual(yield* settled(unreadTokens([alice])), [
      { reason: "bad_answer", message: "trongrid: the index does not have the account" }
    ])
  })

  it("is not read from a host that stands still", function* () {
    const behind = { reason: "bad_answer" as const, message: "trongrid: the node is behind the network" }
    const stalled = { ...ledger, lag: 600 }
    for (const handler of [
      TronNodes.speaking(stalled),
      (request: SentRequest): Reply =>
        TronNodes.balancesRequested(request.body) === undefined
          ? TronNodes.speaking(stalled)(request)
          : json(TronNodes.reverted)
    ]) {
      const { chain, holding, holdings } = yield* network(handler)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, [Either.left(behind)])
      for (const asset of [Option.none(), Option.some(usdt.address)])
        assert.deepInclude(yield* Effect.flip(settled(holding(alice, asset))), behind)
      const { breakdown } = chain
      if (breakdown === undefined || breakdown === "whole") return assert.fail("no breakdown")
      const detail = yield* settled(breakdown.read([alice]))
      assert.deepStrictEqual(detail as unknown, [Either.left(behind)])
    }
  })

  it("is not read from the index of a host whose balances are from an old block, if its newest block cannot be read", function* () {
    const stalled = TronNodes.speaking({ ...ledger, lag: 600 })
    const { holding, holdings } = yield* network((request) =>
      request.url.pathname === "/wallet/getblock" ? json({}, { status: 404 }) : stalled(request)
    )
    yield* TestClock.adjust("1 hour")
    const behind = { reason: "bad_answer" as const, message: "trongrid: the node is behind the network" }
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, [Either.left(behind)])
    for (const asset of [Option.none(), Option.some(usdt.address)])
      assert.deepInclude(yield* Effect.flip(settled(holding(alice, asset))), behind)
  })

  const outcomes: ReadonlyArray<readonly [name: string, reply: Reply, reason: string, message: RegExp]> = [
    ["HTTP 429", json({ Error: "too many" }, { status: 429 }), "rate_limited", /rate limit reached/],
    [
      "a busy node under HTTP 200",
      json({ Error: "class java.lang.IllegalAccessException : lack of computing resources" }),
      "rate_limited",
      /rate limit reached/
    ],
    [
      "a suspended key",
      json(
        { Success: false, Error: "The key exceeds the frequency limit(15), and the query server is suspended for 9s" },
        { status: 403 }
      ),
      "rate_limited",
      /rate limit reached/
    ],
    ["SERVER_BUSY", json({ result: { code: "SERVER_BUSY", message: "" } }), "rate_limited", /rate limit reached/],
    ["another error under HTTP 200", json({ Error: "java.lang.NullPointerException" }), "upstream_error", /an error/],
    ["success: false", json({ success: false, error: "something" }), "upstream_error", /an error/],
    ["no connection", refused, "upstream_error", /could not be reached/],
    ["silence", neverResponds, "timeout", /timed out/],
    ["HTTP 404", text("404 page not found", { status: 404 }), "upstream_error", /HTTP 404/],
    ["HTTP 500 as HTML", text("<html></html>", { status: 500 }), "upstream_error", /HTTP 500/],
    ["HTML", text("<html></html>"), "bad_answer", /not JSON/],
    ["an empty body", text(""), "bad_answer", /empty response/],
    ["another shape", json({ result: "yes" }), "bad_answer", /unexpected format/],
    ["a list", json([]), "bad_answer", /unexpected format/]
  ]
  for (const [name, reply, reason, message] of outcomes)
    it(`returns the matching reason for ${name}`, function* () {
      const { holding, holdings } = yield* network(() => reply)
      const [read] = yield* settled(holdings([alice]))
      const own = yield* settled(Effect.flip(holding(alice, Option.none())))
      const current = yield* settled(Effect.flip(holding(alice, Option.some(usdt.address))))
      for (const unread of [Option.getOrThrow(Either.getLeft(read ?? Either.right([]))), own, current]) {
        assert.strictEqual(unread.reason, reason)
        assert.match(unread.message, message)
      }
    })

  it("sends the API key if it is configured", function* () {
    const keyed = yield* network(TronNodes.speaking(ledger), [usdt], { TRONGRID_API_KEY: "secret-key" })
    yield* settled(keyed.holding(alice, Option.none()))
    assert.deepStrictEqual(
      keyed.requests.map(({ headers, url }) => [url.host, headers["tron-pro-api-key"]]),
      [["api.trongrid.io", "secret-key"]]
    )
    const keyless = yield* network(TronNodes.speaking(ledger), [usdt])
    yield* settled(keyless.holdings([alice]))
    assert.isUndefined(keyless.requests[0]?.headers["tron-pro-api-key"])
  })
})

describe("a single asset of a Tron address", () => {
  const query = Effect.fnUntraced(function* (given: string | undefined, holder = alice) {
    const { requests, holding } = yield* network(TronNodes.speaking(ledger), [usdt, wink])
    const read = yield* settled(Effect.either(holding(holder, Option.fromNullable(given))))
    return { read: read as unknown, paths: pathsOf(requests) }
  })

  it("is TRX unless a token is requested", function* () {
    const { paths, read } = yield* query(undefined)
    assert.deepStrictEqual(read, Either.right(amountOf("native", 10_000_000_000_000_001n)))
    assert.deepStrictEqual(paths, ["/wallet/triggerconstantcontract"])
    for (const holder of [bob, addressOf(1)])
      assert.deepStrictEqual((yield* query(undefined, holder)).read, Either.right(amountOf("native", 0n)))
  })

  it("is a registered token in any spelling of its address, also with a zero balance", function* () {
    for (const spelling of [usdt.address, "41a614f803b6fd780986a42c78ec9c7f77e6ded13c"]) {
      assert.deepStrictEqual((yield* query(spelling)).read, Either.right(amountOf(usdt, 5n)))
      assert.deepStrictEqual((yield* query(spelling, bob)).read, Either.right(amountOf(usdt, 0n)))
    }
    assert.strictEqual((yield* query(usdt.address)).paths.length, 1)
  })

  it("can be a token outside the registry, with the decimals that its contract returns", function* () {
    const unlisted = { address: just.address, decimals: 18, name: "", symbol: "", thumbnail: "" }
    const { paths, read } = yield* query(just.address)
    assert.deepStrictEqual(read, Either.right(amountOf(unlisted, huge)))
    assert.strictEqual(paths.length, 1)
  })

  it("has a reason if the contract returns no balance or does not exist", function* () {
    for (const contract of [wink.address, addressOf(9)])
      assert.deepInclude(
        Either.getOrThrow(Either.flip((yield* query(contract)).read as Either.Either<never, object>)),
        {
          reason: "bad_answer"
        }
      )
  })

  it("is rejected without a call if the token address is malformed", function* () {
    for (const given of ["", "usdt", usdt.address.toLowerCase(), "0xa614f803b6fd780986a42c78ec9c7f77e6ded13c"]) {
      const { paths, read } = yield* query(given)
      const { message, reason } = Either.getOrThrow(Either.flip(read as Either.Either<never, Record<string, string>>))
      assert.strictEqual(reason, "invalid_address")
      assert.match(message ?? "", /^tokenAddress: /)
      assert.deepStrictEqual(paths, [])
    }
  })
})

describe("an account from TronGrid", () => {
  const refusing = json({ result: { result: false, code: "CONTRACT_VALIDATE_ERROR" } })

  const indexing = (account: object) =>
    network((request) => {
      if (TronNodes.balancesRequested(request.body) !== undefined) return refusing
      return request.url.pathname.startsWith("/wallet/")
        ? TronNodes.speaking({ ...ledger, trx: { [alice]: 7n } })(request)
        : json({ success: true, data: [account], meta: { at: 1, page_size: 1 } })
    })
  const indexed = (account: object) => Effect.flatMap(indexing(account), ({ holdings }) => settled(holdings([alice])))

  it("is rejected if it is another account, lacks its tokens or has impossible amounts", function* () {
    const good = { address: alice, balance: 7, trc20: [{ [usdt.address]: "5" }] }
    assert.deepStrictEqual((yield* indexed(good)) as unknown, [
      Either.right([amountOf("native", 7n), amountOf(usdt, 5n)])
    ])
    for (const wrong of [{}, { ...good, address: bob }, { address: alice, balance: 7 }, { ...good, balance: -1 }])
      assert.include(JSON.stringify(yield* indexed(wrong)), "bad_answer")
    const twice = { ...good, trc20: [...good.trc20, { [usdt.address]: "6" }] }
    assert.deepStrictEqual((yield* indexed(twice)) as unknown, [
      Either.right([
        amountOf("native", 7n),
        {
          asset: usdt,
          amount: Either.left({
            reason: "bad_answer",
            message: "the token is listed twice, with different amounts"
          })
        }
      ])
    ])
  })

  it("has its other tokens beside an entry that cannot be read", function* () {
    const of = (...trc20: ReadonlyArray<unknown>) => ({ address: alice, balance: 7, trc20 })
    const other = amountOf(just, 5n)
    const noAmount = { reason: "bad_answer", message: "the index returned no possible amount" }
    for (const wrong of ["-5", 5, null, {}, String(2n ** 256n)])
      assert.deepStrictEqual((yield* indexed(of({ [usdt.address]: wrong }, { [just.address]: "5" }))) as unknown, [
        Either.right([amountOf("native", 7n), { asset: usdt, amount: Either.left(noAmount) }, other])
      ])
    for (const wrong of [null, "5", [], 7]) {
      const { holdings, unreadTokens } = yield* indexing(of(wrong, { [just.address]: "5" }))
      assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, [
        Either.right([amountOf("native", 7n), other])
      ])
      assert.deepStrictEqual(yield* settled(unreadTokens([alice])), [
        { reason: "bad_answer", message: "trongrid: the index returned tokens without a contract" }
      ])
    }
  })

  it("does not count as a zero balance if it is another account", function* () {
    const { holding } = yield* network(() => json({ address: bob, balance: 7 }))
    assert.isTrue(Either.isLeft(yield* settled(Effect.either(holding(alice, Option.none())))))
    const own = yield* network(() => json({ address: "412e1d447fa4169390cf5f5b3d12d380decfbfe20f", balance: 7 }))
    assert.deepStrictEqual((yield* settled(own.holding(alice, Option.none()))) as unknown, amountOf("native", 7n))
  })
})
