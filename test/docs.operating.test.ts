import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const text = readFileSync("docs/operating.md", "utf8")

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-")

const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading)

const section = (heading: string) => text.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? ""

/** The cells of a row of the table of users, by the text of its first cell. */
const row = (name: string) => {
  const line = section("What your number of users needs")
    .split("\n")
    .find((line) => line.startsWith(`| ${name} |`))
  assert.isDefined(line, name)
  return line
    .split("|")
    .slice(2, 5)
    .map((cell) => cell.trim())
}

const numbers = (name: string) => row(name).map((cell) => Number(/[\d.,]+/.exec(cell)?.[0].replaceAll(",", "")))

const users = [1_000, 10_000, 1_000_000] as const

/** Rounded as in the table: two digits, or one below 1. */
const rounded = (value: number) => Number(value.toPrecision(value < 1 ? 1 : 2))

describe("the page for operators", () => {
  it("lists all of its sections in its contents, in their order", () => {
    const [contents = ""] = text.split("\n## ")
    assert.deepStrictEqual(
      [...contents.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor),
      headings.map(anchorOf)
    )
    assert.strictEqual(headings[0], "Production in ten lines")
    assert.lengthOf([...section("Production in ten lines").matchAll(/^\d+\. /gm)], 10)
  })

  it("derives the needs of users from the numbers that it names", () => {
    const derivation = section("What your number of users needs")
    const named = (pattern: RegExp) => Number(pattern.exec(derivation)?.[1])
    const [calls, milliseconds, perProcess] = [
      named(/\*\*Calls\*\* are ([\d.]+) for each open/),
      named(/the processor (\d+) ms/),
      named(/completes (\d+) opens a second/)
    ]
    const opens = users.map((count) => count / 3_600)
    assert.deepStrictEqual(numbers("opens a second in the busiest hour"), opens.map(rounded))
    assert.deepStrictEqual(
      numbers("calls to upstreams a second"),
      opens.map((count) => Number((calls * count).toPrecision(2)))
    )
    assert.deepStrictEqual(
      numbers("processes"),
      opens.map((count) => Math.ceil(count / perProcess))
    )
    const [process, factor, small, large] = [
      named(/\*\*Memory\*\* is (\d+) MB for the process/),
      named(/up to ([\d.]+) times its part/),
      named(/: (\d+) MB for 1,000 users/),
      named(/, (\d+) MB for the others/)
    ]
    assert.deepStrictEqual(
      numbers("memory"),
      [small, large, large].map((budget) => Math.floor((process + factor * budget) / 100) * 100)
    )
    const cores = opens.map((count) => (count * milliseconds) / 1_000)
    assert.deepStrictEqual(row("processor"), [
      `${Math.ceil((cores[0] ?? 0) * 100)} % of a core`,
      "half a core",
      `${Math.ceil(cores[2] ?? 0)} cores`
    ])
    assert.isBelow(Math.abs((cores[1] ?? 0) - 0.5), 0.1)
  })

  it("names the networks whose keyless sources do not bear 10,000 users, by the table of budgets", () => {
    const allowed = new Map<string, Map<string, number>>()
    for (const [, network = "", upstream = "", balances = "", history = "", opens = ""] of text.matchAll(
      /^\| `([\w-]+)` \| `([\w-]+)` \| ([\d]*) \| ([\d]*) \| (\d+) \|$/gm
    ))
      for (const [ability, cost] of [
        ["balances", balances],
        ["history", history]
      ] as const)
        if (cost !== "") {
          const key = `${network} ${ability}`
          allowed.set(key, (allowed.get(key) ?? new Map()).set(upstream, Number(opens)))
        }
    assert.isAbove(allowed.size, 20)
    const total = (name: string) => [...(allowed.get(name)?.values() ?? [])].reduce((sum, opens) => sum + opens, 0)
    const networks = new Set([...allowed.keys()].map((key) => key.split(" ")[0] ?? ""))
    const bear = (count: number) =>
      [...networks].filter((network) =>
        [`${network} balances`, `${network} history`].every((name) => !allowed.has(name) || total(name) >= count)
      )
    assert.sameMembers(bear(1_000), [...networks])
    const [few = "", many = ""] = row("own nodes or keys")
    assert.match(few, /^bsc, sonic and polkadot have no histories without a key$/)
    const named = /^all networks but (.*)$/.exec(many)?.[1]?.split(/, | and /) ?? []
    assert.sameMembers(named, bear(10_000))
    assert.deepStrictEqual(bear(1_000_000), [])
  })
})
