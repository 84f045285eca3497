import { readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { families } from "./chains/families/index.ts"
import { Service } from "./support/app.ts"
import { folderOf } from "./support/endpoints.ts"
import { sample, samplesOf } from "./support/fixtures.ts"
import { problemsOf } from "./support/recordings.ts"
import { assert, built, describe, it } from "./support/vitest.ts"

const folder = resolve(import.meta.dirname, "fixtures")

/** The allowed members of a sample; tests would ignore other members. */
const Sample = Schema.Struct({
  shows: Schema.String.pipe(Schema.pattern(/^\S.{9,}$/)),
  request: Schema.Struct({
    method: Schema.optional(Schema.Literal("GET", "POST")),
    host: Schema.optional(Schema.String),
    path: Schema.String.pipe(Schema.startsWith("/")),
    query: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
    body: Schema.optional(Schema.Unknown)
  }),
  response: Schema.Struct({
    status: Schema.optional(Schema.Int.pipe(Schema.between(200, 599))),
    headers: Schema.optional(Schema.Record({ key: Schema.String.pipe(Schema.lowercased()), value: Schema.String })),
    body: Schema.Unknown
  })
})

/** Variables that enable every upstream. */
const everySource = Object.assign(
  { ETHERSCAN_API_KEY: "key" },
  ...Catalogue.all.map((facts) => families[facts.family].variables(facts))
)

const decode = Schema.decodeUnknownEither(Sample, { onExcessProperty: "error" })

/** The problem of a sample; undefined if it is valid. */
const problem = (value: unknown): string | undefined =>
  Either.match(decode(value), { onLeft: ({ message }) => message, onRight: () => undefined })

const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name, parentPath }) => resolve(parentPath, name).slice(folder.length + 1))
  .sort()

const providers = [...new Set(files.map((file) => file.split("/")[0] ?? ""))]

const textOf = (file: string) => readFileSync(resolve(folder, file), "utf8")

/** True for lines over 120 characters, unless a long value cannot be broken. */
const isTooLong = (line: string) => line.length > 120 && !/"[^"\\]{60,}"|"(?:[^"\\]|\\.){100,}"/.test(line)

describe("the samples of upstream responses", () => {
  it("are in a folder per provider, one case per file", () => {
    assert.isNotEmpty(files)
    for (const file of files) assert.match(file, /^[a-z][a-z0-9-]*\/[a-z0-9][a-z0-9-]*\.json$/)
  })

  for (const provider of providers)
    it(`of ${provider} are described and have at most 42 lines`, () => {
      for (const name of samplesOf(provider)) {
        const where = `${provider}/${name}`
        const text = textOf(`${where}.json`)
        assert.strictEqual(problem(JSON.parse(text)), undefined, where)
        const lines = text.trimEnd().split("\n")
        assert.isAtMost(lines.length, 42, where)
        assert.deepStrictEqual(lines.filter(isTooLong), [], where)
      }
    })

  it("are completed with default members", () => {
    for (const provider of providers)
      for (const name of samplesOf(provider)) {
        const { request, response, ...rest } = sample(provider, name)
        assert.hasAllKeys({ ...request, host: "" }, ["method", "host", "path", "query", "body"])
        assert.hasAllKeys(response, ["status", "headers", "body"])
        assert.deepStrictEqual(rest, { provider })
      }
  })

  it("are checked by rules that find violations", () => {
    const good = { shows: "An address that holds nothing.", request: { path: "/a" }, response: { body: {} } }
    assert.isUndefined(problem(good))
    for (const wrong of [
      {},
      { ...good, shows: "" },
      { ...good, provenance: {} },
      { ...good, request: { path: "a" } },
      { ...good, response: { status: "200", body: {} } }
    ])
      assert.isDefined(problem(wrong), JSON.stringify(wrong))
    assert.isTrue(isTooLong(`{ ${'"a": 1, '.repeat(20)}"b": 2 }`))
    assert.isFalse(isTooLong(`"hex": "${"ab".repeat(80)}"`))
  })
})

describe("each upstream of the service", () => {
  it.scopedLive("has samples", function* () {
    const { get } = yield* built(Service, Service.layer(everySource))
    const ready = yield* get("/health/ready")
    const { upstreams } = (yield* Effect.promise(() => ready.json())) as {
      readonly upstreams: ReadonlyArray<{ readonly name: string }>
    }
    const names = upstreams.map(({ name }) => name)
    for (const provider of ["etherscan", "blockfrost", "subscan"]) assert.include(names, provider)
    assert.deepStrictEqual(
      names.filter((name) => !providers.includes(folderOf(name))),
      []
    )
  })
})

describe("a recorded response", () => {
  it("fails the run if no test compares it, and a line of the table if it says nothing", () => {
    const all = ["koios/a", "koios/b", "sidecar/a"]
    const table = { "no adapter reads it": ["sidecar"], "no adapter calls it": ["koios/b"] }
    const elsewhere = { "its folder is not given": ["bip353", "koios/d"] }
    assert.deepStrictEqual(problemsOf(all, new Set(["koios/a"]), { ...table, ...elsewhere }), [])
    assert.deepStrictEqual(
      problemsOf(all, new Set(["koios/b"]), { ...table, "no adapter calls it": ["koios/b", "koios/c"] }),
      [
        "koios/a: no test compares it",
        "koios/b: a test compares it, so remove it from the table",
        "koios/c: does not exist"
      ]
    )
  })
})
