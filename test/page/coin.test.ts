import { assert, describe, it } from "@effect/vitest"
import { make } from "../../src/client/Client.ts"
import { hasCandles, readCandles, readLine, summaryOf } from "../../src/page/coin/series.ts"
import { requestedCurrency, rowValue } from "../../src/page/portfolio/worth.ts"
import { plain } from "../../src/page/text/decimal.ts"
import { money, price } from "../../src/page/text/format.ts"

const answering = (body: unknown) => {
  const urls: Array<string> = []
  const fetch = (url: string | URL | Request) => {
    urls.push(String(url))
    return Promise.resolve(Response.json(body))
  }
  return { client: make({ baseUrl: "", retries: 0, fetch }), urls }
}

const { signal } = new AbortController()

describe("the prices of a coin", () => {
  it("are a line in any currency without invalid points, and undefined for an unknown coin", async () => {
    const { client, urls } = answering({ tether: { prices: [[1000, 2], [2000, null], [3000], [4000, 3]] } })
    const series = await readLine(client, "tether", 30, "EUR", signal)
    assert.deepInclude(series, { currency: "EUR", times: [1, 4], columns: [{ name: "price", values: [2, 3] }] })
    assert.match(urls[0] ?? "", /coin_ids=tether&days=30&currency=eur/)
    assert.deepInclude(summaryOf(series ?? assert.fail("no series")), { last: 3, low: 2, high: 3, percent: 50 })
    for (const id of ["other", "__proto__", "constructor"])
      assert.isUndefined(await readLine(client, id, 1, "USD", signal))
  })

  it("are candles in US dollars if the service has candles", async () => {
    const { client, urls } = answering([
      [1000, 2, 5, 1, 3],
      [2000, 3, 4, 2, 4]
    ])
    const series = (await readCandles(client, "bitcoin", 30, signal)) ?? assert.fail("no candles")
    assert.deepStrictEqual(
      series.columns.map(({ name, values }) => [name, ...values]),
      [
        ["open", 2, 3],
        ["high", 5, 4],
        ["low", 1, 2],
        ["close", 3, 4]
      ]
    )
    assert.strictEqual(series.currency, "USD")
    assert.deepStrictEqual(summaryOf(series), {
      first: 2,
      last: 4,
      since: series.times[0] ?? 0,
      isApproximate: false,
      high: 5,
      low: 1,
      percent: 100
    })
    assert.isFalse(hasCandles("bitcoin", 7))
    assert.isFalse(hasCandles("toString", 1))
    assert.isUndefined(await readCandles(client, "tether", 30, signal))
    assert.strictEqual(urls.length, 1)
  })

  it("are formatted without exponents and with the symbol of their currency", () => {
    assert.strictEqual(plain(0.00000001234), "0.00000001234")
    assert.strictEqual(plain(1e21), "1000000000000000000000")
    assert.strictEqual(plain(61835.109), "61835.109")
    assert.strictEqual(price(plain(Number.NaN), "USD"), "not a number")
    assert.strictEqual(price("0.000012345678", "BTC"), "0.0000123457 BTC")
    assert.strictEqual(money("0.0003707", "BTC"), "0.0003707 BTC")
    assert.strictEqual(money("0.025", "XAU"), "0.025 XAU")
    assert.strictEqual(money("12.5", "SATS"), "12.5 SATS")
    assert.strictEqual(money("1234.5", "JPY"), "¥1,235")
  })

  it("of a row are in the currency of its request", () => {
    const row = { balanceUsd: "2", tokenPrice: "1" } as Parameters<typeof rowValue>[0]
    assert.deepStrictEqual(rowValue(row), { value: "2", price: "1", currency: "USD" })
    assert.deepStrictEqual(rowValue({ ...row, currency: "eur", value: "1.8", price: null }), {
      value: "1.8",
      price: null,
      currency: "EUR"
    })
    assert.isUndefined(requestedCurrency("USD"))
    assert.strictEqual(requestedCurrency("EUR"), "eur")
  })
})
