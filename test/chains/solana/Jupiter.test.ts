import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { CoinId } from "../../../src/domain/CoinId.ts"
import * as Multiplier from "../../../src/domain/Multiplier.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { cases, type Exchange, fixture, recorded, sample } from "../../support/fixtures.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { built, key } from "./nodes.ts"

const address = "XsoCS1TfEyfFhfvj8EtZ528L3CaKBDBRqRapnBbDF2W"
const coinId = CoinId.make("sp500-xstock")
const multiplier = "1.005714560286254"

interface JupiterRow {
  readonly usdPrice: number
  readonly blockId: number
  readonly priceChange24h: number
  readonly scaledUiConfig: { readonly usdPricePrescaled: number }
}

const rowIn = ({ response: { body } }: Exchange): JupiterRow =>
  (body as Readonly<Record<string, JupiterRow>>)[address] ?? assert.fail("no row")

const row = rowIn(sample("jupiter", "price-v3"))

const start = 1_789_000_000_000

/** Node whose newest slot is this number of slots after that of the price. */
const nodeAfter = (slots: number) =>
  EvmNodes.rpcNode((_, now) =>
    EvmNodes.result({
      context: { slot: row.blockId + slots },
      value: { data: { parsed: { info: { unixTimestamp: now / 1000 } } } }
    })
  )

const pricesFrom = Effect.fnUntraced(function* (
  jupiter: EvmNodes.SimulatedHost,
  node: EvmNodes.SimulatedHost = nodeAfter(100)
) {
  yield* TestClock.setTime(start)
  const requested: Array<number> = []
  const { layer } = EvmNodes.clientOver({
    "jupiter.test": (body, request) => {
      requested.push(request.url.searchParams.get("ids")?.split(",").length ?? 0)
      return jupiter(body, request)
    },
    "solana.test": node
  })
  const environment = { JUPITER_URL: "http://jupiter.test", SOLANA_RPC_URLS: "http://solana.test" }
  const { chain } = yield* built(layer, [], environment)
  const { displayedPrices = () => Effect.dieMessage("no prices") } = chain
  const tokenBy = (text: string, mint = address) => ({
    address: mint,
    coinId,
    multiplier: Option.getOrThrow(Multiplier.fromDecimal(text))
  })
  /** The number of mints in each request since the last call. */
  const calls = () => requested.splice(0)
  return {
    of: (...tokens: ReadonlyArray<ReturnType<typeof tokenBy>>) => settled(displayedPrices(tokens)),
    tokenBy,
    calls
  }
})

const json = (body: unknown, status = 200) => EvmNodes.always(JSON.stringify(body), { status })

describe("the price of a token with scaled amounts", () => {
  it("is for the displayed unit, at the time of its slot, and is requested once a minute", function* () {
    const { calls, of, tokenBy } = yield* pricesFrom(json({ [address]: row }))
    assert.deepStrictEqual(
      [...(yield* of(tokenBy(multiplier)))],
      [
        [
          address,
          {
            coinId,
            usd: row.usdPrice,
            updatedAt: start - 100 * 400,
            source: "jupiter",
            changePercent24h: row.priceChange24h
          }
        ]
      ]
    )
    yield* of(tokenBy(multiplier))
    assert.deepStrictEqual(calls(), [1])
    yield* TestClock.adjust("1 minute")
    yield* of(tokenBy(multiplier))
    assert.deepStrictEqual(calls(), [1])
  })

  it("is requested for fifty tokens in one call, and a token without a price again after a minute", function* () {
    const { calls, of, tokenBy } = yield* pricesFrom(json({}))
    const tokens = Array.from({ length: 51 }, (_, index) => tokenBy("2", key(index)))
    assert.deepStrictEqual([...(yield* of(...tokens))], [])
    assert.deepStrictEqual(calls(), [50, 1])
    yield* of(...tokens)
    assert.deepStrictEqual(calls(), [])
  })

  it("is not known if its two prices do not differ by the multiplier, or the source has none", function* () {
    const { scaledUiConfig: _, ...plain } = row
    for (const [body, text] of [
      [{ [address]: row }, "5"],
      [{ [address]: row }, "1.008"],
      [{ [address]: plain }, multiplier],
      [{ [address]: { ...row, usdPrice: 0 } }, multiplier],
      [{ [address]: { ...row, usdPrice: 1e300, scaledUiConfig: { usdPricePrescaled: 1.005714e300 } } }, multiplier],
      [{ [address]: { ...row, blockId: null } }, multiplier],
      [{}, multiplier],
      [[], multiplier]
    ] as const) {
      const { of, tokenBy } = yield* pricesFrom(json(body))
      assert.deepStrictEqual([...(yield* of(tokenBy(text)))], [], JSON.stringify(body))
    }
    for (const reply of [json({ message: "down" }, 503), EvmNodes.hanging]) {
      const { of, tokenBy } = yield* pricesFrom(reply)
      assert.deepStrictEqual([...(yield* of(tokenBy(multiplier)))], [])
    }
  })

  it("is not served beyond the age limit of prices, nor if its age is not known", function* () {
    const slots = 900_000 / 400
    for (const [node, count] of [
      [nodeAfter(slots), 1],
      [nodeAfter(slots + 1), 0],
      [nodeAfter(-5), 1],
      [EvmNodes.down, 0]
    ] as const) {
      const { of, tokenBy } = yield* pricesFrom(json({ [address]: row }), node)
      assert.strictEqual((yield* of(tokenBy(multiplier))).size, count)
    }
  })
})

recorded("recorded prices of Jupiter", () => {
  it("are for the displayed unit, by the multiplier of the mint", function* () {
    for (const name of cases("jupiter")) {
      const exchange = fixture("jupiter", name)
      const { of, tokenBy } = yield* pricesFrom(json(exchange.response.body))
      assert.strictEqual((yield* of(tokenBy(multiplier))).get(address)?.usd, rowIn(exchange).usdPrice, name)
    }
  })
})
