import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { Token } from "../../../src/domain/Token.ts"
import { byHost, json, neverResponds, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import * as RippleNodes from "../../support/RippleNodes.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { alice, bob, euro, isForHead, network, rlusd, rlusdCode, rlusdIssuer } from "./ripple.ts"

const amountOf = (asset: Token | "native", amount: bigint) => ({ asset, amount: Either.right(amount) })
const bitstamp = "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B"

const accounts: Readonly<Record<string, RippleNodes.Account>> = {
  [alice]: {
    drops: "99999999999999999",
    lines: [
      { account: rlusdIssuer, currency: rlusdCode, balance: "12.345678901234567" },
      { account: bitstamp, currency: "EUR", balance: "0.0000001" },
      { account: bitstamp, currency: "USD", balance: "3" },
      { account: bob, currency: "EUR", balance: "4" }
    ]
  },
  [bob]: {
    drops: "0",
    lines: [
      { account: rlusdIssuer, currency: rlusdCode, balance: "0" },
      { account: bitstamp, currency: "EUR", balance: "-17.5" }
    ]
  }
}

const nodes = ({ body }: SentRequest): Reply => json(RippleNodes.answer(accounts)(JSON.parse(body)))
/** The calls about accounts. */
const callsOf = (requests: ReadonlyArray<SentRequest>) =>
  requests.filter((request) => !isForHead(request)).map(({ body }) => JSON.parse(body) as RippleNodes.Call)

describe("the XRP Ledger", () => {
  it("returns XRP, then the registered tokens with a balance, with exact amounts", function* () {
    const { holdings, missing } = yield* network(nodes)
    const read = yield* settled(holdings([bob, alice]))
    assert.deepStrictEqual(read.map(Either.getOrThrow) as unknown, [
      [amountOf("native", 0n)],
      [
        amountOf("native", 99_999_999_999_999_999n),
        amountOf(rlusd, 12_345_678_901_234_567n),
        // One decimal more than the six of the list, so that no digit is lost.
        amountOf({ ...euro, decimals: 7 }, 1n)
      ]
    ])
    assert.isUndefined(yield* settled(missing([alice])))
  })

  it("reads XRP and the trust lines from the same validated ledger", function* () {
    const { requests, holdings } = yield* network(nodes)
    yield* settled(holdings([alice]))
    assert.deepStrictEqual(
      callsOf(requests).map(({ method, params: [{ ledger_index }] }) => [method, ledger_index]),
      [
        ["account_info", "validated"],
        ["account_lines", "validated"]
      ]
    )
  })

  it("reads the trust lines again if a ledger was validated in between", function* () {
    const next = RippleNodes.ledger.ledger_index + 1
    const { requests, holdings } = yield* network(({ body }) => {
      const call: RippleNodes.Call = JSON.parse(body)
      const { drops = "" } = accounts[alice] ?? {}
      const isNewer = call.method === "account_lines" && call.params[0].ledger_index === "validated"
      const { result } = RippleNodes.answer(isNewer ? { [alice]: { drops } } : accounts)(call)
      return json({ result: { ...result, ...(isNewer ? { ledger_index: next } : {}) } })
    })
    const [read] = yield* settled(holdings([alice]))
    assert.deepStrictEqual(Either.getOrThrow(read ?? Either.right([])).length, 3)
    assert.deepStrictEqual(
      callsOf(requests).map(({ method, params: [{ ledger_index }] }) => [method, ledger_index]),
      [
        ["account_info", "validated"],
        ["account_lines", "validated"],
        ["account_lines", RippleNodes.ledger.ledger_index]
      ]
    )
  })

  it("returns only XRP if the token list is unavailable, and reports that tokens are missing", function* () {
    const { requests, holdings, missing } = yield* network(nodes, [])
    const [read] = yield* settled(holdings([alice]))
    assert.deepStrictEqual(read as unknown, Either.right([amountOf("native", 99_999_999_999_999_999n)]))
    assert.strictEqual(callsOf(requests).length, 1)
    assert.match((yield* settled(missing([alice]))) ?? "", /native coins only/)
  })

  it("refuses a node that has the trust lines of an account that it does not have", function* () {
    const { holdings } = yield* network(({ body }) => {
      const call: RippleNodes.Call = JSON.parse(body)
      return json(RippleNodes.answer(call.method === "account_info" ? {} : accounts)(call))
    })
    const [read] = yield* settled(holdings([alice]))
    assert.deepInclude(Either.getOrThrow(Either.flip(read ?? Either.right([]))), { reason: "bad_answer" })
  })

  it("makes two calls per address, and one for the newest ledger", function* () {
    for (const count of [1, 5, 20]) {
      const addresses = Array.from({ length: count }, (_, index) => (index % 5 === 4 ? rlusdIssuer : alice))
      const { requests, holdings } = yield* network(nodes)
      yield* settled(holdings(addresses))
      assert.strictEqual(requests.length, 2 * count + 1)
    }
  })

  it("is not read from a node whose newest validated ledger does not fit the clock, for ten seconds at a time", function* () {
    const now = 1_000_000_000
    yield* TestClock.setTime(now * 1_000)
    // Ledgers count their seconds from 2000.
    const closed = (age: number) => now - age - 946_684_800
    const with_ = (drops: string, age: () => number) => (request: SentRequest) =>
      isForHead(request)
        ? json({ result: { ...RippleNodes.ledger, ledger: { close_time: closed(age()) }, status: "success" } })
        : json(RippleNodes.answer({ [alice]: { drops } })(JSON.parse(request.body)))
    let age = 181
    const { chain, holding, requests } = yield* network(
      byHost({ "one.test": with_("1", () => age), "two.test": with_("2", () => 5) })
    )
    const drops = Effect.map(settled(holding(alice, Option.none())), ({ amount }) => amount)
    const heads = () => requests.filter(isForHead).map(({ url }) => url.host)
    assert.deepStrictEqual([yield* drops, yield* drops], [Either.right(2n), Either.right(2n)])
    const ofToken = yield* settled(holding(alice, Option.some(rlusd.address)))
    assert.deepStrictEqual(ofToken.amount, Either.right(0n))
    assert.deepStrictEqual(heads(), ["one.test", "two.test"])
    age = 5
    yield* TestClock.adjust("11 seconds")
    assert.deepStrictEqual(yield* drops, Either.right(1n))
    yield* settled(chain.newestBlock ?? assert.fail("none"))
    assert.deepStrictEqual(heads(), ["one.test", "two.test", "one.test", "one.test"])
    // It has had this ledger for three minutes at most.
    yield* TestClock.adjust("150 seconds")
    assert.deepStrictEqual(yield* drops, Either.right(1n))
    assert.strictEqual(heads().length, 4)
    yield* TestClock.adjust("20 seconds")
    age = -171
    yield* drops
    assert.strictEqual(heads().length, 5)
  })

  it("reads the trust lines page by page", function* () {
    const lines = Array.from({ length: 1001 }, (_, index) => ({
      account: rlusdIssuer,
      currency: index === 1000 ? rlusdCode : `${index}`.padStart(40, "A"),
      balance: "1"
    }))
    const { requests, holdings } = yield* network(({ body }) =>
      json(RippleNodes.answer({ [alice]: { drops: "1", lines } })(JSON.parse(body)))
    )
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, [
      Either.right([amountOf("native", 1n), amountOf(rlusd, 10n ** 15n)])
    ])
    const pages = callsOf(requests).slice(1)
    assert.deepStrictEqual(
      pages.map(({ params: [{ limit, marker }] }) => [limit, marker]),
      [
        [400, undefined],
        [400, "400"],
        [400, "800"]
      ]
    )
  })

  it("returns a reason instead of a shorter list if a page is missing or there are too many pages", function* () {
    const lines = Array.from({ length: 900 }, () => ({ account: bitstamp, currency: "EUR", balance: "1" }))
    const paged = RippleNodes.answer({ [alice]: { drops: "1", lines }, [bob]: { drops: "2" } })
    const { chain } = yield* network(({ body }) => {
      const call: RippleNodes.Call = JSON.parse(body)
      return call.params[0].marker === "400" ? json(RippleNodes.failed("internal")) : json(paged(call))
    })
    const read = yield* settled(chain.holdings([alice, bob]))
    assert.deepStrictEqual(
      read.addresses as unknown,
      [1n, 2n].map((amount) => Either.right([amountOf("native", amount)]))
    )
    assert.deepStrictEqual(
      read.unreadTokens?.map((unread) => unread?.reason),
      ["upstream_error", undefined]
    )

    const endless = yield* network(({ body }) => {
      const call: RippleNodes.Call = JSON.parse(body)
      return json(RippleNodes.answer({ [alice]: { drops: "1", lines: [...lines, ...lines] } }, 1)(call))
    })
    const { addresses, unreadTokens } = yield* settled(endless.chain.holdings([alice]))
    assert.deepStrictEqual(addresses as unknown, [Either.right([amountOf("native", 1n)])])
    assert.match(unreadTokens?.[0]?.message ?? "", /more trust lines/)
  })

  it("rejects a response for another account, and reads from the next node", function* () {
    const mixedUp = (method: string) => (request: SentRequest) => {
      const call: RippleNodes.Call = JSON.parse(request.body)
      const params = call.method === method ? [{ ...call.params[0], account: bob }] : call.params
      return json(RippleNodes.answer(accounts)({ ...call, params } as RippleNodes.Call))
    }
    for (const method of ["account_info", "account_lines"]) {
      const { chain } = yield* network(mixedUp(method))
      const { addresses: [read = assert.fail("none")] = [], unreadTokens } = yield* settled(chain.holdings([alice]))
      const reason = Either.match(read, { onLeft: ({ reason }) => reason, onRight: () => unreadTokens?.[0]?.reason })
      assert.strictEqual(reason, "bad_answer", method)
      assert.strictEqual(Either.isRight(read), method === "account_lines")
      const mended = yield* network(byHost({ "one.test": mixedUp(method), "two.test": nodes }))
      assert.isTrue((yield* settled(mended.holdings([alice]))).every(Either.isRight), method)
    }
  })

  it("fails with `bad_answer` if a node returns an account and then reports it as missing, even on a later page", function* () {
    const lines = Array.from({ length: 900 }, () => ({ account: rlusdIssuer, currency: rlusdCode, balance: "1" }))
    const paged = RippleNodes.answer({ [alice]: { drops: "1", lines } })
    for (const marker of [undefined, "400"]) {
      const { holding, holdings } = yield* network(({ body }) => {
        const call: RippleNodes.Call = JSON.parse(body)
        const lost = call.method === "account_lines" && call.params[0].marker === marker
        return json(lost ? RippleNodes.failed("actNotFound") : paged(call))
      })
      const [read] = yield* settled(holdings([alice]))
      assert.deepInclude(Either.getOrThrow(Either.flip(read ?? Either.right([]))), { reason: "bad_answer" })
      if (marker !== undefined)
        assert.strictEqual(
          (yield* settled(Effect.flip(holding(alice, Option.some(rlusd.address))))).reason,
          "bad_answer"
        )
    }
  })

  it("accepts a node only if it has an account that exists only on this ledger", function* () {
    const funded = { [bitstamp]: { drops: "1" } }
    for (const [accounts, works] of [
      [funded, true],
      [{}, false]
    ] as const) {
      const { trials } = yield* network(({ body }) => json(RippleNodes.answer(accounts)(JSON.parse(body))))
      const [trial] = yield* trials
      for (const { try: attempt } of trial?.addresses ?? [])
        assert.strictEqual(Either.isRight(yield* settled(Effect.either(attempt))), works)
      assert.strictEqual(trial?.addresses.length, 2)
    }
  })

  it("rejects data from a ledger that is not validated", function* () {
    const { holding } = yield* network(() =>
      json({ result: { account_data: { Balance: "1" }, ledger_index: 1, validated: false, status: "success" } })
    )
    assert.strictEqual((yield* settled(Effect.flip(holding(alice, Option.none())))).reason, "bad_answer")
  })

  it("reads the whole address from the next node if the first is down, slow, out of sync or rejects the call", function* () {
    const faults: ReadonlyArray<Reply> = [
      refused,
      neverResponds,
      text("Server is overloaded", { status: 503 }),
      text("<html></html>", { status: 400 }),
      text("", { status: 404 }),
      json(RippleNodes.failed("slowDown")),
      json(RippleNodes.failed("noNetwork")),
      json(RippleNodes.failed("lgrNotFound")),
      json(RippleNodes.failed("invalidParams")),
      json({ result: {} }),
      json({ error: "x" })
    ]
    for (const fault of faults) {
      const first = (request: SentRequest) => (request.body.includes("account_lines") ? fault : nodes(request))
      const { requests, holdings } = yield* network(byHost({ "one.test": first, "two.test": nodes }))
      const [read] = yield* settled(holdings([alice]))
      assert.strictEqual(Either.getOrThrow(read ?? Either.right([])).length, 3)
      const second = requests.filter((request) => !isForHead(request)).filter(({ url }) => url.host === "two.test")
      assert.deepStrictEqual(
        callsOf(second).map(({ method }) => method),
        ["account_info", "account_lines"]
      )
    }
  })

  const outcomes: ReadonlyArray<readonly [name: string, reply: Reply, reason: string, message: RegExp]> = [
    ["slowDown", json(RippleNodes.failed("slowDown")), "rate_limited", /rate limit reached/],
    ["tooBusy", json(RippleNodes.failed("tooBusy")), "rate_limited", /rate limit reached/],
    ["HTTP 429", text("", { status: 429 }), "rate_limited", /rate limit reached/],
    ["an overload", text("Server is overloaded", { status: 503 }), "rate_limited", /rate limit reached .HTTP 503/],
    ["HTTP 503", text("", { status: 503 }), "upstream_error", /HTTP 503/],
    ["noNetwork", json(RippleNodes.failed("noNetwork")), "upstream_error", /cannot answer at the moment/],
    ["invalidParams", json(RippleNodes.failed("invalidParams")), "upstream_error", /rejected the call/],
    ["no connection", refused, "upstream_error", /could not be reached/],
    ["HTTP 404", text("", { status: 404 }), "upstream_error", /HTTP 404/],
    ["silence", neverResponds, "timeout", /timed out/],
    ["HTML", text("<html></html>"), "bad_answer", /not JSON/],
    ["no result", json({}), "bad_answer", /unexpected format/],
    [
      "a balance that is not a number",
      json({ result: { account_data: { Balance: "" } } }),
      "bad_answer",
      /unexpected format/
    ],
    ["an account without a balance", json({ result: { account_data: {} } }), "bad_answer", /unexpected format/]
  ]
  for (const [name, reply, reason, message] of outcomes)
    it(`returns the matching reason for ${name}`, function* () {
      const { holding, holdings } = yield* network(() => reply)
      const [read] = yield* settled(holdings([alice]))
      const own = yield* settled(Effect.flip(holding(alice, Option.none())))
      const item = yield* settled(Effect.flip(holding(alice, Option.some(rlusd.address))))
      for (const unread of [Option.getOrThrow(Either.getLeft(read ?? Either.right([]))), own, item]) {
        assert.strictEqual(unread.reason, reason)
        assert.match(unread.message, message)
      }
    })
})

describe("a single asset of an XRP Ledger address", () => {
  const readHolding = Effect.fnUntraced(function* (given: string | undefined, holder = alice) {
    const { requests, holding } = yield* network(nodes)
    const read = yield* settled(Effect.either(holding(holder, Option.fromNullable(given))))
    return { read: read as unknown, calls: callsOf(requests) }
  })

  it("is XRP if no token is requested", function* () {
    assert.deepStrictEqual(
      (yield* readHolding(undefined)).read,
      Either.right(amountOf("native", 99_999_999_999_999_999n))
    )
    assert.deepStrictEqual((yield* readHolding(undefined, rlusdIssuer)).read, Either.right(amountOf("native", 0n)))
  })

  it("is a registered token in any spelling, read with one call that is limited to its issuer", function* () {
    for (const spelling of [rlusd.address, `RLUSD.${rlusdIssuer}`, `${rlusdCode.toLowerCase()}-${rlusdIssuer}`]) {
      const { calls, read } = yield* readHolding(spelling)
      assert.deepStrictEqual(read, Either.right(amountOf(rlusd, 12_345_678_901_234_567n)))
      assert.deepStrictEqual(
        calls.map(({ method, params: [{ peer }] }) => [method, peer]),
        [["account_lines", rlusdIssuer]]
      )
    }
  })

  it("is zero without a trust line, if the account owes the token, and if the account does not exist", function* () {
    assert.deepStrictEqual((yield* readHolding(rlusd.address, bob)).read, Either.right(amountOf(rlusd, 0n)))
    assert.deepStrictEqual((yield* readHolding(euro.address, bob)).read, Either.right(amountOf(euro, 0n)))
    assert.deepStrictEqual((yield* readHolding(euro.address, rlusdIssuer)).read, Either.right(amountOf(euro, 0n)))
  })

  it("is an unregistered token with 15 decimals", function* () {
    const dollar = { address: `${bitstamp}.USD`, decimals: 15, name: "", symbol: "USD", thumbnail: "" }
    assert.deepStrictEqual(
      (yield* readHolding(`USD.${bitstamp}`)).read,
      Either.right(amountOf(dollar, 3_000_000_000_000_000n))
    )
  })

  it("is refused without a call if the token is malformed", function* () {
    for (const given of ["", "RLUSD", rlusdIssuer, `XRP.${rlusdIssuer}`]) {
      const { calls, read } = yield* readHolding(given)
      const { message, reason } = Either.getOrThrow(Either.flip(read as Either.Either<never, Record<string, string>>))
      assert.strictEqual(reason, "invalid_address")
      assert.match(message ?? "", /^tokenAddress: /)
      assert.deepStrictEqual(calls, [])
    }
  })
})

describe("responses of XRP Ledger nodes for an account", () => {
  const info = (account: string, drops: string) =>
    json({ result: { account_data: { Account: account, Balance: drops }, ledger_index: 5, validated: true } })

  const answers: Readonly<Record<string, Reply>> = {
    "another account": info(bob, "7"),
    "more XRP than the total supply": info(alice, "100000000000000001"),
    "a negative balance": info(alice, "-7"),
    "an empty object": json({}),
    "an empty result": json({ result: {} }),
    "another account that does not exist": json({ result: { error: "actNotFound", account: bob, status: "error" } })
  }
  for (const [name, reply] of Object.entries(answers))
    it(`are rejected with bad_answer: ${name}`, function* () {
      const { holdings } = yield* network(() => reply, [])
      assert.include(JSON.stringify(yield* settled(holdings([alice]))), "bad_answer")
    })

  it("give a zero balance if the requested account does not exist, whether or not the error contains the account", function* () {
    for (const named of [{ account: alice }, {}]) {
      const { holdings } = yield* network(() => json({ result: { error: "actNotFound", ...named } }), [])
      assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, [Either.right([amountOf("native", 0n)])])
    }
  })

  it("give each trust line once, and are rejected if the lines are of another account", function* () {
    const line = { account: bitstamp, currency: "EUR", balance: "2" }
    const lines = (account: string) => (request: SentRequest) =>
      (JSON.parse(request.body) as RippleNodes.Call).method === "account_info"
        ? info(alice, "7")
        : json({ result: { account, lines: [line, line], validated: true } })
    const own = yield* network(lines(alice))
    assert.deepStrictEqual((yield* settled(own.holdings([alice]))) as unknown, [
      Either.right([amountOf("native", 7n), amountOf(euro, 2_000_000n)])
    ])
    const other = yield* network(lines(bob))
    assert.strictEqual((yield* settled(other.chain.holdings([alice]))).unreadTokens?.[0]?.reason, "bad_answer")
  })
})
