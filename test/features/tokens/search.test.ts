import * as Effect from "effect/Effect"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import type { TokenSearchResult } from "../../../src/contract/tokens/TokensApi.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { type Asset, folded, search, searchIndex } from "../../../src/features/tokens/searchIndex.ts"
import { body, Service } from "../../support/app.ts"
import { usdt } from "../../support/requests.ts"
import { holder } from "../../support/sandbox.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"

const token = (coin: string, symbol: string, name: string, address = `0x${coin}`) => ({
  address,
  coinId: CoinId.make(coin),
  symbol,
  name,
  decimals: 6,
  thumbnail: ""
})

const second = { ...ethereum, id: "second", platform: "second" } as unknown as typeof ethereum

const index = searchIndex(
  [ethereum, second],
  new Map([
    [
      "ethereum",
      {
        tokens: [
          token("tether", "USDT", "Tether"),
          token("usd-one", "USD1", "World Dollar"),
          token("large", "LRG", "Usdollar Large"),
          token("small", "USDT", "Usd Transfer"),
          token("world", "WLD", "Great USDT-World"),
          token("wide", "ＵＳＤＴ２", "Wide")
        ]
      }
    ],
    ["second", { tokens: [token("tether", "USDT.s", "Tether of Second", "S1")] }]
  ])
)

const sizes: Readonly<Record<string, number>> = { tether: 100, large: 900, small: 1, world: 5000, ethereum: 300 }

const found = (text: string, isWanted = (_: Asset) => true) =>
  Effect.map(index, (built) =>
    search(built, text, 50, ({ coinId }) => sizes[coinId] ?? 0, isWanted).map(({ coinId }) => coinId)
  )

describe("the search for assets", () => {
  it("returns equal texts first, then symbols, names and words, the larger first in each", function* () {
    assert.deepStrictEqual(yield* found("usdt"), ["tether", "small", "wide", "world"])
    assert.deepStrictEqual(yield* found("usd"), ["tether", "small", "usd-one", "wide", "large", "world"])
    assert.deepStrictEqual(yield* found("USDOLLAR l"), ["large"])
    assert.deepStrictEqual(yield* found("transfer"), ["small"])
  })

  it("finds names and coin ids that are equal, in all forms of characters", function* () {
    assert.deepStrictEqual(yield* found(" TETHER "), ["tether"])
    assert.deepStrictEqual(yield* found("usd-one"), ["usd-one"])
    assert.deepStrictEqual(yield* found("ｕｓｄｔ2"), ["wide"])
    assert.deepStrictEqual(yield* found("ether"), ["ethereum"])
    assert.strictEqual(folded("  Ａ\u00a0 B "), "a b")
  })

  it("finds nothing inside of words, and nothing that is not wanted", function* () {
    for (const text of ["ollar", "", " ", "\ud800", "x".repeat(100)])
      assert.deepStrictEqual(yield* found(text), [], text)
    assert.deepStrictEqual(yield* found("usdt", ({ coinId }) => coinId !== "tether"), ["small", "wide", "world"])
  })

  it("returns the best if there are more than wanted", function* () {
    const built = yield* index
    const best = (limit: number) =>
      search(
        built,
        "usd",
        limit,
        ({ coinId }) => sizes[coinId] ?? 0,
        () => true
      )
    assert.deepStrictEqual(
      best(1).map(({ coinId }) => coinId),
      ["tether"]
    )
    assert.deepStrictEqual(
      best(5).map(({ coinId }) => coinId),
      ["tether", "small", "usd-one", "wide", "large"]
    )
  })

  it("has one asset for a coin on several networks", function* () {
    const { byCoin } = yield* index
    assert.deepStrictEqual(byCoin.get("tether")?.contracts, [
      { network: "ethereum", contract: "0xtether", decimals: 6 },
      { network: "second", contract: "S1", decimals: 6 }
    ])
    assert.strictEqual(byCoin.get("tether")?.symbol, "USDT")
    assert.deepStrictEqual(
      byCoin.get("ethereum")?.contracts.map(({ contract, network }) => [network, contract]),
      [
        ["ethereum", null],
        ["second", null]
      ]
    )
  })
})

const get = Effect.fnUntraced(function* (query: string) {
  const { get } = yield* Service
  const response = yield* get(`/tokens/search?${query}`)
  assert.strictEqual(response.status, 200, query)
  const failures: ReadonlyArray<{ readonly network: string; readonly errorCode: string }> = JSON.parse(
    response.headers.get("x-partial-failures") ?? "[]"
  )
  return { ...(yield* body<TokenSearchResult>(response)), failures }
})

layer(Service.layer())("GET /tokens/search", (it) => {
  const three = "&networks=ethereum,BSC,tron"

  it("returns one hit for an asset, with its contracts on the networks of the request", function* () {
    // A balance waits for the lists of its networks.
    const { post } = yield* Service
    yield* post("/balance", {
      networks: { ethereum: [holder(1)], bsc: [holder(1)], tron: ["TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9"] }
    })
    const { failures, hits, input } = yield* get(`q=Usdt${three}`)
    assert.deepStrictEqual(failures, [])
    assert.strictEqual(input, "Usdt")
    const [first] = hits
    assert.deepInclude(first, { coinId: "tether", symbol: "USDT", listed: true, verdict: "listed" })
    assert.deepStrictEqual(first?.contracts[0], { network: "ethereum", contract: usdt, decimals: 6 })
    assert.sameMembers(first?.contracts.map(({ network }) => network) ?? [], ["ethereum", "bsc", "tron"])
    const only = yield* get("q=usdt&networks=tron")
    assert.deepStrictEqual(
      only.hits[0]?.contracts.map(({ network }) => network),
      ["tron"]
    )
  })

  it("finds a contract in all its spellings, and coins without a contract", function* () {
    for (const text of [usdt, usdt.toUpperCase().replace("0X", "0x"), `eip155:1:${usdt}`]) {
      const { hits } = yield* get(`q=${encodeURIComponent(text)}&networks=ethereum`)
      assert.deepStrictEqual(
        hits.map(({ coinId }) => coinId),
        ["tether"],
        text
      )
    }
    const { hits } = yield* get("q=bitcoin&networks=bitcoin")
    assert.deepStrictEqual(hits[0]?.contracts, [{ network: "bitcoin", contract: null, decimals: 8 }])
  })

  it("returns at most as many hits as wanted, and names networks that it does not have", function* () {
    assert.strictEqual((yield* get(`q=u&limit=1${three}`)).hits.length, 1)
    const { failures, hits } = yield* get("q=usdt&networks=tron,etherium")
    assert.deepStrictEqual(
      failures.map(({ errorCode, network }) => [network, errorCode]),
      [["etherium", "unknown_network"]]
    )
    assert.strictEqual(hits.length, 1)
    assert.deepStrictEqual((yield* get("q=usdt&networks=etherium")).hits, [])
    assert.deepStrictEqual((yield* get(`q=0x${"12".repeat(20)}&networks=tron`)).hits, [])
  })

  it("does not call a look-alike of the text equal", function* () {
    assert.deepStrictEqual((yield* get(`q=${encodeURIComponent("USDТ")}${three}`)).hits, [])
  })
})
