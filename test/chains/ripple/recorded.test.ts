import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { ripple } from "../../../src/catalogue/ripple.ts"
import { decimal } from "../../../src/chains/ripple/amount.ts"
import type { Token } from "../../../src/domain/Token.ts"
import { cases, type Exchange, fixture, recorded, replay, sample } from "../../support/fixtures.ts"
import { json, type Reply, type SentRequest } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { samples } from "../families/samples.ts"
import { alice, bob, isForHead, network, rlusd, rlusdCode, token } from "./ripple.ts"

const amountOf = (asset: Token | "native", amount: bigint) => ({ asset, amount: Either.right(amount) })

type Body = Readonly<Record<string, unknown>> & { readonly result?: Record<string, unknown> }

/** Converts a recording to the format of HTTP. WebSocket frames have the status and an error outside the result. */
const toReply = ({ response }: Exchange, changes: Readonly<Record<string, unknown>> = {}): Reply => {
  const { id: _, result, type: __, ...rest } = response.body as Body
  return json({ result: result === undefined ? rest : { status: "success", ...result, ...changes } })
}

const answer = (name: string, changes?: Readonly<Record<string, unknown>>) => toReply(fixture("rippled", name), changes)

/** Returns an account, and its trust lines if they are requested. */
const withLines = (account: Exchange, lines: Exchange) => (request: SentRequest) =>
  toReply(request.body.includes("account_lines") ? lines : account)

/** Checks that a response to another request is never read as a balance. */
const neverBalances = (of: (name: string) => Exchange, names: ReadonlyArray<string>) => {
  for (const name of names.filter((item) => !/^account-(info|lines|not-found)/.test(item)))
    it(`to another request (${name}) are never read as a balance`, function* () {
      const { holding } = yield* network(() => toReply(of(name)))
      for (const of of [Option.none(), Option.some(rlusd.address)])
        assert.include(["bad_answer", "upstream_error"], (yield* settled(Effect.flip(holding(bob, of)))).reason)
    })
}

/** The recorded lines are of the open ledger. By default they are marked as validated, as the service requires. */
const accountAndLines =
  (changes = { validated: true }) =>
  (request: SentRequest) =>
    request.body.includes("account_lines") ? answer("account-lines", changes) : answer("account-info")

recorded("recorded rippled responses", () => {
  it("contain the balance in whole drops, including the reserve", function* () {
    const { holding } = yield* network(() => answer("account-info"))
    assert.deepStrictEqual((yield* settled(holding(alice, Option.none()))) as unknown, amountOf("native", 922_913_243n))
  })

  it("give zero for an account that is not found", function* () {
    const unfunded = "rajTAg3hon5Lcu1RxQQPxTgHvqfhc1EaUS"
    const { requests, holding, holdings } = yield* network(() => answer("account-info-actnotfound"))
    assert.deepStrictEqual((yield* settled(holdings([unfunded]))) as unknown, [Either.right([amountOf("native", 0n)])])
    assert.strictEqual(requests.filter((request) => !isForHead(request)).length, 2)
    assert.deepStrictEqual(
      (yield* settled(holding(unfunded, Option.some(rlusd.address)))) as unknown,
      amountOf(rlusd, 0n)
    )
  })

  it("contain trust lines with decimal strings, negative debts, and currencies as three letters or in hex", function* () {
    const { lines } = (fixture("rippled", "account-lines").response.body as Body).result as {
      readonly lines: ReadonlyArray<{ readonly account: string; readonly currency: string; readonly balance: string }>
    }
    const tokens = lines.map(({ account, currency }, index) =>
      token(`${account}.${currency.length === 40 ? currency.toUpperCase() : currency}`, `coin-${index}`)
    )
    const { holdings } = yield* network(accountAndLines(), tokens)
    const [native, ...issued] = Either.getOrThrow((yield* settled(holdings([alice])))[0] ?? Either.right([]))
    assert.deepStrictEqual(native as unknown, amountOf("native", 922_913_243n))
    const positive = lines.filter(({ balance }) => !balance.startsWith("-") && balance !== "0")
    assert.deepStrictEqual(
      issued.map(({ amount, asset }) =>
        asset === "native" ? [] : [asset.address, Either.getOrThrow(amount), asset.decimals]
      ),
      positive.map(({ account, balance, currency }) => {
        const { digits, scale } = Option.getOrThrow(decimal(balance))
        const decimals = Math.max(15, scale)
        return [`${account}.${currency}`, digits * 10n ** BigInt(decimals - scale), decimals]
      })
    )
    const amounts = new Map(issued.map(({ amount, asset }) => [asset === "native" ? "" : asset.address, amount]))
    assert.deepStrictEqual(
      amounts.get("rHpXfibHgSb64n8kK9QWDpdbfqSpYbM9a4.MXN"),
      Either.right(481_992_867_407_479_000n)
    )
    assert.deepStrictEqual(amounts.get("rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B.CHF"), Either.right(3_488_146_605_801_446n))
    assert.isFalse(amounts.has("rpgKWEmNqSDAGFhy5WDnsyPqfQxbWxKeVd.BTC"))
  })

  it("with trust lines of a ledger that may still change are rejected", function* () {
    const { chain } = yield* network(accountAndLines({ validated: false }))
    const { unreadTokens } = yield* settled(chain.holdings([alice]))
    assert.deepStrictEqual(
      unreadTokens?.map((unread) => unread?.reason),
      ["bad_answer"]
    )
  })

  it("contain trust lines with a currency in hex and an amount with an exponent", function* () {
    const { account_objects } = (fixture("rippled", "account-objects-trustlines").response.body as Body).result as {
      readonly account_objects: ReadonlyArray<{
        readonly Balance: { readonly currency: string; readonly value: string }
        readonly HighLimit: { readonly issuer: string }
        readonly LowLimit: { readonly value: string }
      }>
    }
    const lines = account_objects.map(({ Balance, HighLimit }) => ({
      account: HighLimit.issuer,
      currency: Balance.currency,
      balance: Balance.value
    }))
    const { holdings } = yield* network((request) =>
      request.body.includes("account_lines")
        ? json({ result: { account: alice, lines, status: "success" } })
        : answer("account-info")
    )
    assert.strictEqual(lines[1]?.currency, rlusdCode)
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, [
      Either.right([amountOf("native", 922_913_243n), amountOf(rlusd, 171_000_000_000_000n)])
    ])
    assert.deepStrictEqual(
      decimal(account_objects[1]?.LowLimit.value ?? ""),
      Option.some({ digits: 690_000_000_000n, scale: 0 })
    )
  })

  neverBalances((name) => fixture("rippled", name), cases("rippled"))
})

describe("sample rippled responses", () => {
  const of = (name: string) => sample("rippled", name)
  const [own = "", other = "", issuer = "", second = ""] = samples(ripple, 4, 700)
  const made = "4D41444555500000000000000000000000000000"

  it("contain the balance in whole drops, including the reserve", function* () {
    const { holding } = yield* network(() => replay(of("account-info")))
    assert.deepStrictEqual((yield* settled(holding(own, Option.none()))) as unknown, amountOf("native", 734_501_928n))
  })

  it("give zero for an account that is not found", function* () {
    const { requests, holding, holdings } = yield* network(() => replay(of("account-not-found")))
    assert.deepStrictEqual((yield* settled(holdings([other]))) as unknown, [Either.right([amountOf("native", 0n)])])
    assert.strictEqual(requests.filter((request) => !isForHead(request)).length, 2)
    const read = yield* settled(holding(other, Option.some(rlusd.address)))
    assert.deepStrictEqual(read as unknown, amountOf(rlusd, 0n))
  })

  it("contain trust lines with decimal strings, negative debts, and currencies as three letters or in hex", function* () {
    const euro = token(`${issuer}.EUR`, "euro", 6)
    const named = token(`${issuer}.${made}`, "made-up")
    const fine = token(`${second}.BTC`, "bitcoin")
    const tokens = [euro, named, token(`${issuer}.USD`, "owed"), token(`${second}.USD`, "empty"), fine]
    const { holdings } = yield* network(withLines(of("account-info"), of("account-lines")), tokens)
    assert.deepStrictEqual((yield* settled(holdings([own]))) as unknown, [
      Either.right([
        amountOf("native", 734_501_928n),
        amountOf(euro, 12_500_000n),
        amountOf(named, 12_345_000_000_000_000n),
        // More decimals than usual, so that no digit is lost.
        amountOf({ ...fine, decimals: 19 }, 1_234_567_890_123_456n)
      ])
    ])
  })

  it("with trust lines of a ledger that may still change are rejected", function* () {
    const { chain } = yield* network(withLines(of("account-info"), of("account-lines-open-ledger")))
    const { addresses, unreadTokens } = yield* settled(chain.holdings([own]))
    assert.deepStrictEqual(
      addresses.map((read) => Either.getOrThrow(read).length),
      [1]
    )
    assert.deepStrictEqual(
      unreadTokens?.map((unread) => unread?.reason),
      ["bad_answer"]
    )
  })

  neverBalances(of, ["account-tx-payments", "submit-refused", "tx-not-found"])
})
