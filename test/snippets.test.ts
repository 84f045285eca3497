import { readdirSync, readFileSync } from "node:fs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import manifest from "../package.json" with { type: "json" }
import { Service } from "../src/testing/index.ts"
import { simulated } from "./support/simulated.ts"
import { type Block, blocksOf, differences, type Exchange, exchangesOf, isJson } from "./support/snippets.ts"
import { assert, describe, it } from "./support/vitest.ts"

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "deploy/README.md",
  ...readdirSync("docs").flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : []))
]

const snippets = documents.flatMap((document) =>
  blocksOf(readFileSync(document, "utf8")).map((block): Block & { readonly document: string } => ({
    ...block,
    document
  }))
)

const shell = snippets.filter(
  ({ language, text }) => language === "shell" && /^(?:npx|curl|docker|export|wallet-data) /m.test(text)
)

/** Wraps code in a function, so that it may await, yield and return. */
const inFunction = (code: string) =>
  `${(code.match(/^import .*$/gm) ?? []).join("\n")}\nasync function* body() {\n${code.replace(/^import .*$/gm, "")}\n}`

/** The time of the requests, UNIX ms. */
const now = Date.parse("2026-11-24T12:00:00Z")

/** Whether the sentence before the request says that its printed response leaves members out. */
const leavesOut = ({ before }: Exchange) => /left out/.test(before)
const leftOut = /^(?:thumbnail|updatedAt|priceChange.*)$/

const answered = Effect.fnUntraced(function* <E extends Exchange>(exchanges: ReadonlyArray<E>) {
  const { finish, live, pass } = simulated(now)
  const built = yield* finish(Layer.build(Layer.fresh(Service.layer())))
  const { fetch } = Context.get(Either.getOrThrow(yield* Effect.succeed(built.outcome)), Service)
  // Waits until token lists and charts are loaded.
  yield* pass(30_000)
  return yield* Effect.forEach(exchanges, (exchange) =>
    Effect.gen(function* () {
      const { outcome } = yield* finish(
        Effect.flatMap(fetch(exchange.path, exchange.init), (response) => Effect.promise(() => response.text()))
      )
      return { exchange, answer: Either.getOrThrow(outcome) }
    })
  ).pipe(live)
})

describe("the snippets of the documents", () => {
  it.scopedLive("contain requests that get the printed responses", function* () {
    const exchanges = snippets.flatMap(({ document, ...block }) =>
      exchangesOf(block).map((exchange) => ({ ...exchange, document }))
    )
    assert.isAtLeast(exchanges.length, 20)
    const wrong = (yield* answered(exchanges)).flatMap(({ answer, exchange }) =>
      differences(exchange.printed, answer, leavesOut(exchange) ? leftOut : undefined).map(
        (difference) => `${exchange.document}, ${exchange.path}: ${difference}`
      )
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("contain valid shell commands, with scripts that exist", () => {
    assert.isAtLeast(shell.length, 10)
    for (const { document, text } of shell) {
      const { exitCode, stderr } = Bun.spawnSync(["sh", "-n", "-c", text])
      assert.strictEqual(exitCode, 0, `${document}: ${text}\n${stderr}`)
      for (const [, name = ""] of text.matchAll(/bun@[\d.]+ run ([\w:-]+)/g)) assert.property(manifest.scripts, name)
    }
  })

  it("contain valid JSON and TypeScript", () => {
    const transpiler = new Bun.Transpiler({ loader: "ts" })
    const check: Readonly<Record<string, (text: string) => unknown>> = {
      json: (text) => (isJson(text) ? undefined : assert.isTrue(text.trim().split("\n").every(isJson), text)),
      ts: (text) => transpiler.transformSync(/^export /m.test(text) ? text : inFunction(text)),
      // Checked above, and in test/deploy/files.test.ts.
      shell: () => {},
      text: () => {},
      nginx: () => {}
    }
    for (const { document, language, text } of snippets)
      assert.doesNotThrow(() => check[language]?.(text), undefined, undefined, `${document}: ${text}`)
    assert.deepStrictEqual(
      snippets.filter(({ language }) => !(language in check)),
      []
    )
  })
})

describe("the comparison", () => {
  const same = (printed: string, answer: string) => assert.deepStrictEqual(differences(printed, answer), [])
  const different = (printed: string, answer: string) => assert.isNotEmpty(differences(printed, answer), printed)

  it("allows different numbers, times, hashes and cursors, but no different members or texts", () => {
    same('{"a":"1.5","b":17,"c":"0x1f"}', '{"a":"2","b":18.5,"c":"0x2"}')
    different('{"a":"1.5"}', '{"a":"1.5","b":1}')
    different('{"a":"1.5","b":1}', '{"a":"1.5"}')
    different('{"a":"1.5"}', '{"a":null}')
    different('{"a":"Send"}', '{"a":"Receive"}')
    different('{"a":[1]}', '{"a":[1,2]}')
  })

  it("allows missing parts only at an ellipsis", () => {
    same('{"a":1,…}', '{"a":1,"b":2}')
    same('{"a":[1,…],"b":{…},"c":"https://…"}', '{"a":[1,2],"b":{"d":1},"c":"https://a.example"}')
    different('{"a":1,…}', '{"b":2}')
    different('{"a":[1,…]}', '{"a":["1"]}')
  })

  it("finds a printed row in a list, and compares several lines one by one", () => {
    same('{"a":"x"}', '[{"a":"y"},{"a":"x"}]')
    different('{"a":"x"}', '[{"a":"y"}]')
    same('{"a":1}\n{"b":1}', '{"a":2}\n{"b":2}\n')
    different('{"a":1}\n{"b":1}', '{"a":2}\n')
    same('event: a\ndata: {"a":1,…}\n\nevent: end', 'event: a\ndata: {"a":2,"b":2}\n\nevent: end\n\n')
    different('event: a\ndata: {"a":1}', 'event: b\ndata: {"a":1}')
  })
})
