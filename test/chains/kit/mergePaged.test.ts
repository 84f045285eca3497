import * as Effect from "effect/Effect"
import { join, type List, type Row } from "../../../src/chains/kit/history/mergePaged.ts"
import { textsOf } from "../../../src/domain/history/Gap.ts"
import { seconds } from "../../../src/domain/units.ts"
import { UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const broken = new UpstreamError({ upstream: "tester", reason: "upstream_error", detail: "is down" })

/** List of rows with three rows per page that counts its requests. It fails or hangs from the given page on. */
const list = (name: string, rows: ReadonlyArray<Row>, fails = 99, hangs = 99) => {
  const state = { pages: 0 }
  const made: List<Row> = {
    name,
    page: (next) =>
      Effect.suspend(() => {
        const page = state.pages++
        if (page >= fails) return Effect.fail(broken)
        if (page >= hangs) return Effect.never
        const from = Number(next ?? 0)
        const shown = rows.slice(from, from + 3)
        return Effect.succeed({
          rows: shown,
          oldest: shown.at(-1)?.at,
          next: rows.length > from + 3 ? String(from + 3) : undefined,
          unreadable: 0
        })
      })
  }
  return { list: made, state }
}

const rows = (...times: ReadonlyArray<number>): ReadonlyArray<Row> =>
  times.map((at) => ({ key: `k${at}`, at: seconds(at) }))

const read = (lists: ReadonlyArray<ReturnType<typeof list>>, limit: number, more: object = {}) =>
  Effect.map(
    settled(
      join(
        lists.map((source) => source.list),
        { limit, within: 10_000, ...more }
      )
    ),
    ({ gaps, groups, more }) => ({
      summary: groups.map(({ key, rows }) => `${key}x${rows.length}`).join(" "),
      more,
      missing: textsOf(gaps),
      pages: lists.map(({ state }) => state.pages)
    })
  )

describe("lists that are joined", () => {
  it("return rows of the same second by their `order`, newest first", function* () {
    const ordered = (...orders: ReadonlyArray<number>) =>
      orders.map((order) => ({ key: `o${order}`, at: seconds(9), order }))
    const { summary } = yield* read([list("a", ordered(2, 1)), list("b", ordered(4, 3))], 9)
    assert.strictEqual(summary, "o4x1 o3x1 o2x1 o1x1")
  })

  it("leave out a group at the end of a list that breaks off, because more of its rows may follow", function* () {
    const several = [9, 8, 7, 7].map((at) => ({ key: `k${at}`, at: seconds(at) }))
    const { missing, summary } = yield* read([list("a", rows(9, 8, 7)), list("b", several, 1)], 9, { spread: 1 })
    assert.strictEqual(summary, "k9x2 k8x2")
    assert.deepStrictEqual(missing, ["a part of the b: tester: is down"])
  })

  it("return rows as far back as every list was read, and read no more pages than the limit needs", function* () {
    const dense = rows(20, 19, 18, 17, 16, 15, 14, 13)
    const sparse = rows(19, 10, 9, 8, 7)
    assert.deepStrictEqual(yield* read([list("a", dense), list("b", sparse)], 4), {
      summary: "k20x1 k19x2 k18x1 k17x1",
      more: true,
      missing: [],
      pages: [2, 1]
    })
    assert.deepStrictEqual(yield* read([list("a", dense), list("b", sparse)], 50), {
      summary: "k20x1 k19x2 k18x1 k17x1 k16x1 k15x1 k14x1 k13x1 k10x1 k9x1 k8x1 k7x1",
      more: false,
      missing: [],
      pages: [3, 2]
    })
  })

  it("count equal rows once, and leave out groups with rows of the same id that differ", function* () {
    const row = (id: string, at: number, key = id): Row => ({ key, id, at: seconds(at) })
    const repeated = list("a", [row("1", 20), row("2", 19), row("2", 19), row("2", 19), row("3", 18)])
    assert.deepStrictEqual(yield* read([repeated], 9), {
      summary: "1x1 2x1 3x1",
      more: false,
      missing: [],
      pages: [2]
    })
    const differing = list("a", [row("1", 20), row("2", 19), row("3", 18), row("2", 19, "1"), row("4", 17)])
    const { missing, summary } = yield* read([differing], 9)
    assert.deepStrictEqual([summary, ...missing], ["3x1 4x1", "a: 1 could not be read"])
  })

  it("report a list as missing from where its position for the next page repeats", function* () {
    const part = { rows: rows(20), oldest: seconds(20), next: "again", unreadable: 0 }
    const same = { name: "a", page: () => Effect.succeed(part) }
    const { gaps, groups, more } = yield* join([same], { limit: 9, within: 1_000 })
    assert.deepStrictEqual([groups.length, textsOf(gaps), more] as unknown, [
      0,
      ["older a: history: returned the same position for the next page"],
      true
    ])
  })

  it("omit a group that the end of a page may have cut, until a later page shows that it is complete", function* () {
    const cut = [...rows(20, 19, 18), ...rows(18), ...rows(17)]
    assert.strictEqual((yield* read([list("a", cut)], 2)).summary, "k20x1 k19x1")
    assert.strictEqual((yield* read([list("a", cut)], 3)).summary, "k20x1 k19x1 k18x2")
    const spread = { spread: 5, hasFirstRow: ({ key }: { readonly key: string }) => key === "k20" }
    assert.deepStrictEqual(yield* read([list("a", rows(20, 19, 18, 17))], 1, spread), {
      summary: "k20x1",
      more: true,
      missing: [],
      pages: [1]
    })
    assert.deepStrictEqual((yield* read([list("a", rows(20, 19, 18, 17))], 2, spread)).pages, [2])
  })

  it("have no group below one that may be cut, and none above the requested time", function* () {
    const spread = { spread: 5, hasFirstRow: ({ key }: { readonly key: string }) => key === "k19" }
    const all = rows(20, 19, 18, 14, 13, 12)
    const first = yield* read([list("a", all)], 1, spread)
    assert.deepStrictEqual([first.summary, first.pages], ["k20x1", [2]])
    assert.strictEqual((yield* read([list("a", all)], 1, { ...spread, newest: seconds(19) })).summary, "k19x1")
    const below = yield* read([list("a", all)], 1, { newest: seconds(13) })
    assert.deepStrictEqual([below.summary, below.pages], ["k13x1", [2]])
  })

  it("omit a list that fails and report it as missing, and fail if every list fails", function* () {
    const a = rows(20, 19, 18, 17)
    assert.deepStrictEqual(yield* read([list("a", a), list("b", rows(18), 0)], 9), {
      summary: "k20x1 k19x1 k18x1 k17x1",
      more: false,
      missing: ["b: tester: is down"],
      pages: [2, 1]
    })
    assert.strictEqual((yield* read([list("a", a, 0), list("b", rows(18))], 9)).summary, "k18x1")
    assert.deepStrictEqual(yield* read([list("a", a, 1), list("b", rows(30, 5))], 9), {
      summary: "k30x1 k20x1 k19x1",
      more: true,
      missing: ["older a: tester: is down"],
      pages: [2, 1]
    })
    // Rows of the first list are below the end of the second one: not only older rows are missing.
    assert.deepStrictEqual(yield* read([list("a", rows(20, 15, 10)), list("b", rows(18, 17, 16, 12), 1)], 9), {
      summary: "k20x1 k18x1 k17x1 k16x1 k15x1 k10x1",
      more: false,
      missing: ["a part of the b: tester: is down"],
      pages: [1, 2]
    })
    assert.deepStrictEqual(yield* Effect.flip(read([list("a", a, 0), list("b", a, 0)], 9)), broken)
  })

  it("return the rows that were read before the deadline, and fail with `timeout` if there are no rows", function* () {
    assert.deepStrictEqual(yield* read([list("a", rows(20, 19, 18, 17), 99, 1)], 9), {
      summary: "k20x1 k19x1",
      more: true,
      missing: ["older a: history: timed out"],
      pages: [2]
    })
    const { reason } = yield* Effect.flip(read([list("a", rows(20), 99, 0)], 9))
    assert.strictEqual(reason, "timeout")
  })
})
