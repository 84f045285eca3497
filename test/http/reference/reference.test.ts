import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { make } from "../../../src/client/Client.ts"
import { llmsOf } from "../../../src/http/reference/llms.ts"
import { prose } from "../../../src/http/reference/markup.ts"
import { pageOf } from "../../../src/http/reference/page.ts"
import { type Document, routesOf } from "../../../src/http/reference/parts.ts"
import { baseUrl, callOf, curlOf } from "../../../src/http/reference/samples.ts"
import { script } from "../../../src/http/reference/script.ts"
import { colours } from "../../../src/http/reference/style.ts"
import { membersOf, typeOf } from "../../../src/http/reference/types.ts"
import { Service } from "../../support/app.ts"
import { spec } from "../../support/document.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"

const document = spec as unknown as Document
const routes = routesOf(document)
const html = pageOf(document, true)

describe("the API reference", () => {
  it("has every route, type and error, and links only to parts of itself and of the service", () => {
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? "")
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.includeMembers(ids, [
      ...routes.map(({ operation: { operationId } }) => operationId),
      ...Object.keys(document.components.schemas).map((name) => `type-${name}`),
      ...Object.keys(document.components.responses).map((name) => `answer-${name}`)
    ])
    const links = [...html.matchAll(/ href="([^"]*)"/g)].map(([, link]) => link ?? "")
    const others = new Set(links.filter((link) => !link.startsWith("#") || !ids.includes(link.slice(1))))
    assert.sameMembers([...others], ["/", "/#/status", "/openapi.json", "/llms.txt"])
    assert.notMatch(html, /<(script|link|img|iframe|form)[^>]*(src|href|action)=/)
    assert.isBelow(html.length, 1_000_000)
  })

  it("has no links to the page if the service has none", () => {
    assert.notInclude(pageOf(document, false), 'href="/"')
  })

  it("has the colours of the page", () => {
    const tokens = readFileSync(new URL("../../../src/page/style/tokens.css", import.meta.url), "utf8")
    for (const [name, [light, dark]] of Object.entries(colours))
      assert.include(tokens, `--${name}: light-dark(${light}, ${dark});`)
  })

  it("shows texts of the document as texts", () => {
    const attack = `<img src=x onerror="alert(1)">'`
    const stated = { ...document, info: { title: attack, version: attack, description: attack } }
    assert.notInclude(pageOf(stated, true), "<img")
    assert.strictEqual(
      prose("One `<a>` **b**.\n\n- First & `x`.\n- Second."),
      "<p>One <code>&#60;a&#62;</code> <b>b</b>.</p><ul><li>First &#38; <code>x</code>.</li><li>Second.</li></ul>"
    )
  })

  it("shows types in the notation of TypeScript, and the members of objects without a name", () => {
    const types = [
      { $ref: "#/components/schemas/Balance" },
      { type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } },
      { type: "object", additionalProperties: { type: "array", items: { type: "number" } } },
      { enum: ["a", 1] },
      { type: "string", "x-extensible-enum": ["a"] },
      {}
    ]
    assert.deepStrictEqual(types.map(typeOf), [
      '<a href="#type-Balance">Balance</a>',
      "(string | null)[]",
      "{[key]: number[]}",
      "&#34;a&#34; | 1",
      "&#34;a&#34; | string",
      "any JSON"
    ])
    const inner = { type: "object", properties: { a: { type: "string", description: "An a." } }, required: ["a"] }
    assert.strictEqual(
      membersOf({ type: "array", items: inner }),
      '<dl><dt><code>a</code> <span class="type">string</span> <span class="must">required</span></dt><dd><p>An a.</p></dd></dl>'
    )
    assert.strictEqual(membersOf({ type: "string" }), "")
  })

  it("has descriptions as lists, and samples with required members only", () => {
    const balance = routes.find(({ path }) => path === "/balance") ?? assert.fail("no route")
    assert.match(balance.operation.description, /^Returns the native coin [^\n]+\.\n\n- Each address has [^\n]+\n- /)
    assert.match(
      curlOf(document, balance),
      /^curl 'http:\/\/localhost:3000\/balance' \\\n {2}-H '[^']+' \\\n {2}-d '\{"networks":\{[^}]+\}\}'$/
    )
    const chart = routes.find(({ path }) => path === "/price/market_chart") ?? assert.fail("no route")
    assert.strictEqual(
      curlOf(document, chart),
      "curl 'http://localhost:3000/price/market_chart?coin_ids=bitcoin,ethereum&days=7'"
    )
  })

  it("is also an index of all routes for language models", () => {
    const index = llmsOf(document)
    assert.match(index, /^# Wallet data\n\n> Balances, .*\n\n- \[OpenAPI/)
    for (const { method, operation, path } of routes)
      if (operation.deprecated !== true) assert.include(index, `- [${method} ${path.replace("#meta", "")}](/docs#`)
    assert.notInclude(index, "/restart")
  })

  it("has a program that replaces the address of the samples", () => {
    assert.include(script, `replaceAll(${JSON.stringify(baseUrl)}, location.origin)`)
  })
})

layer(Service.layer(), { excludeTestServices: true })("the samples of the API reference", (it) => {
  for (const route of routes) {
    const call = callOf(document, route)
    const target = /'http:\/\/localhost:3000([^']*)'/.exec(curlOf(document, route))?.[1] ?? ""
    it(`request ${route.operation.operationId}`, function* () {
      const { handler } = yield* Service
      const sent: Array<Request> = []
      const client = make({
        baseUrl,
        fetch: async (url, init) => {
          const request = new Request(url, init)
          sent.push(request.clone() as Request)
          return handler(request)
        }
      })
      if (call === undefined) return assert.match(target, /^\/(balance\/stream|history\/(stream|export)|icon\/)/)
      const run = new Function("client", `return ${call}`) as (own: typeof client) => Promise<unknown>
      yield* Effect.promise(() => run(client).catch(() => undefined))
      const request = sent[0] ?? assert.fail("nothing was sent")
      assert.strictEqual(request.method, route.method)
      const { pathname, search } = new URL(request.url)
      assert.strictEqual(decodeURIComponent(pathname + search), decodeURIComponent(target))
      const body = /-d '(.*)'$/s.exec(curlOf(document, route))?.[1]
      assert.strictEqual(yield* Effect.promise(() => request.text()), body?.replaceAll("'\\''", "'") ?? "")
    })
  }
})
