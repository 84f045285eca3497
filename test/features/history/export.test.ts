import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { ethereum as info } from "../../../src/catalogue/evm/ethereum.ts"
import { heightsOf } from "../../../src/chains/kit/history/heights.ts"
import { gap, textsOf } from "../../../src/domain/history/Gap.ts"
import type { Reason } from "../../../src/domain/Reason.ts"
import { type Millis, position } from "../../../src/domain/units.ts"
import { toEntry } from "../../../src/features/history/entries.ts"
import type { ExportPart } from "../../../src/features/history/export/exported.ts"
import { exportedAs, header, recordsOf, withoutFormula } from "../../../src/features/history/export/exportedAs.ts"
import { History } from "../../../src/features/history/History.ts"
import { listOf, TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { parsed } from "../../support/csv.ts"
import { gapsOf } from "../../support/gaps.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { chain, dai, friend, holder, network, over, overWith, part, registryOfDai, transaction } from "./histories.ts"

const thousand = Array.from({ length: 1_200 }, (_, index) => transaction(index))

const ethereum = (times = { failures: 0 }) => {
  const all = chain(() => thousand)
  return network("ethereum", (query) =>
    query.before !== undefined && times.failures-- > 0
      ? Effect.fail({ reason: "timeout", message: "timed out" } as const)
      : all(query)
  )
}

const exported = (
  fake: ReturnType<typeof network>,
  wanted: Record<string, ReadonlyArray<string>>,
  registry = registryOfDai
) =>
  Effect.gen(function* () {
    const history = yield* History
    return Chunk.toReadonlyArray(yield* settled(Stream.runCollect(history.whole(wanted))))
  }).pipe(Effect.provide(Layer.provide(overWith(registry, fake), Layer.fresh(Memory.layer()))))

const hashesIn = (parts: Effect.Effect.Success<ReturnType<typeof exported>>) =>
  parts.flatMap(({ page }) => page?.transactions.map(([{ hash }]) => hash) ?? [])

describe("the export of whole histories", () => {
  it("contains every transaction once, page by page, without failures", function* () {
    const fake = ethereum()
    const parts = yield* exported(fake, { ethereum: [holder, holder], unheard: ["x"] })
    assert.deepStrictEqual(
      hashesIn(parts),
      thousand.map(({ hash }) => hash)
    )
    assert.isTrue(parts.every(({ failure }) => failure === undefined))
    assert.strictEqual(fake.queries.length, 3)
  })

  it("reads a page only after the previous page was consumed", function* () {
    const fake = ethereum()
    yield* Effect.gen(function* () {
      const history = yield* History
      const first = yield* settled(Stream.runHead(history.whole({ ethereum: [holder] })))
      assert.strictEqual(first._tag, "Some")
      assert.strictEqual(fake.queries.length, 1)
    }).pipe(Effect.provide(Layer.provide(over(fake), Layer.fresh(Memory.layer()))))
  })

  it("retries a page that could not be read, and reports where it gives up", function* () {
    const twice = yield* exported(ethereum({ failures: 2 }), { ethereum: [holder] })
    assert.strictEqual(hashesIn(twice).length, thousand.length)
    const never = yield* exported(ethereum({ failures: 99 }), { ethereum: [holder, "nonsense"] })
    assert.strictEqual(hashesIn(never).length, 500)
    assert.deepStrictEqual(
      never.flatMap(({ failure }) => failure ?? []),
      [
        {
          network: "ethereum",
          address: holder,
          message: "older transactions: timed out",
          errorCode: "timeout"
        },
        {
          network: "ethereum",
          address: "nonsense",
          message: "an address starts with 0x",
          errorCode: "invalid_address"
        }
      ]
    )
  })

  it("ends with a failure after all pages if a part is missing from the first only", function* () {
    const all = chain(() => thousand.slice(0, 600))
    const fake = network("ethereum", (query) =>
      Effect.map(all(query), (read) => ({
        ...read,
        gaps: gapsOf(query.before === undefined ? ["internal transfers"] : [])
      }))
    )
    const parts = yield* exported(fake, { ethereum: [holder] })
    assert.strictEqual(hashesIn(parts).length, 600)
    assert.deepStrictEqual(parts.at(-1)?.failure, {
      network: "ethereum",
      address: holder,
      message: "internal transfers",
      errorCode: "upstream_error"
    })
  })

  it("ends with a failure that does not count for movements without a source", function* () {
    const gaps = gapsOf([], ["withdrawals"])
    const fake = network("ethereum", (query) => Effect.map(chain(() => thousand)(query), (read) => ({ ...read, gaps })))
    const parts = yield* exported(fake, { ethereum: [holder] })
    const failure = { network: "ethereum", address: holder, message: "withdrawals", errorCode: "not_listed" as const }
    assert.deepStrictEqual(
      parts.flatMap((part) => part.failure ?? []),
      [failure]
    )
    // It is not read again for them.
    assert.strictEqual(fake.queries.length, 3)
    const type = parsed(recordsOf({ failure }))[0]?.[4]
    const response = exportedAs("ndjson", Stream.fromIterable(parts))
    const lines =
      response.body._tag === "Stream" ? yield* Stream.runCollect(Stream.decodeText(response.body.stream)) : []
    const text = [...lines].join("").trim().split("\n")
    assert.deepStrictEqual(
      [type, ...text.slice(-2)],
      ["INCOMPLETE", JSON.stringify({ failures: [failure] }), JSON.stringify({ done: true, failures: 0 })]
    )
  })

  it("reads a page again for a kind of gap that no page had before", function* () {
    let count = 0
    const fake = network("ethereum", (query) =>
      Effect.map(chain(() => thousand)(query), (read) => {
        const what = (query.before?.returned ?? 0) < 1_000 ? "amounts" : "transfers"
        return { ...read, gaps: [gap(what, `${count++} rows`)] }
      })
    )
    yield* exported(fake, { ethereum: [holder] })
    assert.deepStrictEqual(
      fake.queries.map(({ limit }) => limit < 500),
      [false, true, false, false, true]
    )
  })

  it("contains a page whose shorter read fails", function* () {
    const all = chain(() => thousand)
    const fake = network("ethereum", (query) =>
      query.before !== undefined && query.limit < 500
        ? Effect.fail({ reason: "timeout", message: "timed out" } as const)
        : Effect.map(all(query), (read) => ({
            ...read,
            gaps: gapsOf(query.before === undefined ? [] : ["tokens", "fees"])
          }))
    )
    const parts = yield* exported(fake, { ethereum: [holder] })
    assert.deepStrictEqual(
      hashesIn(parts),
      thousand.map(({ hash }) => hash)
    )
    assert.deepStrictEqual(
      parts.flatMap(({ failure }) => failure?.message ?? []),
      ["tokens; fees"]
    )
  })

  it("ends after the page whose cursor is refused", function* () {
    const fake = ethereum()
    const times = heightsOf({ facts: info })
    let count = 0
    const max = (at: Millis) => (++count > 1 ? position(0) : times.max(at))
    Object.assign(fake.service, { heights: { ...times, max } })
    const parts = yield* exported(fake, { ethereum: [holder] })
    assert.strictEqual(hashesIn(parts).length, 500)
    assert.deepStrictEqual(
      parts.flatMap(({ failure }) => failure ?? []),
      [
        {
          network: "ethereum",
          address: holder,
          message: "older transactions: the cursor of the next page is refused",
          errorCode: "bad_answer"
        }
      ]
    )
  })

  it("ends at its deadline", function* () {
    const late = Effect.gen(function* () {
      const history = yield* History
      const parts = Stream.tap(history.whole({ ethereum: [holder] }), () => TestClock.adjust("200 seconds"))
      return Chunk.toReadonlyArray(yield* Stream.runCollect(parts))
    })
    const parts = yield* Effect.provide(late, Layer.provide(over(ethereum()), Layer.fresh(Memory.layer())))
    assert.strictEqual(hashesIn(parts).length, 1_000)
    assert.match(parts.at(-1)?.failure?.message ?? "", /^older transactions: .*EXPORT_DEADLINE_MS/)
  })
})

describe("CSV", () => {
  const written = (parts: ReadonlyArray<ExportPart>, hasEnd?: boolean) =>
    Effect.gen(function* () {
      const { body } = exportedAs("csv", Stream.fromIterable(parts), hasEnd)
      const texts = body._tag === "Stream" ? yield* Stream.runCollect(Stream.decodeText(body.stream)) : []
      return [...texts].join("")
    })
  const failure = (errorCode: Reason) => ({
    failure: { network: "ethereum", address: holder, message: "x", errorCode }
  })

  it("has a last record with the number of records, if the request says so", function* () {
    const parts = yield* exported(ethereum(), { ethereum: [holder] })
    const plain = header + parts.map(recordsOf).join("")
    assert.strictEqual(yield* written(parts), plain)
    assert.strictEqual(yield* written(parts, false), plain)
    for (const [more, type] of [
      [[], "COMPLETE"],
      // Movements that no source lists.
      [[failure("not_listed")], "COMPLETE"],
      [[failure("timeout"), failure("not_listed")], "INCOMPLETE"]
    ] as const) {
      const all = [...parts, ...more]
      const text = header + all.map(recordsOf).join("")
      const count = parsed(text).length - 1
      assert.isAbove(count, 1_000)
      assert.strictEqual(yield* written(all, true), `${text},,,,${type},,,,,,,,,,,,${count}\r\n`)
    }
    assert.strictEqual(yield* written([], true), `${header},,,,COMPLETE,,,,,,,,,,,,0\r\n`)
  })

  it("escapes a text that a spreadsheet interprets as a formula", () => {
    for (const text of ["=HYPERLINK(0)", "+1", "-1", "-1:x", "@SUM(A1)", "\t=1", "＝1"])
      assert.strictEqual(withoutFormula(text), `'${text}`)
    for (const text of ["0.5", "a-b", "https://etherscan.io/tx/0x1?a=b"]) assert.strictEqual(withoutFormula(text), text)
  })

  it("quotes a field that contains a separator, a quote or a line break", () => {
    const written = (message: string) =>
      recordsOf({ failure: { network: "ethereum", address: holder, message, errorCode: "timeout" } })
    const start = `ethereum,${holder},,,INCOMPLETE,,,,,,,,,,,,`
    for (const [text, field] of [
      ['a "b"; c, d', '"a ""b""; c, d"'],
      ["a\r\nb", '"a\r\nb"'],
      ["0.5", "0.5"]
    ] as const)
      assert.strictEqual(written(text), `${start}${field}\r\n`)
  })

  it("has a record per party with exact amounts, the fee once, and the same number of fields", function* () {
    const fake = network("ethereum", () =>
      Effect.succeed(
        part(
          [
            transaction(1, {
              type: "=cmd|' /C calc'!A0",
              fee: 441_000_000_000_001n,
              from: [{ address: holder, amount: 1_500_000_000_000_000_001n, token: dai.address }],
              to: [{ address: friend, amount: 1_500_000_000_000_000_001n, token: "0x99" }]
            }),
            transaction(2, { fee: null, from: [], to: [] })
          ],
          { missing: ["internal transfers"] }
        )
      )
    )
    const parts = yield* exported(fake, { ethereum: [holder] })
    const rows = parsed(header + parts.map(recordsOf).join(""))
    const [names = []] = rows
    for (const row of rows) assert.strictEqual(row.length, names.length)
    const records = rows.slice(1).map((row) => Object.fromEntries(row.map((text, index) => [names[index], text])))
    const [from, to, empty, end] = records
    assert.deepInclude(from, {
      direction: "from",
      type: "'=cmd|' /C calc'!A0",
      amount: "1.500000000000000001",
      amountBaseUnits: "1500000000000000001",
      currency: "DAI",
      token: dai.address,
      fee: "0.000441000000000001",
      feeCurrency: "ETH",
      time: "2026-10-26T07:33:19Z"
    })
    assert.deepInclude(to, {
      direction: "to",
      amount: "",
      currency: "",
      token: "0x99",
      fee: "",
      flags: "unknown-token"
    })
    assert.deepInclude(empty, { hash: "0x2", party: "", fee: "" })
    assert.deepInclude(end, { address: holder, type: "INCOMPLETE", note: "internal transfers" })
    assert.strictEqual(records.length, 4)
  })

  it("has only base units of a token whose decimals are not confirmed, entries have its address, and both a reason", function* () {
    const moved = [{ address: holder, amount: 1_500_000_000_000_000_001n, token: dai.address }]
    const fake = network("ethereum", () => Effect.succeed(part([transaction(1, { from: moved, to: [] })])))
    const registry = Layer.effect(
      TokenRegistry,
      Effect.map(TokenRegistry, (all) => ({
        ...all,
        lists: Effect.succeed(new Map([["ethereum", listOf([dai], 0, () => undefined)]]))
      }))
    ).pipe(Layer.provide(TokenRegistry.layerTest({})))
    const [found, ended] = yield* exported(fake, { ethereum: [holder] }, registry)
    if (found?.page === undefined || ended?.failure === undefined) return assert.fail("no page, or no reason")
    const { page } = found
    const [names = [], row = []] = parsed(header + recordsOf({ page }))
    const record = Object.fromEntries(row.map((text, index) => [names[index], text]))
    assert.deepInclude(record, { amount: "", amountBaseUnits: "1500000000000000001", currency: "DAI" })
    const [first] = page.transactions
    assert.strictEqual(first && toEntry(first[0], [], page.surroundings).from[0]?.currency, dai.address)
    const reason = "DAI: the decimals of the token are not confirmed"
    assert.deepInclude(ended.failure, { address: holder, message: reason })
    assert.deepStrictEqual([textsOf(page.gaps), textsOf(page.displayGaps)], [[], [reason]])
  })

  it("leaves addresses, hashes and numbers unchanged, and escapes texts of third parties", function* () {
    const raw = (digit: string) => `-1:${digit.repeat(64)}`
    const fake = network("ethereum", () =>
      Effect.succeed(
        part(
          [
            transaction(1, {
              hash: "+pe3VvBvKDTzHtPyEbhT/iqAfgPcMJkVwrCvmgDS2Zw=",
              from: [{ address: raw("3"), amount: 5n, token: raw("e") }],
              to: [{ address: "@SUM(A1)", amount: 5n, token: "=EUR.issuer" }]
            })
          ],
          { missing: ["=cmd|' /C calc'!A0"] }
        )
      )
    )
    const parts = yield* exported(fake, { ethereum: [holder] })
    const [, from = [], to = [], end = []] = parsed(header + parts.map(recordsOf).join(""))
    for (const text of [raw("3"), raw("e"), "+pe3VvBvKDTzHtPyEbhT/iqAfgPcMJkVwrCvmgDS2Zw="]) assert.include(from, text)
    for (const text of ["'@SUM(A1)", "'=EUR.issuer"]) assert.include(to, text)
    assert.include(end, "'=cmd|' /C calc'!A0")
  })
})
