import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Client from "../../src/client/Client.ts"
import { blocksOf } from "./snippets.ts"

/** The TypeScript programs of a document, in their order. */
export const programsIn = (document: string): ReadonlyArray<string> =>
  blocksOf(readFileSync(document, "utf8")).flatMap(({ language, text }) => (language === "ts" ? [text] : []))

type Values = Readonly<Record<string, unknown>>

interface Surroundings {
  /** The modules that the program may import. */
  readonly modules: Readonly<Record<string, object>>
  /** Values of names that it uses without declaring or importing them. */
  readonly values?: Values
}

const AsyncFunction = (async () => {}).constructor as new (
  ...parts: ReadonlyArray<string>
) => (...values: ReadonlyArray<unknown>) => Promise<Values>

const GeneratorFunction = function* () {}.constructor as new (
  ...parts: ReadonlyArray<string>
) => (...values: ReadonlyArray<unknown>) => Generator<never, Values>

/** The names that a program declares at its top. */
const declaredIn = (code: string) =>
  [...code.matchAll(/^(?:const|let|class) (?:(\w+)|[{[]([^}\]]*)[}\]])(?: =|.* \{$)/gm)].flatMap(
    ([, name, names = ""]) =>
      name === undefined ? names.split(",").map((part) => part.split(":").at(-1)?.trim() ?? "") : [name]
  )

/** Imports as constants of the given modules. */
const withModules = (code: string) =>
  code
    .replace(/^import type .*$/gm, "")
    .replace(/^import \* as (\w+) from "(.*)"$/gm, 'const $1 = modules["$2"]')
    .replace(/^import (\{[^}]*\}) from "(.*)"$/gm, (_, names: string, module: string) => {
      const values = names.replace(/type \w+,?/g, "").replace(/\s+/g, " ")
      return `const ${values} = modules["${module}"]`
    })
    .replace(/^import (\w+) from "(.*)"$/gm, 'const $1 = modules["$2"].default')

/**
 * Runs a program as printed: as an async function, or as the generator of an Effect if it yields Effects. Returns what it
 * has declared.
 */
export const execute = (program: string, { modules, values = {} }: Surroundings): Effect.Effect<Values> => {
  const isEffect = /^(?:const .* = )?(?:yield\*|.*\(yield\*)/m.test(program)
  const imports = [...withModules(program).matchAll(/^const .* = modules\[.*$/gm)].map(([line]) => line)
  const body = withModules(program).replace(/^const .* = modules\[.*$/gm, "")
  const code = new Bun.Transpiler({ loader: "ts" }).transformSync(
    `export default ${isEffect ? "function*" : "async function"} () {\n${body}\nreturn { ${declaredIn(body).join(", ")} }\n}`
  )
  const lines = [...imports, code.slice(code.indexOf("{") + 1, code.lastIndexOf("}"))].join("\n")
  const imported = imports.flatMap((line) =>
    line
      .replace(/^const | = .*$|[{}]/g, "")
      .split(",")
      .map((name) => name.trim())
  )
  const own = [...imported, ...declaredIn(body)]
  const given = Object.entries(values).filter(([name]) => !own.includes(name))
  const names = ["modules", ...given.map(([name]) => name)]
  const passed = [modules, ...given.map(([, value]) => value)]
  return isEffect
    ? Effect.gen(() => new GeneratorFunction(...names, lines)(...passed))
    : Effect.promise(() => new AsyncFunction(...names, lines)(...passed))
}

/** The module of the JavaScript client whose requests go to this function. */
export const clientOver = (fetch: Client.Fetch) => ({
  ...Client,
  make: (options: Client.ClientOptions) => Client.make({ ...options, fetch })
})
