import { readFileSync } from "node:fs"
import { basename, dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import ts from "typescript"
import { filesIn } from "./support/sources.ts"

// Rules for names and sizes in the source. Each rule is also tested with code that breaks it.

interface Parsed {
  /** Relative to src. */
  readonly path: string
  readonly tree: ts.SourceFile
}

const parse = (path: string, text: string): Parsed => ({
  path,
  tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
})

const parsed = filesIn("src")
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => parse(path.slice("src/".length), readFileSync(path, "utf8")))

const nodes = (root: ts.Node): ReadonlyArray<ts.Node> => {
  const found: Array<ts.Node> = []
  const visit = (node: ts.Node) => {
    found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(root)
  return found
}

const isDeclaration = (node: ts.Node): node is ts.NamedDeclaration & { readonly name: ts.Identifier } =>
  "name" in node &&
  node.name !== undefined &&
  ts.isIdentifier(node.name as ts.Node) &&
  !ts.isPropertyAccessExpression(node) &&
  !ts.isImportSpecifier(node) &&
  !ts.isExportSpecifier(node) &&
  !ts.isMetaProperty(node)

/** Words that must not be in names; the standard terms of the field replace them. */
const banned = new Set(
  (
    "told tells telling teller asked asking askers heard lack lacks lacking patience flight flights landed " +
    "together way ways whoever turned question questions held kept one"
  ).split(" ")
)

const wordsOf = (name: string) => name.split(/(?=[A-Z])|_/).map((word) => word.toLowerCase())

/** Standard terms that contain such a word. */
const standard = /singleFlight|inFlight|^oneOf$/i

const privateWords = ({ path, tree }: Parsed) =>
  nodes(tree)
    .filter(isDeclaration)
    .map(({ name }) => name.text)
    .filter((name) => !standard.test(name) && wordsOf(name).some((word) => banned.has(word)))
    .map((name) => `${path}: ${name}`)

/** Namespace imports whose name differs from their file. */
const misnamedNamespaces = ({ path, tree }: Parsed) =>
  tree.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return []
    const bindings = statement.importClause?.namedBindings
    if (bindings === undefined || !ts.isNamespaceImport(bindings) || !statement.moduleSpecifier.text.startsWith("."))
      return []
    const file = basename(statement.moduleSpecifier.text, ".ts")
    return file === bindings.name.text || file === "handlers" ? [] : [`${path}: ${file}.ts as ${bindings.name.text}`]
  })

/** Longer functions should be split into named parts. */
const maxFunctionLines = 80

const longFunctions = ({ path, tree }: Parsed) => {
  const lineAt = (position: number) => tree.getLineAndCharacterOfPosition(position).line
  // A function is never longer than its file.
  if (lineAt(tree.end) < maxFunctionLines) return []
  return nodes(tree).flatMap((node) => {
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return []
    const first = lineAt(node.getStart(tree))
    const length = lineAt(node.end) - first + 1
    return length > maxFunctionLines ? [`${path}:${first + 1}: ${length} lines`] : []
  })
}

const typesOf = ({ path, tree }: Parsed) =>
  tree.statements.flatMap((statement) =>
    ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)
      ? [{ path, name: statement.name.text }]
      : []
  )

const holds = (rule: (file: Parsed) => ReadonlyArray<string>) => assert.deepStrictEqual(parsed.flatMap(rule), [])

const refuses = (rule: (file: Parsed) => ReadonlyArray<string>, code: string) =>
  assert.isNotEmpty(rule(parse("features/balances/Portfolio.ts", code)), code)

const accepts = (rule: (file: Parsed) => ReadonlyArray<string>, code: string) =>
  assert.deepStrictEqual(rule(parse("features/balances/Portfolio.ts", code)), [], code)

describe("the names of the source", () => {
  it("contain no banned words", () => {
    holds(privateWords)
    for (const code of [
      "const told = 1",
      "interface Asked {}",
      "const f = (one: number) => one",
      "const x = { kept: 1 }"
    ])
      refuses(privateWords, code)
    for (const code of ["const toldest = 1", "const address = told", "const requested = 1"]) accepts(privateWords, code)
  })

  it("of namespaces are the names of their files", () => {
    holds(misnamedNamespaces)
    refuses(misnamedNamespaces, 'import * as Limiter from "./RateLimiter.ts"')
    accepts(misnamedNamespaces, 'import * as RateLimiter from "./RateLimiter.ts"')
    accepts(misnamedNamespaces, 'import * as Effect from "effect/Effect"')
  })

  it("of types are declared in at most two files", () => {
    const files = Map.groupBy(parsed.flatMap(typesOf), ({ name }) => name)
    // Shortened names of the platform's types.
    const aliases = ["ServerRequest", "ServerResponse"]
    const repeated = [...files].filter(
      ([name, declared]) => !aliases.includes(name) && new Set(declared.map(({ path }) => path)).size > 2
    )
    assert.deepStrictEqual(
      repeated.map(([name, declared]) => `${name}: ${declared.map(({ path }) => path).join(", ")}`),
      []
    )
  })
})

describe("the size of the source", () => {
  it(`no function has more than ${maxFunctionLines} lines`, () => {
    assert.deepStrictEqual(parsed.flatMap(longFunctions), [])
    const statements = (count: number) => "  next()\n".repeat(count)
    for (const start of ["const run = () => {", "function run() {", "const run = function* () {"]) {
      refuses(longFunctions, `${start}\n${statements(maxFunctionLines - 1)}}`)
      accepts(longFunctions, `${start}\n${statements(maxFunctionLines - 2)}}\n${statements(maxFunctionLines)}`)
    }
  })

  it("no folder has more than 20 files", () => {
    const folders = Map.groupBy(parsed, ({ path }) => dirname(path))
    assert.deepStrictEqual(
      [...folders].filter(([, files]) => files.length > 20).map(([folder, files]) => `${folder}: ${files.length}`),
      []
    )
  })
})
