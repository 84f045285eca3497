import { readdirSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { breaks } from "../../scripts/release/breaks.ts"
import { describe as documented } from "../../src/contract/openapi.ts"
import { assert, describe, it } from "../support/vitest.ts"

type Document = Parameters<typeof breaks>[0]

const present = Effect.map(
  documented({ appName: "app", version: "0.1.0" }),
  (document): Document => JSON.parse(JSON.stringify(document))
)

const kept = readdirSync("docs/openapi")

/** The breaking changes since a version, as docs/releases.md lists them. */
const listed = (version: string) => {
  const [, section = ""] = readFileSync("docs/releases.md", "utf8").split(`### From ${version}\n`)
  return [...section.matchAll(/^- `([^`]+)`: (.+)$/gm)].map(([, place, change]) => `${place}: ${change}`)
}

const request = {
  type: "object",
  required: ["network"],
  properties: { network: { type: "string", maxLength: 9 }, kind: { type: "string", enum: ["a", "b"] } }
}

const row = {
  type: "object",
  required: ["amount"],
  properties: { amount: { anyOf: [{ type: "string" }, { type: "null" }] }, word: { type: "string", enum: ["x"] } }
}

const content = (schema: object) => ({ content: { "application/json": { schema } } })

/** A document of one route, with changes. */
const small = ({
  body = request,
  name = "rows.read",
  parameters = [{ in: "query", name: "limit", schema: { type: "number", maximum: 9 } }],
  schema = row
}: {
  readonly body?: object
  readonly name?: string
  readonly parameters?: ReadonlyArray<object>
  readonly schema?: object
} = {}) => ({
  paths: {
    "/rows": {
      post: {
        operationId: name,
        parameters,
        requestBody: content(body),
        responses: { 200: content({ type: "array", items: { $ref: "#/components/schemas/Row" } }) }
      }
    }
  },
  components: { schemas: { Row: schema } }
})

const variants = (...names: ReadonlyArray<string>) => ({
  anyOf: names.map((name) => ({
    type: "object",
    required: ["family"],
    properties: { family: { type: "string", enum: [name] }, [name]: { type: "string" } }
  }))
})

describe("the OpenAPI documents of releases", () => {
  it("are kept, one of each release", () => {
    const released = [...readFileSync("CHANGELOG.md", "utf8").matchAll(/^## (\d\S*) - /gm)].map(
      ([, version]) => version
    )
    assert.deepStrictEqual(kept.sort(), released.map((version) => `${version}.json`).sort())
  })

  for (const file of kept)
    it(`keep what a client of ${file.replace(".json", "")} uses, but for the changes that are listed`, function* () {
      const document: Document = JSON.parse(readFileSync(`docs/openapi/${file}`, "utf8"))
      assert.deepStrictEqual(breaks(document, yield* present), listed(file.replace(".json", "")))
    })

  it("may gain routes, members, variants and words", () => {
    const { properties } = request
    const more = { ...row.properties, word: { type: "string", enum: ["x", "y"] }, more: { type: "number" } }
    const wider = small({
      body: { ...request, required: [], properties: { ...properties, more: { type: "string" } } },
      parameters: [
        { in: "query", name: "limit", schema: { type: "number", maximum: 10 } },
        { in: "query", name: "more" }
      ],
      schema: { ...row, required: ["amount", "more"], properties: more }
    })
    const { amount, ...others } = row.properties
    assert.deepStrictEqual(
      breaks(small(), small({ schema: { ...row, properties: { amount: amount.anyOf[0], ...others } } })),
      []
    )
    assert.deepStrictEqual(breaks(small(), { ...wider, paths: { ...wider.paths, "/more": {} } }), [])
    assert.deepStrictEqual(breaks(small({ schema: variants("a") }), small({ schema: variants("a", "b") })), [])
    assert.deepStrictEqual(
      breaks(small({ schema: variants("a") }), small({ schema: { anyOf: [variants("b", "a")] } })),
      []
    )
  })

  for (const [after, ...lines] of [
    [{ paths: {} }, "POST /rows: is gone"],
    [small({ name: "rows.get" }), "POST /rows: the operation rows.read is called rows.get"],
    [small({ parameters: [] }), "POST /rows query limit: is gone"],
    [
      small({ parameters: [{ in: "query", name: "limit", required: true, schema: { type: "number", maximum: 5 } }] }),
      "POST /rows query limit: is required",
      "POST /rows query limit: maximum refuses more"
    ],
    [small({ body: { ...request, required: ["network", "limit"] } }), "POST /rows body.limit: is required"],
    [
      small({
        body: {
          ...request,
          properties: { network: { type: "string", maxLength: 8, pattern: "a" }, kind: { type: "string", enum: ["a"] } }
        }
      }),
      "POST /rows body.kind: b is refused",
      "POST /rows body.network: maxLength refuses more",
      "POST /rows body.network: pattern refuses more"
    ],
    [small({ body: { type: "object" } }), "POST /rows body.kind: is gone", "POST /rows body.network: is gone"],
    [small({ schema: { ...row, required: [] } }), "Row.amount: may be absent"],
    [small({ schema: { ...row, properties: { amount: row.properties.amount } } }), "Row.word: is gone"],
    [
      small({ schema: { ...row, properties: { ...row.properties, word: { type: ["string", "null"] } } } }),
      "Row.word: string became string or null"
    ],
    [
      small({
        schema: { ...row, properties: { ...row.properties, word: { anyOf: [{ type: "null" }, { type: "string" }] } } }
      }),
      "Row.word: string became null or string"
    ],
    [
      small({ schema: { ...row, properties: { ...row.properties, amount: { type: "number" } } } }),
      "Row.amount: string or null became number"
    ]
  ] as const)
    it(`break a client if ${lines.join(", ")}`, () => {
      assert.deepStrictEqual(breaks(small(), after), lines)
    })

  it("break a client if a variant is gone or changed", () => {
    const before = small({ schema: variants("a", "b") })
    assert.deepStrictEqual(breaks(before, small({ schema: variants("a") })), ["Row: variant family b is gone"])
    const changed = variants("a", "b")
    Object.assign(changed.anyOf[1]?.properties ?? {}, { b: { type: "number" } })
    assert.deepStrictEqual(breaks(before, small({ schema: changed })), ["Row (family b).b: string became number"])
  })
})
