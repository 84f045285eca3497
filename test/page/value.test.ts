import { assert, describe, it } from "@effect/vitest"
import { make } from "../../src/client/Client.ts"
import { linesOf, summaryOf, textAt } from "../../src/page/coin/series.ts"
import { missingValue, partsOf } from "../../src/page/portfolio/worth.ts"
import type { KnownNetworks } from "../../src/page/state/knownNetworks.ts"
import {
  onActiveNetworks,
  readValues,
  remarksOf,
  seriesOf,
  type ValueResponse,
  withoutUnlisted
} from "../../src/page/value/values.ts"

const hour = 3_600_000

const answer = (
  points: ReadonlyArray<readonly [at: number, value: string | null, approximate?: true]>,
  more: Partial<ValueResponse> = {}
): ValueResponse => ({
  currency: "eur",
  step: hour,
  points: points.map(([at, value, approximate]) => ({
    at: at * hour,
    value,
    ...(approximate === undefined ? {} : { approximate })
  })),
  assets: [],
  addresses: [],
  ...more
})

const valuesOf = (answers: ReadonlyArray<ValueResponse>) => {
  const { approximate, columns, times } = seriesOf(answers) ?? assert.fail("no series")
  return times.map((at, index) => [(at * 1000) / hour, columns[0]?.values[index], approximate?.[index] ?? false])
}

describe("the value of addresses over time", () => {
  it("has the values of one response unchanged, from the first known value on", () => {
    const points = answer([
      [1, null],
      [2, "0.1"],
      [3, null],
      [4, "0.3", true],
      [4.5, "0.4"]
    ])
    assert.deepStrictEqual(valuesOf([points]), [
      [2, 0.1, false],
      [3, null, true],
      [4, 0.3, true],
      [4.5, 0.4, false]
    ])
    assert.isUndefined(seriesOf([answer([[1, null]])]))
    assert.isUndefined(seriesOf([answer([])]))
    assert.isUndefined(seriesOf([]))
  })

  it("is the sum of several responses, approximate if one of them lacks a value, with a single last point", () => {
    const long = answer([
      [1, "1"],
      [2, "2"],
      [3, "3"],
      [3.5, "4"]
    ])
    const short = answer([
      [2, "0.2"],
      [3, "0.3"],
      [3.501, "0.4"]
    ])
    assert.deepStrictEqual(valuesOf([long, short]), [
      [1, 1, true],
      [2, 2.2, false],
      [3, 3.3, false],
      [3.501, 4.4, false]
    ])
    assert.deepStrictEqual(valuesOf([short, answer([])]).at(-1), [3.501, 0.4, true])
  })

  it("has no drop if requests are on both sides of a full hour", () => {
    const before = answer([
      [1, "1"],
      [2, "1"],
      [2.999, "1"]
    ])
    const after = answer([
      [1, "1"],
      [2, "1"],
      [3, "1"],
      [3.001, "1"]
    ])
    assert.deepStrictEqual(
      valuesOf([before, after]).map(([at, value]) => [at, value]),
      [
        [1, 2],
        [2, 2],
        [3.001, 2]
      ]
    )
  })

  it("is drawn with a gap at unknown values, and as a separate line at approximate values", () => {
    const series = seriesOf([
      answer([
        [1, "1"],
        [2, "2"],
        [3, null],
        [4, "4", true],
        [5, "5"],
        [6, "6"]
      ])
    ])
    if (series === undefined) return assert.fail("no series")
    assert.deepStrictEqual(linesOf(series), [
      [1, 2, null, null, 5, 6],
      [null, null, null, 4, 5, null]
    ])
    assert.lengthOf(linesOf({ columns: series.columns }), 1)
    assert.deepStrictEqual(summaryOf(series), {
      first: 1,
      last: 6,
      since: 3_600,
      isApproximate: false,
      high: 6,
      low: 1,
      percent: 500
    })
    const texts = [0, 2, 3].map((place) => textAt(series, series.columns[0]?.values ?? [], place))
    assert.deepStrictEqual(texts, ["€1.00", "not known", "€4.00, approximate"])
  })

  it("changes since all addresses and assets are known", () => {
    const coin = { network: "a", coinId: "c", tokenSymbol: "C", contractAddress: null, balances: [] }
    const summary = (
      since: number,
      values: ReadonlyArray<string | null>,
      more: ReadonlyArray<ValueResponse> = [],
      facts: object = {}
    ) => {
      const points = [1000, 1100, 51_000, 51_200].map((value, index) => [index + 1, `${value}`] as const)
      const addresses = [0, since].map((hours) => ({
        network: "a",
        address: `${hours}`,
        since: hours * hour,
        reasons: []
      }))
      const series = seriesOf([answer(points, { addresses, assets: [{ ...coin, values, ...facts }] }), ...more])
      const { first, last, since: from, low } = summaryOf(series ?? assert.fail("no series")) ?? {}
      return [first, last, from, low]
    }
    const known = ["1", "1", "1", "1"]
    assert.deepStrictEqual(summary(0, known), [1000, 51_200, 3_600, 1000])
    assert.deepStrictEqual(summary(2.5, known), [51_000, 51_200, 3 * 3_600, 51_000])
    assert.deepStrictEqual(summary(0, [null, "1", "1", "1"]), [1100, 51_200, 2 * 3_600, 1100])
    assert.deepStrictEqual(summary(0, ["1", "1", "1", null]), [undefined, undefined, undefined, undefined])
    const [unknown, error] = [[null, null, null, null], "no prices"]
    assert.strictEqual(summary(0, unknown)[0], 1000)
    assert.strictEqual(summary(0, unknown, [], { error, balances: known })[0], 1000)
    assert.strictEqual(summary(0, unknown, [], { error, balances: unknown })[0], undefined)
    const later = answer([
      [3, "1"],
      [4, "1"]
    ])
    assert.deepStrictEqual(summary(0, known, [later]), [51_001, 51_201, 3 * 3_600, 51_001])
  })

  it("has a remark for each address and coin with unknown values, without invisible characters", () => {
    const remarks = remarksOf(
      [
        answer(
          [
            [0, "1"],
            [24, "1"]
          ],
          {
            addresses: [
              { network: "a", address: "0x1", since: null, reasons: ["timed out\u202e"] },
              { network: "a", address: "0x2", since: 12 * hour, reasons: [] },
              { network: "a", address: "0x3", since: 0, reasons: [] }
            ],
            assets: [
              {
                network: "a",
                coinId: "c",
                tokenSymbol: "\u202e",
                contractAddress: "t",
                balances: [],
                values: [],
                error: "no prices"
              }
            ]
          }
        )
      ],
      1,
      (network) => network.toUpperCase()
    )
    assert.deepStrictEqual(remarks, [
      { of: "A, 0x1", text: "no data available; timed out" },
      { of: "A, 0x2", text: "known since January 1, 1970" },
      { of: "(no symbol), A", text: "no prices" }
    ])
  })

  it("is approximate if something failed or is not known yet, not for movements that no source lists", () => {
    const address = { network: "a", address: "0x1", since: hour, reasons: ["withdrawals"], unlisted: ["withdrawals"] }
    const values = (addresses: ReadonlyArray<object>, assets: ReadonlyArray<object> = []) =>
      valuesOf([
        withoutUnlisted(
          answer(
            [
              [1, "1", true],
              [2, "2", true],
              [3, "3", true]
            ],
            { addresses, assets } as Partial<ValueResponse>
          )
        )
      ]).map(([, , isApproximate]) => isApproximate)
    assert.deepStrictEqual(values([address]), [false, false, false])
    assert.deepStrictEqual(values([address, { ...address, since: 2 * hour }]), [true, false, false])
    for (const more of [{ reasons: ["withdrawals", "timed out"] }, { unlisted: undefined }, { since: null }])
      assert.deepStrictEqual(values([address, { ...address, ...more }]), [true, true, true])
    assert.deepStrictEqual(values([address], [{ error: "no prices", values: [], balances: [] }]), [true, true, true])
  })

  it("excludes addresses on networks that were shut down before the requested days", () => {
    const known = { networks: [{ id: "gone", sunset: "2026-07-01" }, { id: "here" }] } as unknown as KnownNetworks
    const addresses = [{ network: "gone" }, { network: "here" }, { network: "new" }]
    const now = Date.parse("2026-11-22")
    const names = (days: number) => onActiveNetworks(addresses, known, days, now).map(({ network }) => network)
    assert.deepStrictEqual(names(30), ["here", "new"])
    assert.deepStrictEqual(names(365), ["gone", "here", "new"])
  })

  it("is read in as many requests as the limit of the service requires, and fails if one of them fails", async () => {
    const sizes: Array<number> = []
    let kind: "address" | "xpub" = "address"
    const client = make({
      baseUrl: "",
      retries: 0,
      fetch: (_url, init) => {
        const { currency, networks } = JSON.parse(String(init.body))
        assert.strictEqual(currency, "eur")
        sizes.push(networks.a.length)
        const isBroken = networks.a.includes("bad")
        return Promise.resolve(
          networks.a.length > 30 || isBroken
            ? Response.json({ status: 413 }, { status: isBroken ? 500 : 413 })
            : Response.json(answer([[1, String(networks.a.length)]]))
        )
      }
    })
    const read = (texts: ReadonlyArray<string>) =>
      readValues(
        client,
        texts.map((address) => ({
          network: "a",
          address,
          match: { network: "a", canonical: address, kind }
        })),
        7,
        "EUR",
        new AbortController().signal
      )
    const answers = await read(Array.from({ length: 70 }, (_, index) => `0x${index}`))
    assert.deepStrictEqual(sizes, [50, 20, 25, 25])
    assert.deepStrictEqual(valuesOf(answers), [[1, 70, false]])
    // An extended key may include addresses of another request.
    kind = "xpub"
    assert.deepStrictEqual(valuesOf(await read(["0x1"])), [[1, 1, false]])
    assert.deepStrictEqual(valuesOf(await read(Array.from({ length: 51 }, (_, index) => `${index}`))), [[1, 51, true]])
    kind = "address"
    const error = await read(["0x1", "bad"]).catch((cause: unknown) => cause)
    assert.strictEqual((error as { readonly status?: number }).status, 500)
  })
})

describe("a native balance", () => {
  it("has the parts of its network, and null for parts that could not be read", () => {
    assert.deepStrictEqual(
      partsOf({ staked: null, spendable: "1", error: "timed out", errorCode: "timeout" }).map(({ amount, title }) => [
        title,
        amount
      ]),
      [
        ["Spendable", "1"],
        ["Staked", null]
      ]
    )
    assert.deepStrictEqual(partsOf(undefined), [])
  })

  it("has the reason of a missing value: the price, the exchange rate, or the balance", () => {
    const row = (more: object) => missingValue(more as Parameters<typeof missingValue>[0])
    assert.deepStrictEqual(row({ balance: "1" }), { code: "no_price", detail: undefined })
    assert.deepStrictEqual(row({ balance: "1", errorCode: "upstream_error", error: "the exchange rate of eur" }), {
      code: "upstream_error",
      detail: "the exchange rate of eur"
    })
    assert.deepStrictEqual(row({ balance: null, errorCode: "timeout", error: "x" }), {
      code: "timeout",
      detail: undefined
    })
  })
})
