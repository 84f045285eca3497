import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, normalize, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import manifest from "../package.json" with { type: "json" }
import { filled, documents as generated, parts } from "../scripts/docs.ts"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import * as UtxoAddress from "../src/chains/utxo/UtxoAddress.ts"
import { suiMethods } from "../src/contract/nodes/NodesApi.ts"
import { administrativePrefixes } from "../src/domain/nodeMethods.ts"
import { Reason } from "../src/domain/Reason.ts"
import { run } from "./support/command.ts"
import { spec } from "./support/document.ts"
import { folder } from "./support/process.ts"
import { sources } from "./support/sources.ts"
import { assert, describe, it } from "./support/vitest.ts"

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...readdirSync("docs").flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : []))
]

const read = (document: string) => readFileSync(document, "utf8")

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, "").replace(/^ {4}.*$/gm, "")

const section = (document: string, title: string) =>
  read(document)
    .split(/^#{2,3} /m)
    .find((part) => part.startsWith(`${title}\n`)) ?? ""

/** Texts in backticks in the first cells of tables. */
const firstCells = (text: string) =>
  [...text.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)
  )

/** Anchors of headings, as GitHub generates them. */
const anchors = (text: string) =>
  new Set(
    [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, "")
        .replaceAll(" ", "-")
    )
  )

/** Links of a document whose file or heading does not exist. */
const brokenLinks = (document: string, text: string) =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^https?:/.test(target))
    .filter((target) => {
      const [path = "", anchor] = target.split("#")
      if (path === "") return anchor === undefined || !anchors(text).has(anchor)
      const file = normalize(join(dirname(document), path))
      return !existsSync(file) || (anchor !== undefined && !anchors(read(file)).has(anchor))
    })

/** Files and folders that a text names but that do not exist in the repository. */
const missingFiles = (text: string) =>
  [...text.matchAll(/(?<![\w./-])(?:src|test|bench|scripts|docs)\/[\w./-]*/g)]
    .map(([path]) => path.replace(/\.$/, ""))
    .filter((path) => !existsSync(path))

describe("the documents", () => {
  it("are all linked by the README", () => {
    for (const document of documents.slice(1)) assert.include(read("README.md"), `](${document})`)
  })

  it("link only to files and headings that exist", () => {
    for (const document of documents) assert.deepStrictEqual(brokenLinks(document, read(document)), [], document)
    assert.deepStrictEqual(brokenLinks("docs/a.md", "# One\n[a](../README.md) [b](#one) [c](https://a.example)"), [])
    for (const link of ["../MISSING.md", "#two", "../README.md#nowhere"])
      assert.deepStrictEqual(brokenLinks("docs/a.md", `# One\n[a](${link})`), [link])
  })

  it("name only files and folders that exist", () => {
    for (const document of documents) assert.deepStrictEqual(missingFiles(read(document)), [], document)
    assert.deepStrictEqual(missingFiles("`src/App.ts`, src/chains/ and test/docs.test.ts."), [])
    assert.deepStrictEqual(missingFiles("`src/Missing.ts`"), ["src/Missing.ts"])
  })

  it.live("have up-to-date generated parts: run `bun run docs`", function* () {
    const all = yield* parts
    for (const document of generated) {
      const text = read(document)
      assert.isTrue(text === filled(text, all), document)
    }
    const written = generated.flatMap((document) =>
      [...read(document).matchAll(/<!-- generated: ([\w-]+) -->/g)].map(([, name = ""]) => name)
    )
    assert.sameMembers(written, Object.keys(all))
    assert.strictEqual(
      filled("on 22 networks\n<!-- generated: networks -->\nold\n<!-- end -->\nb", { networks: "2 networks: new" }),
      "on 2 networks\n<!-- generated: networks -->\n\n2 networks: new\n\n<!-- end -->\nb"
    )
    assert.throws(() => filled("<!-- generated: unknown -->\n<!-- end -->", all))
  })
})

describe("CONTRIBUTING.md", () => {
  /** Paths of all members of an object and its nested objects, without names that are specific to a network. */
  const members = (value: unknown, path = ""): ReadonlyArray<string> => {
    if (Array.isArray(value)) return value.flatMap((member) => members(member, `${path}[]`))
    if (typeof value !== "object" || value === null || path.endsWith(".extended")) return []
    return Object.entries(value).flatMap(([name, member]) => [`${path}.${name}`, ...members(member, `${path}.${name}`)])
  }

  it.scopedLive("has examples of networks with the same members as those of the catalogue", function* () {
    const examples = [...read("CONTRIBUTING.md").matchAll(/^```ts\n(import [\s\S]*?)^```$/gm)].map(
      ([, code = ""]) => code
    )
    assert.strictEqual(examples.length, 2)
    const cwd = yield* folder
    for (const [index, code] of examples.entries()) {
      const file = join(cwd, `example${index}.ts`)
      const catalogue = `src/catalogue/${["evm", "utxo"][index]}`
      for (const [, names = "", path = ""] of code.matchAll(/^import (?:type )?\{ (.*) \} from "([^"]+)"$/gm))
        for (const name of names.split(", "))
          assert.match(
            read(normalize(join(catalogue, path))),
            new RegExp(`^export \\w+ ${name.replace("type ", "")}\\b`, "m")
          )
      // Resolves imports as in the folder that the example is for.
      writeFileSync(
        file,
        code.replace(/ from "([^"]+)"/g, (_, path: string) => ` from "${resolve(catalogue, path)}"`)
      )
      const [facts] = Object.values<Catalogue.AnyFacts>(yield* Effect.promise(() => import(file)))
      const family = Catalogue.all
        .filter((network) => network.family === facts?.family)
        .map((network) => members(network))
      assert.isNotEmpty(family, facts?.id)
      const own = members(facts)
      const all = new Set(family.flat())
      assert.deepStrictEqual(
        own.filter((member) => !all.has(member)),
        []
      )
      const everywhere = [...all].filter((member) => family.every((others) => others.includes(member)))
      assert.deepStrictEqual(
        everywhere.filter((member) => !own.includes(member)),
        []
      )
      if (facts?.family === "utxo")
        assert.deepStrictEqual(UtxoAddress.parse(facts)(facts.sampleAddress), Either.right(facts.sampleAddress))
    }
  })
})

describe("docs/design.md", () => {
  it("names every dependency", () => {
    const names = firstCells(section("docs/design.md", "Dependencies"))
    assert.sameMembers(names, Object.keys(manifest.dependencies))
  })
})

describe("docs/operating.md", () => {
  it("names every network with a test network", () => {
    const [, named = ""] = /Test networks are ([^.]*)\./.exec(read("docs/operating.md")) ?? []
    for (const id of Catalogue.proxiedTestnets) assert.match(named, new RegExp(`\\b${id}\\b`))
  })

  it.live("lists exactly the existing variables in its tables", function* () {
    const { stdout } = yield* run(["config"])
    const listed = [...stdout.matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name = ""]) => name)
    const text = read("docs/operating.md")
    const tables = text.slice(text.indexOf("<!-- generated: variables -->"), text.indexOf("<!-- end -->"))
    assert.deepStrictEqual(firstCells(tables).sort(), listed.sort())
    const patterned = (name: string) => new RegExp(`^${name.replace(/<[A-Z]+>/, "[A-Z0-9_]+")}$`)
    const named = documents.flatMap((document) =>
      [...read(document).matchAll(/`((?:<[A-Z]+>_)?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)].map(
        ([, name = ""]) => name
      )
    )
    // Variables of other programs, of tests and of the workflow of a release, and variables of example networks and files.
    const others = [
      ...firstCells(section("docs/operating.md", "The runtime")),
      ...firstCells(section("docs/releases.md", "Make a release")),
      "REQUIRE_TOOLS",
      "DASH_BLOCKBOOK_URLS",
      "COINGECKO_API_KEY_FILE"
    ]
    assert.deepStrictEqual(
      named.filter((name) => !others.includes(name) && !listed.some((pattern) => patterned(name).test(pattern))),
      []
    )
  })

  it("names every metric", () => {
    const metrics = sources.flatMap(({ code }) =>
      [
        ...code.matchAll(
          /(?:Metric(?:Key)?\.(?:counter|gauge|histogram|timer\w*|frequency)|\bcounters)\(\s*"([a-z_]+)"/g
        )
      ].map(([, name = ""]) => name)
    )
    assert.isAbove(metrics.length, 10)
    const named = firstCells(section("docs/operating.md", "Metrics"))
    assert.deepStrictEqual(
      metrics.filter((name) => !named.includes(name)),
      []
    )
  })
})

describe("docs/client.md", () => {
  it("names every route of the contract except those for operators", () => {
    const text = read("docs/client.md")
    const paths = Object.keys(spec.paths).filter((path) => !path.startsWith("/health/") && path !== "/metrics")
    assert.deepStrictEqual(
      paths.filter((path) => !new RegExp(`${path.replace(/[{}]/g, "\\$&")}(?![\\w/{])`).test(text)),
      []
    )
  })

  it("names the networks with access to nodes, and the largest number of coins in a request", () => {
    const [, named = ""] = /^Networks: ([^;]*);/m.exec(section("docs/client.md", "Access to nodes")) ?? []
    assert.sameMembers(named.split(/,\s+|\s+and\s+/), [...Catalogue.proxied])
    const [, ids, charts] =
      /at most ([\d,]+) ids or chains[^,]*,\s+([\d,]+) ids in one/.exec(
        section("docs/client.md", "Prices and charts")
      ) ?? []
    assert.deepStrictEqual([ids, charts], ["1,000", "100"])
  })

  it("names the methods that the proxy rejects, and the number of translated Sui methods", () => {
    const access = section("docs/client.md", "Access to nodes")
    for (const name of administrativePrefixes) assert.include(access, `\`${name}\``)
    assert.include(access, `all ${suiMethods.length}:`)
  })

  it("names every reason for a null, and every kind of problem", () => {
    assert.sameMembers(
      firstCells(section("docs/client.md", "Null with a reason")).slice(1),
      Reason.literals.map(String)
    )
    const kinds = new Set(JSON.stringify(spec).match(/(?<=urn:problem-type:)[a-z-]+/g))
    const errors = section("docs/client.md", "Errors")
    for (const kind of kinds) assert.include(errors, `\`${kind}\``)
  })
})

describe("docs/networks.md", () => {
  it("describes the balances and the history of every network", () => {
    for (const title of ["Balances", "Histories"]) {
      const text = section("docs/networks.md", title)
      for (const { family, id } of Catalogue.all)
        assert.isTrue(new RegExp(`\\b${id}\\b`).test(text) || (family === "evm" && /EVM/.test(text)), `${title}: ${id}`)
    }
  })
})
