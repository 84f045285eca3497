import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TronAddress from "../../../src/chains/tron/TronAddress.ts"
import type { Token } from "../../../src/domain/Token.ts"
import { token } from "../../support/chains.ts"
import { type Exchange, fixture, recorded, replay, sample } from "../../support/fixtures.ts"
import { json, type Reply, type SentRequest } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import * as TronNodes from "../../support/TronNodes.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { alice, bob, network, usdt, wink } from "./tron.ts"

const amountOf = (asset: Token | "native", amount: bigint) => ({ asset, amount: Either.right(amount) })

/** Returns this response of the index; Multicall3 calls revert, the node has no account and knows all decimals. */
const repliesOf =
  (exchange: Exchange) =>
  (request: SentRequest): Reply => {
    if (TronNodes.balancesRequested(request.body) !== undefined) return json(TronNodes.reverted)
    if (request.body.includes("313ce567")) {
      const decimals = [usdt, wink].some(({ address }) => request.body.includes(address)) ? "6" : "12"
      return json(TronNodes.returning(`0x${decimals.padStart(64, "0")}`))
    }
    return request.url.pathname.startsWith("/wallet/") ? TronNodes.speaking({})(request) : replay(exchange)
  }

const alwaysOf = (exchange: Exchange) => (): Reply => replay(exchange)

const busy = Effect.fnUntraced(function* (exchange: Exchange) {
  const { holdings } = yield* network(alwaysOf(exchange))
  const unread = { reason: "rate_limited", message: "trongrid: rate limit reached" }
  assert.deepStrictEqual((yield* settled(holdings([alice, bob]))) as unknown, [
    Either.left(unread),
    Either.left(unread)
  ])
})

const inactive = Effect.fnUntraced(function* (exchange: Exchange) {
  const unknown = (request: SentRequest) =>
    TronNodes.balancesRequested(request.body) === undefined ? replay(exchange) : TronNodes.speaking({})(request)
  const { holding } = yield* network(unknown)
  assert.deepStrictEqual((yield* settled(holding(bob, Option.none()))) as unknown, amountOf("native", 0n))
  const { holding: unconfirmed } = yield* network(alwaysOf(exchange))
  assert.deepInclude(yield* Effect.flip(settled(unconfirmed(bob, Option.none()))), { reason: "bad_answer" })
})

const unknownToIndex = Effect.fnUntraced(function* (exchange: Exchange) {
  const { requests, holdings } = yield* network(repliesOf(exchange))
  assert.deepStrictEqual((yield* settled(holdings([bob]))) as unknown, [Either.right([amountOf("native", 0n)])])
  assert.deepStrictEqual(
    requests.map(({ url }) => url.pathname),
    [
      "/wallet/triggerconstantcontract",
      "/wallet/getblock",
      `/v1/accounts/${bob}`,
      `/v1/accounts/${bob}/trc20/balance`,
      "/wallet/getaccount"
    ]
  )
})

const noBalance = Effect.fnUntraced(function* (exchange: Exchange) {
  const { holding, holdings } = yield* network(alwaysOf(exchange))
  assert.isTrue(Either.isLeft((yield* settled(holdings([bob])))[0] ?? Either.right([])))
  for (const of of [Option.none(), Option.some(usdt.address)])
    assert.strictEqual((yield* settled(Effect.flip(holding(bob, of)))).reason, "bad_answer")
})

const trongrid = (name: string) => sample("trongrid", name)

/** Bob's balances from the account index with these responses, by path. */
const indexed = Effect.fnUntraced(function* (
  answers: { readonly account: Exchange; readonly balances?: Exchange },
  tokens?: Parameters<typeof network>[1]
) {
  const { balances = answers.account } = answers
  const { holdings } = yield* network(
    (request) => repliesOf(request.url.pathname.endsWith("/trc20/balance") ? balances : answers.account)(request),
    tokens
  )
  return (yield* settled(holdings([bob])))[0] as unknown
})

describe("responses of TronGrid", () => {
  it("contain a token balance as hex without 0x", function* () {
    const exchange = trongrid("token-balance")
    const { requests, holding } = yield* network((request) =>
      request.body.includes("313ce567") ? repliesOf(exchange)(request) : replay(exchange)
    )
    const read = yield* settled(holding(alice, Option.some(usdt.address)))
    assert.deepStrictEqual(read as unknown, amountOf(usdt, 730_000_021n))
    const own = requests.find(({ body }) => body.includes(usdt.address) && !body.includes("313ce567"))
    const { contract_address, data } = JSON.parse(own?.body ?? "")
    const sent = exchange.request.body as Readonly<Record<string, string>>
    assert.deepStrictEqual(
      [own?.url.pathname, contract_address, data],
      [exchange.request.path, sent.contract_address, sent.data]
    )
  })

  it("with a revert are failures although `result` is true", function* () {
    const { holding } = yield* network(alwaysOf(trongrid("revert")))
    const { reason } = yield* settled(Effect.flip(holding(alice, Option.some(usdt.address))))
    assert.strictEqual(reason, "bad_answer")
  })

  it.effect("of a busy node have HTTP 200 and return the reason rate_limited", () => busy(trongrid("busy")))

  it("exclude staked amounts from the TRX balance", function* () {
    const { holding } = yield* network(alwaysOf(trongrid("wallet-account")))
    assert.deepStrictEqual(
      (yield* settled(holding(alice, Option.none()))) as unknown,
      amountOf("native", 1_203_450_007n)
    )
  })

  it.effect("contain an empty object for an account that was never activated, which has a zero balance", () =>
    inactive(trongrid("wallet-account-none"))
  )

  it("of the index contain hex addresses for a base58 request; TRC-10 tokens are ignored", function* () {
    assert.deepStrictEqual(
      yield* indexed({ account: trongrid("account-trc10") }),
      Either.right([amountOf("native", 41_250_007n), amountOf(wink, 7_300_001n)])
    )
  })

  it("of the index contain TRC-20 tokens as objects with one member and amounts of up to 24 digits", function* () {
    const [first = usdt, second = usdt, third = usdt] = ["c3", "d4", "e5"].map((byte) =>
      token(Either.getOrThrow(TronAddress.parse(`41${byte.repeat(20)}`)), `coin-${byte}`, 18)
    )
    assert.deepStrictEqual(
      yield* indexed({ account: trongrid("account-trc20") }, [first, second, third]),
      Either.right([
        amountOf("native", 9_007_199_254_740_993n),
        amountOf(first, 123_456_789_012_345_678_901_234n),
        amountOf(third, 1n)
      ])
    )
  })

  it.effect("of the index without the address are a zero balance, not an error", () =>
    unknownToIndex(trongrid("account-none"))
  )

  it("contain the tokens of a never activated account in a separate list, which must be complete", function* () {
    const account = trongrid("account-none")
    assert.deepStrictEqual(
      yield* indexed({ account, balances: trongrid("trc20-balances") }),
      Either.right([amountOf("native", 0n), amountOf(usdt, 2_500_001n)])
    )
    assert.deepStrictEqual(
      yield* indexed({ account, balances: trongrid("trc20-balances-first-page") }),
      Either.left({
        reason: "bad_answer",
        message: "trongrid: returned a response in an unexpected format (at meta.fingerprint)"
      })
    )
  })

  for (const name of ["transactions-empty-page", "broadcast-refused", "asset"])
    it.effect(`to another request (${name}) are never read as a balance`, () => noBalance(trongrid(name)))
})

recorded("recorded responses of TronGrid", () => {
  it("contain a token balance as hex without 0x", function* () {
    const { requests, holding } = yield* network(
      alwaysOf(fixture("trongrid", "triggerconstantcontract-usdt-balanceof"))
    )
    const read = yield* settled(holding(alice, Option.some(usdt.address)))
    assert.deepStrictEqual(read as unknown, amountOf(usdt, 136_389_002n))
    const { body, path } = fixture("trongrid", "triggerconstantcontract-usdt-balanceof").request
    const recordedBody = body as Record<string, string>
    const own = requests.find((request) => request.body.includes(usdt.address) && !request.body.includes("313ce567"))
    const sent = JSON.parse(own?.body ?? "")
    assert.strictEqual(own?.url.pathname, path)
    assert.strictEqual(sent.contract_address, recordedBody.contract_address)
    // The sent data contains the holder without the byte 41 of the recording; contracts use the last 20 bytes.
    assert.strictEqual(sent.data, `70a08231${(recordedBody.parameter ?? "").replace("0041", "0000")}`)
  })

  it("with a revert are failures although `result` is true", function* () {
    const { holding } = yield* network(alwaysOf(fixture("trongrid", "triggerconstantcontract-revert-looks-ok")))
    const { reason } = yield* settled(Effect.flip(holding(alice, Option.some(usdt.address))))
    assert.strictEqual(reason, "bad_answer")
  })

  it.effect("of a busy node have HTTP 200 and return the reason rate_limited", () =>
    busy(fixture("trongrid", "node-rate-limited-http-200"))
  )

  it("exclude staked amounts from the TRX balance", function* () {
    const { holding } = yield* network(alwaysOf(fixture("trongrid", "wallet-getaccount-2025")))
    assert.deepStrictEqual(
      (yield* settled(holding(alice, Option.none()))) as unknown,
      amountOf("native", 2_928_601_454n)
    )
  })

  it.effect("contain an empty object for an account that was never activated, which has a zero balance", () =>
    inactive(fixture("trongrid", "wallet-getaccount-unknown"))
  )

  it("of the index contain hex addresses for a base58 request; TRC-10 tokens are ignored", function* () {
    const { holdings } = yield* network(repliesOf(fixture("trongrid", "v1-account-2020-trc10")))
    assert.deepStrictEqual((yield* settled(holdings([bob]))) as unknown, [
      Either.right([amountOf("native", 278_720_000n), amountOf(wink, 53_135_738n)])
    ])
  })

  it("of the index contain TRC-20 tokens as objects with one member and amounts of up to 24 digits", function* () {
    const { body } = fixture("trongrid", "v1-account-2020-trc20-list").response
    const { data } = body as {
      readonly data: ReadonlyArray<{ readonly trc20: ReadonlyArray<Record<string, string>> }>
    }
    // The decimals of each are read alone, one per second.
    const listed = (data[0]?.trc20 ?? []).flatMap((entry) => Object.entries(entry)).slice(0, 2)
    const tokens = listed.map(([address], index) => token(address, `coin-${index}`, index === 0 ? 18 : 6))
    const { holdings } = yield* network(repliesOf(fixture("trongrid", "v1-account-2020-trc20-list")), tokens)
    const [read] = yield* settled(holdings(["TM1zzNDZD2DPASbKcgdVoTYhfmYgtfwx9R"]))
    assert.deepStrictEqual(
      read as unknown,
      Either.right([
        amountOf("native", 346_991_703_615_806n),
        ...listed.flatMap(([, amount], index) => {
          const asset = tokens[index]
          return asset === undefined || BigInt(amount) === 0n ? [] : [amountOf(asset, BigInt(amount))]
        })
      ])
    )
    assert.isTrue(listed.some(([, amount]) => amount.length === 24))
  })

  it.effect("of the index without the address are a zero balance, not an error", () =>
    unknownToIndex(fixture("trongrid", "v1-account-unknown-empty"))
  )

  for (const name of ["v1-transactions-empty-but-next-page", "broadcast-error-hex-message", "v1-asset-trc10"])
    it.effect(`to another request (${name}) are never read as a balance`, () => noBalance(fixture("trongrid", name)))
})
