import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { SimulatedHost } from "../../support/EvmNodes.ts"
import { fixture, recorded, sample } from "../../support/fixtures.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { answering, coin, hosting, isOfMetadata, long, metadataOf, network, page, token } from "./hosts.ts"

const amountOf = (asset: unknown, amount: bigint) => ({ asset, amount: Either.right(amount) })

/** Owner and coins of a recorded response of the retired JSON-RPC, in GraphQL's format. */
const coinsOf = (name: string) => {
  const { request, response } = fixture("sui", name)
  const [owner = ""] = (request.body as { readonly params: ReadonlyArray<string> }).params
  const { result } = response.body as {
    readonly result: ReadonlyArray<{ readonly coinType: string; readonly totalBalance: string }>
  }
  return { owner, coins: result.map(({ coinType, totalBalance }) => coin(coinType, totalBalance)) }
}

recorded("recorded Sui responses", () => {
  it("GraphQL: a balance includes coin objects and the address balance", function* () {
    const { response } = fixture("sui", "graphql-balances")
    const { data } = response.body as {
      readonly data: { readonly address: { readonly balances: { readonly nodes: ReadonlyArray<unknown> } } }
    }
    const test = token("0xbaa3060844f46b8ac670ce4945a2abc6aae36b9d9514d51bde88bec13447bf1c::test::TEST", "test")
    const host = answering((query) => ({
      data: isOfMetadata(query) ? metadataOf(query) : { multiGetAddresses: [page(data.address.balances.nodes)] }
    }))
    const { holdings } = yield* network(host, [test])
    assert.deepStrictEqual((yield* settled(holdings([long("1")]))) as unknown, [
      Either.right([amountOf("native", 299999984505896n), amountOf(test, 1002000n)])
    ])
  })

  it("GraphQL: a single balance includes coin objects and the address balance", function* () {
    const test = token(`${long("1")}::test::TEST`, "test")
    const { data } = fixture("sui", "graphql-balances").response.body as { readonly data: object }
    const { holding } = yield* network(
      answering(() => ({ data: { ...data, coinMetadata: { decimals: 6 } } })),
      [test]
    )
    const read = yield* settled(holding(long("1"), Option.some(test.address)))
    assert.deepStrictEqual(read as unknown, amountOf(test, 1002000n))
  })

  const usdc = token("0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC", "usd-coin")
  const cetus = token(
    `${long("6864a6f921804860930db6ddbe2e16acdf8504495ea7481637a1c8b9a8fe54b")}::cetus::CETUS`,
    "cetus"
  )
  const fake = token("0xa6628f77d4a14f62ba1e2e8b24d99c19ca9948e8925f97367ce6f597f6b3085c::fake::FAKE", "fake")

  const expected = {
    "all-balances-long-sui-type": [amountOf("native", 299999962225608n), amountOf(fake, 4100n)],
    "all-balances-single": [amountOf("native", 7940000000n)],
    "all-balances-with-zero-tokens": [amountOf("native", 52855428706n), amountOf(usdc, 3685298n)]
  }
  for (const [name, rows] of Object.entries(expected))
    it(`${name}: contains one native coin for every spelling, and no token with a zero balance`, function* () {
      const { coins, owner } = coinsOf(name)
      const { holdings } = yield* network(hosting({ [owner]: coins }), [usdc, cetus, fake])
      assert.deepStrictEqual((yield* settled(holdings([owner]))) as unknown, [Either.right(rows)])
    })

  it("contain the same coin for a type without its leading zeros", function* () {
    const { coins, owner } = coinsOf("all-balances-with-zero-tokens")
    const coinsHeld = coins.map((item) => ({ ...item, totalBalance: "12" }))
    const { holdings } = yield* network(hosting({ [owner]: coinsHeld }), [cetus])
    assert.deepStrictEqual((yield* settled(holdings([owner]))) as unknown, [
      Either.right([amountOf("native", 12n), amountOf({ ...cetus, decimals: 9 }, 12n)])
    ])
  })

  const metadata = (name: string) => {
    const { result = null } = fixture("sui", name).response.body as { readonly result?: unknown }
    return answering(() => ({ data: { address: { balance: { totalBalance: "5" } }, coinMetadata: result } }))
  }

  it("give the decimals of metadata (255 or 9), and an error if there is no metadata", function* () {
    const type = Option.some("0x9::real::REAL")
    for (const [name, decimals] of [
      ["coin-metadata-decimals-255", 255],
      ["coin-metadata-sui", 9]
    ] as const) {
      const { holding } = yield* network(metadata(name), [])
      const { amount, asset } = yield* settled(holding(long("1"), type))
      assert.deepStrictEqual([amount as unknown, asset === "native" ? 0 : asset.decimals], [Either.right(5n), decimals])
    }
    const { holding } = yield* network(metadata("coin-metadata-null"), [])
    assert.strictEqual((yield* settled(Effect.flip(holding(long("1"), type)))).reason, "bad_answer")
  })

  it("are not requested for a type that a node rejects as invalid", function* () {
    const [type = ""] = (
      fixture("sui", "coin-metadata-invalid-type").request.body as { readonly params: ReadonlyArray<string> }
    ).params
    const { holding, seen } = yield* network(hosting({}), [])
    assert.strictEqual((yield* Effect.flip(holding(long("1"), Option.some(type)))).reason, "invalid_address")
    assert.deepStrictEqual(seen, [])
  })
})

describe("sample Sui GraphQL responses", () => {
  const of = (name: string) => answering(() => sample("sui", name).response.body)
  const [own, peer] = [`0x${"a1".repeat(32)}`, `0x${"b2".repeat(32)}`]
  const made = token(`${long("e5")}::made::MADE`, "made")
  const short = token(`${long("f".repeat(63))}::coin::COIN`, "short")
  const empty = token(`${long("9c")}::token::TOKEN`, "empty")

  it("owners: sums coin objects and address balances over every spelling of a coin type, and omits zeros", function* () {
    const metadata = answering((query) => ({ data: metadataOf(query) }))
    const host: SimulatedHost = (body, request) =>
      (isOfMetadata(JSON.parse(request.text)) ? metadata : of("owners"))(body, request)
    const { holdings, seen } = yield* network(host, [made, short, empty])
    assert.deepStrictEqual((yield* settled(holdings([own, peer]))) as unknown, [
      Either.right([amountOf("native", 812_000_000_000_007n), amountOf(made, 3_004_000n), amountOf(short, 12n)]),
      Either.right([amountOf("native", 5n)])
    ])
    assert.lengthOf(seen, 2)
  })

  it("balance: reads one coin with 255 decimals", function* () {
    const { holding } = yield* network(of("balance"), [])
    const { amount, asset } = yield* settled(holding(own, Option.some(made.address)))
    assert.deepStrictEqual<unknown>(amount, Either.right(3_004_000n))
    assert.deepInclude(asset, { address: made.address, decimals: 255 })
  })

  for (const [name, reason, message] of [
    [
      "balance-without-metadata",
      "bad_answer",
      "sui-graphql: there is no coin of this type, or its decimals are unknown"
    ],
    ["other-network", "bad_answer", "sui-graphql: serves another network"],
    ["error-timeout", "timeout", "sui-graphql: exceeded its own time limit"]
  ] as const)
    it(`${name}: fails instead of returning a zero balance`, function* () {
      const { holding } = yield* network(of(name), [])
      const unread = yield* settled(Effect.flip(holding(own, Option.some(made.address))))
      assert.deepStrictEqual<unknown>(unread, { reason, message })
    })
})
