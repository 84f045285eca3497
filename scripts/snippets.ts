import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

// Writes the TypeScript snippets of the documents as files that are compiled with the project, so `check` finds errors.

const folder = "node_modules/.cache/snippets"
const src = "../../../src"

/** The sources of the package's modules, because the package is not built. */
const modules: Readonly<Record<string, string>> = {
  "wallet-data": `${src}/index.ts`,
  "wallet-data/client": `${src}/client/Client.ts`,
  "wallet-data/effect": `${src}/effectClient/WalletData.ts`,
  "wallet-data/testing": `${src}/testing/index.ts`,
  "./wallet-data": `${src}/client/types.ts`
}

const named = (module: string, ...names: ReadonlyArray<string>) =>
  names.map((name) => [name, `import { ${name} } from "${modules[module] ?? module}"`] as const)

const namespaces = (...names: ReadonlyArray<string>) =>
  names.map((name) => [name, `import * as ${name} from "effect/${name}"`] as const)

const declared = (type: string, ...names: ReadonlyArray<string>) =>
  names.map((name) => [name, `declare const ${name}: ${type}`] as const)

/** Declarations of names that snippets use without declaring them. */
const known: ReadonlyArray<readonly [name: string, code: string]> = [
  ...namespaces("Effect", "Layer", "ManagedRuntime", "Redacted"),
  ...named("wallet-data", "Catalogue", "CoinId", "Evm"),
  ...named("wallet-data/testing", "Networks", "Prices", "Service", "Upstreams", "World"),
  ...named("@effect/vitest", "assert", "it", "layer"),
  ...named("bun:test", "afterAll", "expect", "test"),
  ...named("viem", "createPublicClient", "http"),
  ...named("ethers", "JsonRpcProvider"),
  ...named("@solana/kit", "createSolanaRpc"),
  ...named("@ton/ton", "TonClient"),
  ...named("@mysten/sui/jsonRpc", "SuiJsonRpcClient"),
  ...named("wallet-data/client", "make"),
  ...declared("(...values: ReadonlyArray<unknown>) => void", "show", "warn"),
  ...declared("string", "address", "sender", "recipient"),
  ...declared("Effect.Effect<void>", "payment"),
  ...declared("Record<string, ReadonlyArray<string>>", "networks"),
  ...declared(`ReturnType<typeof import("${modules["wallet-data/client"]}").make>`, "client"),
  ...declared(`ManagedRuntime.ManagedRuntime<import("${modules["wallet-data/testing"]}").Service, never>`, "runtime"),
  ...declared(`import("${src}/catalogue/evm/EvmFacts.ts").EvmFacts`, "gnosis"),
  ...declared(`{ readonly layer: (typeof import("${src}/chains/Networks.ts").all)[number] }`, "Pebble"),
  ...declared(
    `{ readonly layer: (typeof import("${src}/features/prices/sources/PriceSources.ts").all)[number] }`,
    "AcmePrices"
  ),
  ...declared(
    `{ readonly layer: (path: string) => Layer.Layer<import("${src}/storage/Store.ts").Store, never, import("@effect/platform/FileSystem").FileSystem> }`,
    "JsonFile"
  ),
  ...declared(
    "new (url: string) => { addEventListener(name: string, listener: (event: { readonly data: string }) => void): void; close(): void }",
    "EventSource"
  )
]

const imports = /^import [\s\S]*? from "[^"]+"$/gm

/** The names that a snippet declares. */
const declaredIn = (code: string) =>
  [...code.matchAll(/^(?:export )?const (?:(\w+)|[{[]([^}\]]*)[}\]])(?::[^=]*)? = /gm)].flatMap(
    ([, name, names = ""]) =>
      name === undefined ? names.split(",").map((part) => part.split(":").at(-1)?.trim() ?? "") : [name]
  )

/** The names that a line imports. */
const importedBy = (line: string) =>
  line
    .replace(/^import | from .*$/g, "")
    .replace(/\* as |[{}]/g, "")
    .split(",")
    .map((name) => name.trim())

const isUsed = (code: string, name: string) => new RegExp(`(?<![\\w"]|(?<!\\.\\.)\\.)${name}\\b(?!:)`).test(code)

/** A snippet as a module, inside a function so that it may await, yield and return. */
const moduleOf = (code: string): string => {
  const own = [...code.matchAll(imports)].map(([line]) =>
    line.replace(/ from "([^"]+)"$/, (_, path: string) => ` from "${modules[path] ?? path}"`)
  )
  const body = code.replace(imports, "").trim()
  const imported = own.flatMap((line) => (line.startsWith("import type") ? [] : importedBy(line)))
  const names = [...declaredIn(body), ...imported]
  const needed = known.filter(([name]) => !names.includes(name) && isUsed(body, name))
  const types = needed.map(([, line]) => line).join("\n")
  const lines = known.filter((item) => needed.includes(item) || (!names.includes(item[0]) && isUsed(types, item[0])))
  return [
    // Snippets are parts of programs, with unused effects and unprovided services.
    "// @effect-diagnostics *:off",
    ...own,
    ...lines.map(([, line]) => line),
    "export async function* body(): AsyncGenerator<any, any, any> {",
    body,
    `void [${[...names, ...lines.map(([name]) => name)].join(", ")}]`,
    "}",
    ""
  ].join("\n")
}

const documents = [
  "README.md",
  ...readdirSync("docs").flatMap((name) => (name.endsWith(".md") ? [join("docs", name)] : []))
]

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const document of documents)
  for (const [index, [, code = ""]] of [
    ...readFileSync(document, "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm)
  ].entries())
    writeFileSync(join(folder, `${document.replace(/\W/g, "-")}-${index + 1}.ts`), moduleOf(code))
