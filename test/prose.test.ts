import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { filesIn } from "./support/sources.ts"

// How comments, texts, test names and documents are written: the constructions below make a reader stop and decode.

interface Rule {
  readonly name: string
  readonly pattern: RegExp
}

const rules: ReadonlyArray<Rule> = [
  {
    name: "'what' in place of a noun",
    pattern:
      /(?:^|[.:;(] ?|\b(?:of|for|from|and|with) )what (?:is|are|was|were|has|goes|comes|can|could|cannot|it|they|the|no|every|each)\b/i
  },
  {
    name: "'whoever', 'nobody' or 'nothing' as a subject",
    pattern: /\b(?:whoever|nobody)\b|(?:^|[.:;] )nothing (?:may|goes)\b/i
  },
  {
    name: "negation of a noun",
    pattern: /\b(?:is|are|was|were) (?:none\b|no (?:address|text|number|network|name|key|hash|longer one)\b)/i
  },
  { name: "'so many' or 'so long' for a number", pattern: /\bso (?:many|much|long|few)\b(?! (?:as|that))/i },
  { name: "'one' for a noun", pattern: /\b(?:is|as|has|of|for|makes) one(?: of (?:its|their) own)?(?:[.,:;]|$)/i },
  { name: "'of its own'", pattern: /\bof (?:its|their|our|his) own\b|\bof ours\b/i },
  {
    name: "an archaic verb or adverb",
    pattern: /\b(?:told|tells|asks|asked|heard|begins|anew|thus|hence|lest|wherein|whereby|thereof)\b/i
  },
  { name: "'as it is'", pattern: /\bas (?:it|they) (?:is|are|was|were|comes?|came|stands?)\b/i },
  { name: "'all that' or 'the same of'", pattern: /\ball that\b|\bthe same (?:of|again|each)\b/i },
  { name: "'be had'", pattern: /\bbe had\b/i }
]

interface Sentence {
  readonly line: number
  readonly text: string
}

const lineAt = (text: string, index: number) => text.slice(0, index).split("\n").length

/** Comments, and texts of at least five words. */
const ofCode = (code: string): ReadonlyArray<Sentence> => [
  ...Array.from(code.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?<![:"'`\w])\/\/ ?(.*)$/gm), ({ 1: block, 2: rest, index }) => ({
    line: lineAt(code, index),
    text: (block ?? rest ?? "").replace(/\s*\n\s*\* ?/g, " ").trim()
  })),
  ...Array.from(code.matchAll(/"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\\n$]|\\.)+)`/g), ({ 1: text, 2: template, index }) => ({
    line: lineAt(code, index),
    text: text ?? template ?? ""
  })).filter(({ text }) => text.split(" ").length > 4)
]

/** Lines that are not code. */
const ofDocument = (document: string): ReadonlyArray<Sentence> => {
  let isCode = false
  return document.split("\n").flatMap((text, index) => {
    if (text.startsWith("```")) isCode = !isCode
    return isCode || /^(?: {4}|```|\|?-)/.test(text) ? [] : [{ line: index + 1, text }]
  })
}

/** Sentences that break a rule for a reason, by their file and their start. */
const exceptions = [
  // The lists of banned words.
  "test/naming.test.ts: told tells telling teller",
  "test/naming.test.ts: together way ways whoever"
]

const isExcepted = (path: string, text: string) =>
  exceptions.some((exception) => `${path}: ${text}`.startsWith(exception))

const faults = (path: string, text: string) =>
  (path.endsWith(".md") ? ofDocument(text) : ofCode(text)).flatMap((sentence) =>
    rules
      .filter(({ pattern }) => pattern.test(sentence.text) && !isExcepted(path, sentence.text))
      .map(({ name }) => `${path}:${sentence.line}: ${name}: ${sentence.text.slice(0, 120)}`)
  )

const roots = ["src", "test", "bench", "scripts", "docs", "deploy", "examples"]

const files = [...roots.flatMap(filesIn), "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"].filter(
  // This file has the constructions as samples.
  (path) => /\.(?:tsx?|md)$/.test(path) && path !== "test/prose.test.ts"
)

describe("the prose of the project", () => {
  it("has no construction that readers have to decode", () => {
    assert.deepStrictEqual(
      files.flatMap((path) => faults(path, readFileSync(path, "utf8"))),
      []
    )
  })

  it("is checked in comments, texts and documents, not in code", () => {
    for (const [path, text, line] of [
      ["a.ts", "const one = 1\n// Nobody is believed.\n", 2],
      ["a.ts", "/**\n * Of what is left.\n */\n", 1],
      ["a.ts", 'it("is told by an upstream that fails", () => {})\n', 1],
      ["a.ts", "const text = `so many calls of one client`\n", 1],
      ["a.md", "# Title\n\nEach part has a limit of its own.\n", 3]
    ] as const)
      assert.deepStrictEqual(
        faults(path, text).map((fault) => fault.split(": ")[0]),
        [`${path}:${line}`],
        text
      )
    for (const [path, text] of [
      ["a.ts", "const asked = whoever(told)\n"],
      ["a.ts", "// Trusts no proxy, as many as there are.\n"],
      ["a.ts", 'fetch("https://nobody.example/told")\n'],
      ["a.md", "    asked = 1\n\n```ts\n// Nobody.\n```\n"]
    ] as const)
      assert.deepStrictEqual(faults(path, text), [], text)
  })

  it("has exceptions that are needed", () => {
    for (const exception of exceptions) {
      const [path = "", start = ""] = exception.split(": ")
      assert.include(readFileSync(path, "utf8"), start)
    }
  })
})
