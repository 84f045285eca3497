import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

/** A source file of the service; its path is relative to src. */
export interface Source {
  readonly path: string
  /** Without comments. */
  readonly code: string
}

export interface Import {
  /** Path relative to src, or the name of a package. */
  readonly of: string
  readonly ours: boolean
  /** Local names of the imports, without types. */
  readonly names: ReadonlyArray<string>
}

const tokens = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g

export const source = (path: string, text: string): Source => ({
  path,
  code: text.replace(tokens, (token) => (token.startsWith("/") ? "" : token))
})

/** The code with empty string literals, so that words in a text do not count as calls. */
export const wordless = ({ code }: Source): string => code.replace(/"(?:[^"\\\n]|\\.)*"/g, '""')

const imported = /(?:import|export)\s+(type\s+)?((?:[^"'();]*?)\s+from\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/g

export const importsOf = ({ code, path }: Source): ReadonlyArray<Import> =>
  [...code.matchAll(imported)].map(([, type, bindings = "", from, dynamic]) => {
    const name = from ?? dynamic ?? ""
    const ours = /^[.#]/.test(name)
    return {
      of: name.startsWith(".") ? normalize(join(dirname(path), name)) : name,
      ours,
      names: type === undefined ? namesIn(bindings) : []
    }
  })

const namesIn = (bindings: string): ReadonlyArray<string> =>
  bindings
    .replace(/\sfrom\s+$/, "")
    .split(/[{},]/)
    .map((text) => text.trim())
    .filter((name) => name !== "" && !name.startsWith("type "))
    .map((name) => name.split(/\s+as\s+/).at(-1) ?? name)

/** The text of the arguments of every call to these functions. */
export const argumentsOf = (code: string, functions: ReadonlyArray<string>): ReadonlyArray<string> =>
  functions.flatMap((name) =>
    code
      .split(`${name}(`)
      .slice(1)
      .map((rest) => {
        let depth = 1
        let end = 0
        for (; end < rest.length && depth > 0; end++) depth += rest[end] === "(" ? 1 : rest[end] === ")" ? -1 : 0
        return rest.slice(0, end - 1)
      })
  )

const skipped = ["node_modules", ".git", "dist", "coverage"]

const generated = "src/client/types.ts"

/** Every file in a folder and its subfolders, except installed, generated, built and binary files. */
export const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !skipped.includes(name) && !/\.sqlite|^\.env$/.test(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesIn(path) : path === generated ? [] : [path]
    })

export const sources: ReadonlyArray<Source> = filesIn("src")
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => source(path.slice("src/".length), readFileSync(path, "utf8")))
