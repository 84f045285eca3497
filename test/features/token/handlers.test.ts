import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { TokenDescription } from "../../../src/contract/tokens/TokenApi.ts"
import { unlistedCoins } from "../../../src/sandbox/world/unlisted.ts"
import { body, Service } from "../../support/app.ts"
import { sandboxExcept } from "../../support/beside.ts"
import { usdt } from "../../support/requests.ts"
import { holder } from "../../support/sandbox.ts"
import { assert, layer } from "../../support/vitest.ts"

interface Answer extends TokenDescription {
  readonly issues?: ReadonlyArray<{ readonly path: string; readonly message: string }>
  readonly detail?: string
}

const read = Effect.fnUntraced(function* (network: string, contract: string, query = "") {
  const { get } = yield* Service
  const response = yield* get(`/token/${network}/${encodeURIComponent(contract)}${query}`)
  return { status: response.status, ...(yield* body<Answer>(response)) }
})

/** A network of each family whose contracts are read, and its platform. */
const readers = [
  ["base", "base"],
  ["solana", "solana"],
  ["ripple", "xrp"],
  ["tron", "tron"],
  ["sui", "sui"],
  ["ton", "the-open-network"],
  ["cardano", "cardano"]
] as const

/** Addresses without a token. */
const others = [
  ["solana", "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"],
  ["ripple", "rrrrrrrrrrrrrrrrrrrrBZbvji.USD"],
  ["tron", "TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9"],
  ["sui", "0x5::none::NONE"],
  ["ton", `0:${"5".repeat(64)}`],
  ["cardano", `${"5".repeat(56)}414243`]
] as const

/** The powers of a contract whose functions are all known. */
const none = { freeze: false, take: false, "transfer-fee": false, pause: false, upgrade: false, mint: false }

layer(Service.layer(), { excludeTestServices: true, timeout: "60 seconds" })(
  "GET /token/{network}/{contract}",
  (it) => {
    it("returns a listed token with its price, also in a currency", function* () {
      const found = yield* read("ETH", usdt.toUpperCase().replace("0X", "0x"), "?currency=eur")
      assert.deepInclude(found, {
        status: 200,
        network: "ethereum",
        contract: usdt,
        assetId: `eip155:1/erc20:${usdt}`,
        standard: "ERC-20",
        symbol: "USDT",
        decimals: 6,
        supply: "1000000000",
        rawSupply: "1000000000000000",
        listed: true,
        coinId: "tether",
        verdict: "listed",
        reasons: [],
        powers: none,
        currency: "eur"
      })
      assert.match(found.tokenPrice ?? "", /^[01](\.\d+)?$/)
      assert.match(found.price ?? "", /^0\.\d+$/)
      assert.notProperty(found, "error")
      assert.notProperty(yield* read("ethereum", usdt), "currency")
    })

    for (const [network, platform] of readers)
      it(`returns tokens of ${network} that no list has, as their contracts name them, without a price`, function* () {
        for (const { contracts, decimals, name, symbol } of unlistedCoins) {
          const found = yield* read(network, String(contracts[platform]))
          assert.deepInclude(found, { status: 200, network, listed: false, coinId: null, tokenPrice: null })
          assert.strictEqual(found.decimals, network === "ripple" ? 15 : decimals)
          // The ledger of ripple has no names, and no letters other than those of the currency.
          const texts = network === "ripple" ? [symbol, symbol] : [name, symbol.toUpperCase()]
          assert.deepStrictEqual([found.name, found.symbol], texts)
          assert.match(found.error ?? "", /no source has a current price$/)
          assert.includeMembers([...found.reasons], ["not-listed", "no-price"])
          assert.notStrictEqual(found.verdict, "listed")
        }
      })

    it("is 404 only where there certainly is no token", function* () {
      const found = yield* read("polygon", holder(1))
      assert.strictEqual(found.status, 404)
      assert.strictEqual(found.detail, "There is no token at this address on Polygon PoS.")
      for (const [network, contract] of others)
        assert.strictEqual((yield* read(network, contract)).status, 404, network)
    })

    it("rejects malformed addresses, unknown networks and networks without tokens", function* () {
      const issueOf = ({ issues, status }: Answer & { readonly status: number }) => [status, issues?.[0]?.path]
      assert.deepStrictEqual(issueOf(yield* read("ethereum", "0x123")), [400, "contract"])
      assert.deepStrictEqual(issueOf(yield* read("nowhere", usdt)), [400, "network"])
      assert.deepStrictEqual(issueOf(yield* read("bitcoin", usdt)), [400, "network"])
      assert.deepStrictEqual(issueOf(yield* read("ethereum", usdt, "?currency=xxx")), [400, "currency"])
    })

    it("is 501 on a network that was shut down", function* () {
      assert.strictEqual((yield* read("zkevm", usdt)).status, 501)
    })
  }
)

/** A client whose requests all fail. */
const down = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request) =>
    Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", description: "connection refused" }))
  )
)

layer(Service.layer({}, sandboxExcept(/^ethereum-rpc$/, down)), {
  excludeTestServices: true,
  timeout: "60 seconds"
})("GET /token/{network}/{contract} without a node", (it) => {
  it("returns what the list has of a listed token, and the rest as null with the reason", function* () {
    const found = yield* read("ethereum", usdt)
    assert.deepInclude(found, { status: 200, standard: null, decimals: null, supply: null, powers: {}, listed: true })
    assert.strictEqual(found.symbol?.toLowerCase(), "usdt")
    assert.strictEqual(found.errorCode, "upstream_error")
  })

  it("is 502 for a token that no list has, never 404", function* () {
    const [coin] = unlistedCoins
    assert.strictEqual((yield* read("ethereum", String(coin?.contracts.ethereum))).status, 502)
    assert.strictEqual((yield* read("ethereum", holder(1))).status, 502)
  })
})
