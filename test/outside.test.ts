import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { recordFlaky } from "../scripts/flaky.ts"
import { judge, type Known, type KnownFailure, listedIds, type Runner } from "../scripts/outside/judge.ts"
import listed from "./known.json" with { type: "json" }

const known: Known = {
  checks: {
    histories: {
      "P-1": { reason: "pages lose a transaction", shows: "Seen: 1 | 2" },
      "C7-net-base": { reason: "the name is wrong", shows: "Seen: 1 | 2" }
    }
  },
  cases: { limits: { slow: { reason: "a slow call times out", shows: "got 2 (/balance )" } } },
  "wrong-check": { checks: { "X-1": "BIP-1 allows both" }, cases: {} }
}

const list =
  "history: pages of a history\n  P-1  pages are whole\n  P-2  newest first\n  X-1  both\n  C7-net-…  … is named …\n"

const failure = (id: string) => `${id}: pages are whole (1 of 2 cases do not hold). Seen: 1 | 2`

const run = (
  runner: Runner,
  lines: ReadonlyArray<string>,
  {
    code = 1,
    ids = runner === "checks" ? listedIds(list) : ["fast", "slow"],
    names = [] as ReadonlyArray<string>,
    needsAll = false
  } = {}
) => {
  const output = `${lines.join("\n")}\n`
  const { problems, unlisted } = judge(runner, { code, ids, names, needsAll, output }, known)
  return { unlisted, problems }
}

const accepted = { unlisted: [], problems: [] }

const refused = (...problems: ReadonlyArray<string>) => ({ unlisted: [], problems })

const both = [failure("P-1"), failure("C7-net-base")]

describe("the verdicts of the checks from outside", () => {
  it("are accepted if exactly the listed statements fail; those of wrong checks may", () => {
    assert.deepStrictEqual(run("checks", [...both, "7 passed, 2 failed"]), accepted)
    assert.deepStrictEqual(run("checks", [...both, failure("P-1"), failure("X-1"), "5 passed, 4 failed"]), accepted)
  })

  it("are refused if another statement, or a part of a topic, fails", () => {
    for (const id of ["P-2", "history-run"])
      assert.deepStrictEqual(run("checks", [...both, failure(id), failure(id), "6 passed, 4 failed"]), {
        ...accepted,
        unlisted: [id]
      })
  })

  it("are refused if a listed statement fails with another fault", () => {
    const other = `${failure("P-1")} | 3`
    for (const lines of [[other], [failure("P-1"), other], [other, failure("P-1")]])
      assert.deepStrictEqual(
        run("checks", [failure("C7-net-base"), ...lines, `6 passed, ${lines.length + 1} failed`]),
        { ...accepted, unlisted: ["P-1"] }
      )
    for (const seen of ["1 got nothing (/balance status)", "a running service got the service did not become ready"])
      assert.deepStrictEqual(run("cases", ["ok fast", `WRONG slow: expected ${seen}`, "1 passed, 1 failed"]), {
        ...accepted,
        unlisted: ["slow"]
      })
  })

  it("are refused if a listed statement passes", () => {
    assert.deepStrictEqual(
      run("checks", [failure("C7-net-base"), "8 passed, 1 failed"]),
      refused("P-1 passes: remove it from test/known.json")
    )
    assert.deepStrictEqual(
      run("checks", [failure("P-1"), "8 passed, 1 failed"]),
      refused("C7-net-base passes: remove it from test/known.json")
    )
  })

  it("are of the listed statements, and of the parts of each topic", () => {
    assert.deepStrictEqual(listedIds(list), ["P-1", "P-2", "X-1", "C7-net-…", "history-…"])
  })

  it("are refused if a listed statement or a wrong check does not exist", () => {
    assert.deepStrictEqual(
      run("checks", ["9 passed, 0 failed"], { code: 0, ids: listedIds("history: pages\n") }),
      refused(
        "P-1 of test/known.json does not exist",
        "C7-net-base of test/known.json does not exist",
        "X-1 of test/known.json does not exist"
      )
    )
  })

  it("are judged for the selected statements only", () => {
    const selected = { code: 0, ids: ["P-1"], names: ["P-1"] }
    assert.deepStrictEqual(
      run("checks", ["1 passed, 0 failed"], selected),
      refused("P-1 passes: remove it from test/known.json")
    )
    // Another topic may have the same statement: a passing topic proves less than a passing id.
    for (const names of [["P-2"], ["history"]])
      assert.deepStrictEqual(run("checks", ["1 passed, 0 failed"], { ...selected, names }), accepted)
  })

  it("do not say that statements pass which a missing program prevents", () => {
    assert.deepStrictEqual(
      run("checks", ["not tried, keys: KEY-1: redis-server is not installed", "9 passed, 0 failed"], { code: 0 }),
      accepted
    )
  })

  it("are refused without the closing line, with other lines, counts or exit codes", () => {
    const incomplete = 'ended with status 1, without "N passed, N failed" as the last line'
    for (const lines of [[], both, [...both, "7 passed, 2 failed", "Error: no memory"]])
      assert.deepStrictEqual(run("checks", lines), refused(incomplete))
    assert.deepStrictEqual(
      run("checks", [...both, "P-2: no form", "7 passed, 2 failed"]),
      refused("printed a line that is not a verdict: P-2: no form")
    )
    assert.deepStrictEqual(run("checks", [...both, "7 passed, 3 failed"]), refused("counted 3 failures and printed 2"))
    assert.deepStrictEqual(
      run("checks", [...both, "7 passed, 2 failed"], { code: 0 }),
      refused("ended with status 0 after 2 failures")
    )
    assert.deepStrictEqual(
      run("cases", ["WRONG slow: expected 1 got 2 (/balance )", "1 passed, 1 failed"]),
      refused("counted 1 passed and printed 0", "fast has no verdict")
    )
  })
})

describe("statements without a verdict", () => {
  it("refuse a run with fewer verdicts than statements", () => {
    assert.deepStrictEqual(
      run("checks", [...both, "0 passed, 2 failed"]),
      refused("printed 2 verdicts for 3 statements")
    )
  })

  it("refuse a run that needs all programs, and the repetition of a failure", () => {
    const lines = [...both, "not tried, keys: redis-server is not installed", "1 passed, 2 failed"]
    assert.deepStrictEqual(run("checks", lines), accepted)
    assert.deepStrictEqual(
      run("checks", lines, { needsAll: true }),
      refused("did not try all: not tried, keys: redis-server is not installed")
    )
  })
})

describe("what passed only when it was repeated", () => {
  it("is reported if it did so in one of the previous 19 runs", () => {
    const cache = mkdtempSync(join(tmpdir(), "flaky-"))
    assert.deepStrictEqual(recordFlaky("test", ["a"], cache), [])
    for (let count = 0; count < 18; count++) assert.deepStrictEqual(recordFlaky("test", ["b"].slice(count), cache), [])
    assert.deepStrictEqual(recordFlaky("test", ["a", "c"], cache), ["a"])
    for (let count = 0; count < 19; count++) recordFlaky("test", [], cache)
    assert.deepStrictEqual(recordFlaky("test", ["a", "c"], cache), [])
  })
})

describe("the verdicts of the cases", () => {
  it("are accepted if exactly the listed cases fail", () => {
    assert.deepStrictEqual(
      run("cases", ["ok fast", "WRONG slow: expected 1 got 2 (/balance )", "1 passed, 1 failed"]),
      accepted
    )
    assert.deepStrictEqual(
      run("cases", ["WRONG fast: expected 1 got 2 (/balance )", "ok slow", "1 passed, 1 failed"]),
      { unlisted: ["fast"], problems: ["slow passes: remove it from test/known.json"] }
    )
  })
})

describe("the list of known failures", () => {
  it("has each id once, with a reason in one line", () => {
    for (const runner of ["checks", "cases"] as const) {
      const { [runner]: failures, "wrong-check": wrong } = listed as Known
      const faults = Object.values(failures).flatMap(Object.entries<KnownFailure>)
      const entries = [...faults.map(([id, { reason }]) => [id, reason] as const), ...Object.entries(wrong[runner])]
      assert.lengthOf(entries, new Set(entries.map(([id]) => id)).size)
      for (const [id, reason] of entries) assert.match(reason, /^(?!.*\bissue\b)\S.{20,160}$/, id)
      for (const [id, { shows }] of faults)
        assert.match(shows, runner === "cases" ? /^got .+ \(\/.*\)$/ : /^Seen: /, id)
    }
  })
})
